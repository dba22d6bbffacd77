// Credentials with their end, and when to fetch the next ones. Pure.
#pragma once

#include <headwater/clock.hpp>

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

/// So long before their end the next credentials are fetched, while the old ones serve.
inline constexpr std::chrono::minutes renewal_lead{5};
/// So long before their end credentials are no longer used: a request takes its time to arrive.
inline constexpr std::chrono::seconds last_moments{10};
/// After a renewal failed, the old ones serve so long before the next try.
inline constexpr std::chrono::seconds renewal_pause{20};

enum class renewal {
    none,        ///< Use what is held.
    background,  ///< Use what is held, and fetch.
    first,       ///< Fetch, and wait for it.
};

/// What to do at `now` with credentials that end at `ends`, the last renewal having failed at `failed`.
constexpr renewal renewal_at(time_ms now, std::optional<time_ms> ends, std::optional<time_ms> failed) noexcept
{
    if (!ends || *ends - now > renewal_lead) return renewal::none;
    if (*ends - now <= last_moments) return renewal::first;
    return failed && now - *failed < renewal_pause && now >= *failed ? renewal::none : renewal::background;
}

}  // namespace headwater::credentials
