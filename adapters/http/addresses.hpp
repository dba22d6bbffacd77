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

/// A name that has never been resolved is taken for a wrong one when the resolver has said so often in a row that it
/// cannot tell now: without a name server that is all it ever says.
inline constexpr int max_unsure_answers = 3;

/// Why a host has no addresses, after so many unsure answers in a row: `configuration` or `unavailable`.
error unresolved(std::string const& host, error_code how, int unsure);

/// Threads: those of `executor`. A name is asked for on the thread that Asio keeps for that, one for each io_context,
/// begun by the first name: getaddrinfo blocks. An address literal is never asked for.
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

    resolver resolver_;
    wait_list waiting_;
    std::string host_;
    std::uint16_t port_;
    std::chrono::nanoseconds ttl_;
    std::chrono::nanoseconds good_until_{};
    std::vector<address> known_;
    std::vector<address> failing_;
    error_code last_;
    int unsure_ = 0;  ///< Answers in a row that could not tell.
    std::size_t turn_ = 0;
    bool literal_ = false;
    bool asking_ = false;
};

}  // namespace headwater::http
