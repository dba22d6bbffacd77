// Credentials with their end, and when to fetch the next ones. Pure.
#pragma once

#include <headwater/clock.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace headwater::credentials {

template <class T>
class leased {
public:
    leased() = default;
    explicit leased(T what, std::optional<time_ms> until = {}) : value(std::move(what)), ends(until) {}

    T value;
    std::optional<time_ms> ends;  ///< Nothing: they do not end.
};

/// So long before their end the next credentials are fetched, while the old ones serve; of those that were good for
/// less than twice as long when they came, at half their time.
inline constexpr std::chrono::minutes renewal_lead{5};
/// So long before their end, or in their last quarter, credentials are no longer used while others can be had: a
/// request takes its time to arrive.
inline constexpr std::chrono::seconds last_moments{10};
/// After a renewal failed, the old ones serve so long before the next try.
inline constexpr std::chrono::seconds renewal_pause{20};

/// When credentials came, and when they end.
struct term {
    time_ms came{};
    time_ms ends{};
};

enum class renewal {
    none,        ///< Use what is held.
    background,  ///< Use what is held, and fetch.
    first,       ///< Fetch, and wait for it.
};

/// What to do at `now` with credentials of that term, if they end at all, the last renewal having failed at `failed`.
constexpr renewal renewal_at(time_ms now, std::optional<term> const& of, std::optional<time_ms> failed) noexcept
{
    if (!of) return renewal::none;
    auto const paused = [now](time_ms since) { return now >= since && now - since < renewal_pause; };
    auto const whole = of->ends - of->came;
    auto const left = of->ends - now;
    // Over when they came: one of the two clocks is wrong, and the service knows better whether they are good.
    if (whole.count() <= 0) return paused(failed.value_or(of->came)) ? renewal::none : renewal::background;
    if (left > std::min<std::chrono::milliseconds>(renewal_lead, whole / 2)) return renewal::none;
    if (left.count() > 0 && failed && paused(*failed)) return renewal::none;
    return left > std::min<std::chrono::milliseconds>(last_moments, whole / 4) ? renewal::background : renewal::first;
}

}  // namespace headwater::credentials
