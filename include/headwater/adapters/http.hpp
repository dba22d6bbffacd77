// Settings that the S3 and Azure adapters share: connections, deadlines, TLS (STORE section 3, Connections).
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace headwater {

namespace http {
class transport_maker;
}

/// What goes with the bytes of a write, as a plain header field, so that the store refuses what was damaged on the way.
/// What a store tells of a whole object's sum is checked in any case.
enum class body_checksum {
    none,   ///< Nothing but what the signature covers.
    md5,    ///< `Content-MD5`.
    crc64,  ///< CRC-64/NVME: `x-amz-checksum-crc64nvme`, `x-ms-content-crc64`. Stores that do not know it ignore it.
};

/// How an adapter uses the network. Each deadline is named in the error that it causes. No thread is begun, but for the
/// one on which Asio looks host names up: one for each io_context that ever looked one up; an IP address needs none.
struct http_options {
    std::size_t max_connections = 64;  ///< Open sockets of one store: each has a pool of its own.
    std::size_t max_waiters = 4096;  ///< Requests that may wait for a connection; one more is `unavailable`, not sent.
    std::chrono::milliseconds resolve_timeout{5'000};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds tls_timeout{10'000};
    std::chrono::milliseconds acquire_timeout{30'000};     ///< Waiting for a free connection.
    std::chrono::milliseconds first_byte_timeout{30'000};  ///< From the request's end to the answer's first byte.
    std::chrono::milliseconds idle_timeout{30'000};        ///< Between two pieces of an answer's body.
    std::chrono::milliseconds total_timeout{120'000};      ///< One attempt, all of it.
    /// How long an unused connection is kept. Nothing waits for it to pass, so that an executor without work comes to
    /// its end: the connection is closed during the next request, or with the store.
    std::chrono::milliseconds keep_idle{4'000};
    /// Closes unused connections when their time is up, by a timer: until then the executor has work.
    bool close_idle_on_time = false;
    std::chrono::milliseconds resolve_ttl{60'000};  ///< How long resolved addresses are used.
    std::string ca_file{};                          ///< PEM file of trusted roots; empty: the system's.
    bool verify_tls = true;                         ///< False accepts any certificate; for tests alone.
    /// What sends the requests; null: the native client. Another one is `curl_transport` (adapters/curl.hpp).
    std::shared_ptr<http::transport_maker const> transport{};
};

}  // namespace headwater
