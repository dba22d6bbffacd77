// connection: one socket to the server, one exchange at a time. PImpl, so that Beast and TLS are compiled once.
// Stands between the pool, which owns it, and the transport, which awaits it.
#pragma once

#include "adapters/http/addresses.hpp"
#include "adapters/http/connection_stream.hpp"
#include "adapters/http/sweep.hpp"
#include "adapters/http/transport.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace headwater::http {

/// Cancelling an operation leaves it unusable; drop it. Threads: those of `executor`.
class connection final : public stoppable {
public:
    /// `tls` may be null: then the socket is plain.
    connection(boost::asio::any_io_executor executor, std::shared_ptr<tls_context> tls);
    ~connection();

    /// Connects and shakes hands. Nothing when it is ready; else why not, always `nothing_sent`.
    boost::asio::awaitable<std::optional<exchange_error>> open(address to, std::string const& host, deadline& until);
    /// Sends a request, which `check_request` has passed, and reads its answer.
    boost::asio::awaitable<exchange_result> exchange(request const& what, std::string const& authority,
                                                     deadline& until);

    bool reused() const noexcept;    ///< The last exchange was not its first.
    bool alive();                    ///< May be used: the server has not closed it meanwhile.
    bool reusable() const noexcept;  ///< The last exchange left it in order.
    void stop() noexcept override;   ///< Closes the socket: whatever waits on it ends.

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace headwater::http
