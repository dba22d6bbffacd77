// How long to wait before a call is sent again, and when to give up. Pure: time and chance are handed in.
// Used by every layer that repeats something: store/retrying, store/settling, and the publisher.
#pragma once

#include <headwater/export.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace headwater {

/// Full jitter: a wait drawn evenly from [0, min(cap, base * 2^repeat)]. `repeat` counts from 0; `draw` is evenly
/// distributed over u64.
HEADWATER_EXPORT std::chrono::nanoseconds full_jitter(std::chrono::nanoseconds base, std::chrono::nanoseconds cap,
                                                      std::uint32_t repeat, std::uint64_t draw) noexcept;

/// Attempts whose number is not limited are at least so far apart, whatever is drawn.
inline constexpr std::chrono::nanoseconds least_pursuit_wait{1'000'000};

/// When one call's attempts must end.
struct backoff_limits {
    std::chrono::nanoseconds base{};
    std::chrono::nanoseconds cap{};
    std::chrono::nanoseconds budget{};  ///< No attempt begins later than this after the first.
    std::uint32_t max_attempts = 1;     ///< The first included.
};

/// One call's attempts: how many there were, and whether and when there may be another.
class HEADWATER_EXPORT backoff {
public:
    /// The first attempt begins at `now`.
    backoff(backoff_limits const& limits, std::chrono::nanoseconds now) noexcept : limits_(limits), began_(now) {}

    /// The wait before the next attempt, at least `asked_for` (the store's Retry-After); nothing: give up, because
    /// the attempts are used up or the next would begin after the budget.
    std::optional<std::chrono::nanoseconds> next(std::chrono::nanoseconds now, std::uint64_t draw,
                                                 std::optional<std::chrono::nanoseconds> asked_for) noexcept;
    /// The same for what must go on to the end of the budget, however many attempts that takes: the wait is cut to what
    /// is left. Nothing: the budget is used up.
    std::optional<std::chrono::nanoseconds> pursue(std::chrono::nanoseconds now, std::uint64_t draw,
                                                   std::optional<std::chrono::nanoseconds> asked_for) noexcept;
    bool is_over(std::chrono::nanoseconds now) const noexcept { return now - began_ >= limits_.budget; }

    /// Attempts so far, the first included.
    std::uint32_t attempts() const noexcept { return attempts_; }

private:
    std::chrono::nanoseconds wish(std::uint64_t draw, std::optional<std::chrono::nanoseconds> asked_for) const noexcept;

    backoff_limits limits_;
    std::chrono::nanoseconds began_;
    std::uint32_t attempts_ = 1;
    std::uint32_t waits_ = 0;
};

}  // namespace headwater
