// clock: the port through which all time and all waiting comes, so that a simulation replays exactly.
#pragma once

#include <headwater/export.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>

namespace headwater {

/// A wall-clock time, milliseconds since 1970 (FORMAT `created_at`).
using time_ms = std::chrono::sys_time<std::chrono::milliseconds>;

/// Time and sleep. One clock may serve many clients; implementations say which threads may use them.
class HEADWATER_EXPORT clock {
public:
    clock() = default;
    clock(clock const&) = delete;
    clock& operator=(clock const&) = delete;
    virtual ~clock() = default;

    /// The wall clock. May jump.
    virtual time_ms now() const = 0;
    /// Time since some fixed point: never goes back, and counts time spent suspended (CLOCK_BOOTTIME).
    virtual std::chrono::nanoseconds since_boot() const = 0;
    /// Waits on the awaiting coroutine's executor. Cancellation throws `operation_aborted`.
    virtual boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds length) = 0;
};

/// The machine's clock. Safe to use from any thread.
HEADWATER_EXPORT std::unique_ptr<clock> make_system_clock();

}  // namespace headwater
