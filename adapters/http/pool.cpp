// Leases out, leases back, and the line in between.
#include "adapters/http/pool.hpp"

#include <algorithm>
#include <utility>

namespace headwater::http {

namespace asio = boost::asio;
using std::chrono::nanoseconds;

struct pool::ticket final : waiter {
    using waiter::waiter;

    lease granted;  // Owned here, so that it goes back if the coroutine is destroyed instead of resumed.
};

lease::lease(std::shared_ptr<pool> home, std::unique_ptr<connection> held)
    : home_(std::move(home)), held_(std::move(held)), purges_(home_->purges_)
{
}

lease& lease::operator=(lease&& other) noexcept
{
    if (this == &other) return *this;
    drop();
    home_ = std::move(other.home_);
    held_ = std::move(other.held_);
    purges_ = other.purges_;
    return *this;
}

void lease::keep(nanoseconds now, nanoseconds length)
{
    auto const home = std::exchange(home_, nullptr);
    home->give_back({std::move(held_), now, now + length});
}

void lease::drop() noexcept
{
    held_.reset();
    if (auto const home = std::exchange(home_, nullptr)) home->give_up();
}

pool::pool(asio::any_io_executor executor, std::size_t max_connections, std::size_t max_waiters)
    : waiting_(std::move(executor)),
      max_connections_(std::max<std::size_t>(max_connections, 1)),
      max_waiters_(max_waiters)
{
}

lease pool::take(nanoseconds now)
{
    while (!idle_.empty()) {
        auto newest = std::move(idle_.back());
        idle_.pop_back();
        bool const in_time = now < newest.until;
        if (in_time && newest.usable(now)) return lease(shared_from_this(), std::move(newest.one));
        --open_;
        if (in_time) purge();
    }
    if (open_ >= max_connections_) return {};
    ++open_;
    return lease(shared_from_this());
}

asio::awaitable<lease> pool::wait(deadline& until)
{
    ticket me(waiting_);
    deadline::watch watched(until, me);
    watched.enter(phase::acquire);
    co_await me.wait();
    co_return std::move(me.granted);
}

void pool::give_back(kept back)
{
    if (closed_) {
        --open_;
        return;
    }
    if (waiting_.empty()) {
        idle_.push_back(std::move(back));
        return;
    }
    auto& next = static_cast<ticket&>(waiting_.front());
    next.granted = lease(shared_from_this(), std::move(back.one));
    next.wake();
}

void pool::give_up() noexcept
{
    if (waiting_.empty()) {
        --open_;
        return;
    }
    auto& next = static_cast<ticket&>(waiting_.front());
    next.granted = lease(shared_from_this());
    next.wake();
}

void pool::expire(nanoseconds now) noexcept
{
    open_ -= std::erase_if(idle_, [&](kept const& one) { return one.until <= now; });
}

void pool::purge(lease const& stale) noexcept
{
    if (stale.purges_ == purges_) purge();
}

void pool::purge() noexcept
{
    ++purges_;
    open_ -= idle_.size();
    idle_.clear();
}

void pool::close()
{
    closed_ = true;
    purge();
    waiting_.abort_all();
}

}  // namespace headwater::http
