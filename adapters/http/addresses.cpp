// Asks the resolver once for all who wait.
#include "adapters/http/addresses.hpp"

#include "adapters/http/wire.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace headwater::http {

namespace asio = boost::asio;

std::vector<address> spread(std::vector<address> const& known, std::vector<address> const& failing, std::size_t turn)
{
    std::vector<address> good;
    std::vector<address> bad;
    for (std::size_t i = 0; i < known.size(); ++i) {
        auto const& one = known[(turn + i) % known.size()];
        auto const failed = std::ranges::find(failing, one) != failing.end();
        (failed ? bad : good).push_back(one);
    }
    good.insert(good.end(), bad.begin(), bad.end());
    return good;
}

error unresolved(std::string const& host, error_code how, int unsure)
{
    if (auto const full = out_of_files(how)) return *full;
    bool const unknown = how == asio::error::host_not_found || how == asio::error::no_data;
    auto text = "the host " + host + " cannot be resolved: " + how.message();
    if (unsure >= max_unsure_answers)
        text += "; asked " + std::to_string(unsure) + " times: check its name, and the network";
    return {unknown || unsure >= max_unsure_answers ? errc::configuration : errc::unavailable, std::move(text)};
}

addresses::addresses(asio::any_io_executor executor, std::string host, std::uint16_t port, std::chrono::nanoseconds ttl)
    : resolver_(executor), waiting_(executor), host_(std::move(host)), port_(port), ttl_(ttl)
{
    error_code not_literal;
    auto const given = asio::ip::make_address(host_, not_literal);
    literal_ = !not_literal;
    if (literal_) known_.emplace_back(given, port_);
}

asio::awaitable<error> addresses::refresh(deadline& until)
{
    if (literal_ || (!known_.empty() && until.now() < good_until_)) co_return error();
    if (!asking_) ask(until.now());
    waiter me(waiting_);
    deadline::watch watched(until, me);
    watched.enter(phase::resolve);
    co_await me.wait();
    if (!known_.empty()) co_return error();
    co_return me.woken() ? unresolved(host_, last_, unsure_) : until.why();
}

void addresses::ask(std::chrono::nanoseconds now)
{
    asking_ = true;
    resolver_.async_resolve(host_, std::to_string(port_), resolver::numeric_service,
                            [self = shared_from_this(), now](error_code how, resolver::results_type const& found) {
                                self->answer(how, found, now);
                            });
}

void addresses::answer(error_code how, resolver::results_type const& found, std::chrono::nanoseconds asked_at)
{
    asking_ = false;
    last_ = how;
    unsure_ = how == asio::error::host_not_found_try_again ? unsure_ + 1 : 0;
    if (!how) {
        known_.clear();
        for (auto const& entry : found) known_.push_back(entry.endpoint());
        failing_.clear();
        good_until_ = asked_at + ttl_;
    }
    waiting_.wake_all();
}

void addresses::failed(address const& one)
{
    if (std::ranges::find(failing_, one) == failing_.end()) failing_.push_back(one);
}

}  // namespace headwater::http
