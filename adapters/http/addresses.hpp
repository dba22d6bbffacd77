// addresses: where an endpoint's host is, asked once per TTL for all connections; spread over, failing ones last.
#pragma once

#include "adapters/http/sweep.hpp"
#include "adapters/http/wait_list.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headwater::http {

using address = boost::asio::ip::tcp::endpoint;

/// The addresses in the order to try: beginning at `turn`, wrapping around, those in `failing` at the end.
std::vector<address> spread(std::vector<address> const& known, std::vector<address> const& failing, std::size_t turn);

/// Threads: those of `executor`. An address literal is never asked for.
class addresses : public std::enable_shared_from_this<addresses> {
public:
    addresses(boost::asio::any_io_executor executor, std::string host, std::uint16_t port,
              std::chrono::nanoseconds ttl);

    /// Makes sure that some are known. When the resolver fails, addresses from before serve on.
    /// An answer without a code is success; `configuration`: no such host; `unavailable`: try again.
    boost::asio::awaitable<error> refresh(deadline& until);
    /// What to connect to, in order; each call begins at another one.
    std::vector<address> next_order() { return spread(known_, failing_, turn_++); }
    /// Puts one last until the next answer of the resolver.
    void failed(address const& one);
    void abort_waiting() { waiting_.abort_all(); }

private:
    using resolver = boost::asio::ip::tcp::resolver;

    void ask(std::chrono::nanoseconds now);
    void answer(error_code how, resolver::results_type const& found, std::chrono::nanoseconds asked_at);
    error why() const;

    resolver resolver_;
    wait_list waiting_;
    std::string host_;
    std::uint16_t port_;
    std::chrono::nanoseconds ttl_;
    std::chrono::nanoseconds good_until_{};
    std::vector<address> known_;
    std::vector<address> failing_;
    error_code last_;
    std::size_t turn_ = 0;
    bool literal_ = false;
    bool asking_ = false;
};

}  // namespace headwater::http
