// reach: how the sources of credentials act on the world: one request to a service, a small file, a program.
#pragma once

#include "adapters/http/transport.hpp"

#include <headwater/clock.hpp>
#include <headwater/task.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace headwater::credentials {

/// The largest file or output with a secret in it that is read.
inline constexpr std::size_t max_secret_file = 1u << 20;
/// How long a metadata service of the machine may take: most machines have none.
inline constexpr std::chrono::seconds metadata_timeout{2};
/// How long a program may take that fetches credentials.
inline constexpr std::chrono::seconds process_timeout{60};

class reach {
public:
    reach(boost::asio::any_io_executor executor, clock& time, http_options options)
        : executor_(std::move(executor)), time_(time), options_(std::move(options))
    {
    }

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    clock& time() const noexcept { return time_; }

    /// One request to `where`, on a connection of its own. Errors: `unavailable`, `configuration`, `protocol`; each
    /// names `from`. Both arguments must live until it completes.
    task<http::response> ask(http::endpoint const& where, http::request const& what, std::string_view from) const;
    /// The same to the machine's own metadata service: past any proxy, over the native transport, and soon.
    task<http::response> ask_machine(http::endpoint const& where, http::request const& what,
                                     std::string_view from) const;

    /// What `command`, run by /bin/sh, printed to its standard output. `configuration`: it cannot be run, failed, or
    /// took longer than `process_timeout`; with what it wrote to its standard error.
    task<std::string> run(std::string command) const;

private:
    boost::asio::any_io_executor executor_;
    clock& time_;
    http_options options_;
};

/// Whether plain http to `host` leads no further than the machine's own network link, where metadata services are:
/// link-local addresses, and those that EC2 uses instead (fd00:ec2::/32). Loopback is not among them.
bool is_metadata_host(std::string_view host);

/// The whole file without white space at its end. `configuration`, naming `what` and never the content: it cannot be
/// read, or is larger than `max_secret_file`.
result<std::string> read_settings_file(std::string const& path, std::string_view what);
/// The same of a file that must not be empty.
result<std::string> read_secret_file(std::string const& path, std::string_view what);

}  // namespace headwater::credentials
