// The decisions around one exchange, without I/O: the request's bytes, how long a connection may be kept,
// and what a cut exchange means. Used by connection and transport.
#pragma once

#include "adapters/http/message.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headwater::http {

/// What HTTP cannot carry in this request, by name and never by value: `invalid_argument`. Nothing if all is well.
std::optional<error> check_request(request const& what);

/// Replaces `out` with the request's bytes: request line, `Host`, the fields in order, `Content-Length` when there is a
/// body or the method is one that has bodies, and the body. The request must have passed `check_request`.
void write_request(request const& what, std::string_view authority, std::string& out);

/// How long the server keeps an unused connection, from `Keep-Alive: timeout=5, max=100`; nothing if it does not say.
std::optional<std::chrono::seconds> keep_alive_timeout(std::string_view value) noexcept;

/// For how long an answered connection may wait for its next use: the option, or less if the server says so.
/// The server's own figure is shortened by a second: its clock began when it sent, ours when we received.
std::chrono::nanoseconds keep_time(std::chrono::milliseconds option, std::string_view keep_alive) noexcept;

/// What helps when the process, or the machine, has no descriptor left for a socket, which waiting does not:
/// `configuration`. Nothing for any other code.
std::optional<error> out_of_files(error_code how);

/// What a handshake that can never succeed means; `reason` is the TLS library's. `configuration`.
error no_common_tls(std::string_view reason);
/// The same error, naming the endpoint where that is what has to be set right.
error at_endpoint(error const& why, std::string_view scheme, std::string_view authority);
/// Over plain http a server that speaks TLS only closes the connection.
error closed_unanswered(bool tls);

/// Where an exchange stood when it was cut.
struct cut {
    std::size_t bytes_sent = 0;
    bool response_begun = false;
    bool reused = false;       ///< The connection had carried an exchange before.
    bool peer_closed = false;  ///< Closed or reset by the other side, as opposed to a deadline or garbage.
};

/// What may be believed about the request.
broken judge(cut const& at) noexcept;

}  // namespace headwater::http
