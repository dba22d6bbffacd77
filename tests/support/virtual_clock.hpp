// virtual_clock: time that passes only when nothing else can happen, so that an hour of waiting takes no time and a
// seed replays exactly. run(clock, work) drives it.
#pragma once

#include "tests/support/run.hpp"

#include <headwater/clock.hpp>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace headwater::test {

/// Starts on 2025-09-15 at 01:33:20 UTC, unless told otherwise. One io_context, one thread.
class virtual_clock final : public clock {
public:
    virtual_clock() = default;
    explicit virtual_clock(time_ms start) : start_(start) {}

    time_ms now() const override { return start_ + skew_ + std::chrono::floor<std::chrono::milliseconds>(elapsed_); }
    std::chrono::nanoseconds since_boot() const override { return elapsed_; }

    boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds length) override
    {
        auto const executor = co_await boost::asio::this_coro::executor;
        waits_.push_back(length);
        entry mine(*this, elapsed_ + std::max(length, std::chrono::nanoseconds(0)), executor);
        boost::system::error_code ended;
        co_await mine.at->second.wake.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ended));
        if (!mine.at->second.due) throw boost::system::system_error(ended);
    }

    /// Wakes the next sleeper, moving time to when it is due; false if none sleeps.
    bool wake_next()
    {
        for (auto& [when, one] : sleepers_) {
            if (one.due) continue;
            elapsed_ = std::max(elapsed_, when);
            one.due = true;
            one.wake.cancel();
            return true;
        }
        return false;
    }

    /// Lets time pass without waking anybody: a slow step, a suspended machine.
    void pass(std::chrono::nanoseconds length) { elapsed_ += length; }
    /// Makes the wall clock wrong by so much; `since_boot` does not notice.
    void set_skew(std::chrono::milliseconds wrong_by) { skew_ = wrong_by; }
    /// The length of every sleep so far, in order of their beginnings.
    std::vector<std::chrono::nanoseconds> const& waits() const noexcept { return waits_; }

private:
    struct sleeper {
        boost::asio::steady_timer wake;
        bool due = false;
    };
    using sleepers = std::multimap<std::chrono::nanoseconds, sleeper>;

    // Leaves the queue with the coroutine, also when that is destroyed while it sleeps.
    struct entry {
        entry(virtual_clock& its_clock, std::chrono::nanoseconds when, boost::asio::any_io_executor const& executor)
            : clock(its_clock),
              at(clock.sleepers_.emplace(
                  when, sleeper{boost::asio::steady_timer(executor, boost::asio::steady_timer::time_point::max())}))
        {
        }
        entry(entry const&) = delete;
        entry& operator=(entry const&) = delete;
        ~entry() { clock.sleepers_.erase(at); }

        virtual_clock& clock;
        sleepers::iterator at;
    };

    time_ms start_{std::chrono::milliseconds(1'757'900'000'000)};
    std::chrono::nanoseconds elapsed_{0};
    std::chrono::milliseconds skew_{0};
    sleepers sleepers_;
    std::vector<std::chrono::nanoseconds> waits_;
};

/// Runs all that can run, then lets time pass to the next sleeper, until nothing runs and nobody sleeps.
inline void drive(boost::asio::io_context& io, virtual_clock& time)
{
    do {
        io.restart();
        while (io.poll() != 0) {}
    } while (time.wake_next());
}

/// Runs `work` to its end on `io` in virtual time.
template <class T>
T run(boost::asio::io_context& io, virtual_clock& time, boost::asio::awaitable<T> work)
{
    return run_with(io, std::move(work), [&] { drive(io, time); });
}

/// Runs `work` to its end on a fresh context in virtual time.
template <class T>
T run(virtual_clock& time, boost::asio::awaitable<T> work)
{
    boost::asio::io_context io(1);
    return run(io, time, std::move(work));
}

}  // namespace headwater::test
