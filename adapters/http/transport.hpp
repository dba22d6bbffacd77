// transport: the port "send one request, read one response". It never retries and never follows a redirect:
// what an answer or its absence means is decided above, by the vendors' response readers.
#pragma once

#include "adapters/http/message.hpp"

#include <headwater/adapters/http.hpp>
#include <headwater/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace headwater::http {

/// Where to connect: one scheme, host and port. The pool is per endpoint.
struct endpoint {
    bool tls = true;
    std::string host{};  ///< Name or address; IPv6 without brackets. SNI, verification, and resolving use it.
    std::uint16_t port = 443;
    std::string authority{};  ///< The `Host` field exactly as signed: `host`, or `host:port` when not the default.
    /// Resolve this name instead of `host`; empty: `host`. For virtual hosts on a local server.
    std::string connect_to{};
};

using exchange_result = boost::system::result<response, exchange_error>;

/// Sends requests to one endpoint. Cancellation throws and leaves the pool sound. Threads: one executor or strand.
class transport {
public:
    transport() = default;
    transport(transport const&) = delete;
    transport& operator=(transport const&) = delete;
    virtual ~transport() = default;

    /// One request, one response or the way it broke. `what` must live until the call completes.
    virtual boost::asio::awaitable<exchange_result> send(request const& what) = 0;
};

/// Makes transports of one kind: what http_options name when it is not the native one.
class transport_maker {
public:
    transport_maker() = default;
    transport_maker(transport_maker const&) = delete;
    transport_maker& operator=(transport_maker const&) = delete;
    virtual ~transport_maker() = default;

    virtual std::unique_ptr<transport> make(boost::asio::any_io_executor executor, clock& time, endpoint where,
                                            http_options options) const = 0;
};

/// The transport that the options ask for. `time` must outlive it.
std::unique_ptr<transport> make_transport(boost::asio::any_io_executor executor, clock& time, endpoint where,
                                          http_options options);

/// The native transport: Asio sockets, OpenSSL, Beast's parser, a pool. `time` must outlive it.
std::unique_ptr<transport> make_native_transport(boost::asio::any_io_executor executor, clock& time, endpoint where,
                                                 http_options options);

}  // namespace headwater::http
