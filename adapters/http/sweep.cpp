// Sleeps, looks at every deadline, sleeps again.
#include "adapters/http/sweep.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cassert>
#include <exception>
#include <string>
#include <string_view>

namespace headwater::http {

namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A deadline is noticed at most a tick late: an eighth of the shortest one, within these bounds.
constexpr milliseconds shortest_tick(1);
constexpr milliseconds longest_tick(100);
constexpr int ticks_per_limit = 8;

std::array<nanoseconds, phase_count> limits_of(http_options const& from)
{
    return {from.acquire_timeout, from.resolve_timeout,    from.connect_timeout, from.tls_timeout,
            from.idle_timeout,    from.first_byte_timeout, from.idle_timeout,    from.total_timeout};
}

std::string_view describe(phase which) noexcept
{
    switch (which) {
    case phase::acquire: return "acquire_timeout: no connection became free";
    case phase::resolve: return "resolve_timeout: the host's addresses did not arrive";
    case phase::connect: return "connect_timeout: the server did not accept the connection";
    case phase::tls: return "tls_timeout: the TLS handshake did not end";
    case phase::send: return "idle_timeout: the server took none of the request";
    case phase::first_byte: return "first_byte_timeout: no answer began";
    case phase::idle: return "idle_timeout: the answer stopped in its middle";
    case phase::total: return "total_timeout: the request was not done";
    }
    return {};
}

}  // namespace

sweep::sweep(asio::any_io_executor executor, clock& time, http_options const& limits)
    : executor_(std::move(executor)),
      time_(time),
      limits_(limits_of(limits)),
      tick_(std::clamp<nanoseconds>(*std::ranges::min_element(limits_) / ticks_per_limit, shortest_tick, longest_tick))
{
}

void sweep::join(deadline& one)
{
    one.place_ = active_.size();
    active_.push_back(&one);
    if (!running_) start();
}

void sweep::leave(deadline& one) noexcept
{
    active_[one.place_] = active_.back();
    active_[one.place_]->place_ = one.place_;
    active_.pop_back();
    if (active_.empty()) finish_when_idle();
}

void sweep::start()
{
    running_ = true;
    auto finish = [self = shared_from_this()](std::exception_ptr thrown) {
        self->running_ = false;
        if (self->is_wanted()) self->start();
        if (!thrown) return;
        try {
            std::rethrow_exception(thrown);
        } catch (boost::system::system_error const& woken) {
            if (woken.code() != asio::error::operation_aborted) throw;
        }
    };
    asio::co_spawn(executor_, run(), asio::bind_cancellation_slot(wake_.slot(), std::move(finish)));
}

// Not at once: a caller that sends its next request as soon as this one is answered keeps the sleeper asleep,
// which is cheaper than ending and beginning it for each.
void sweep::finish_when_idle()
{
    if (idle_check_posted_) return;
    idle_check_posted_ = true;
    asio::post(executor_, [self = shared_from_this()] {
        self->idle_check_posted_ = false;
        if (!self->active_.empty()) return;
        self->lingering_ = self->also_ && self->also_(self->now());
        if (self->running_ && !self->lingering_) self->wake_.emit(asio::cancellation_type::terminal);
    });
}

void sweep::retire()
{
    also_ = nullptr;
    lingering_ = false;
    if (running_ && active_.empty()) wake_.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> sweep::run()
{
    while (is_wanted()) {
        co_await time_.sleep_for(tick_);
        look();
    }
}

void sweep::look()
{
    auto const at = now();
    for (auto* one : active_) one->look(at);
    lingering_ = also_ && also_(at);
}

deadline::deadline(std::shared_ptr<sweep> home)
    : home_(std::move(home)), total_at_(home_->now() + home_->limit(phase::total)), phase_at_(total_at_)
{
    home_->join(*this);
}

void deadline::watch::enter(phase next)
{
    home_.phase_ = next;
    home_.phase_at_ = home_.now() + home_.home_->limit(next);
}

void deadline::look(nanoseconds now) noexcept
{
    if (!what_ || now < std::min(total_at_, phase_at_)) return;
    passed_ = total_at_ <= now ? phase::total : phase_;
    what_->stop();
}

error deadline::why() const
{
    assert(passed_);
    auto const after = std::chrono::duration_cast<milliseconds>(home_->limit(*passed_));
    return {errc::unavailable, std::string(describe(*passed_)) + " in " + std::to_string(after.count()) + " ms"};
}

}  // namespace headwater::http
