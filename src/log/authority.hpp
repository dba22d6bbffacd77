// authority: what opening a branch learnt: the graph's format, the stream, its metadata, and when that was asked.
// An answer about a slot counts only beside metadata that is young enough (FORMAT section 4, "Floor").
#pragma once

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/stream_metadata.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace headwater {

/// What cleanup leaves alone, and how long a floor stands before anything under it is deleted.
inline constexpr std::chrono::minutes min_age{60};

/// A moment by three clocks: what passes until a later one is the most that any of them shows.
struct moment {
    std::chrono::nanoseconds boot{};
    time_ms wall{};
    std::optional<time_ms> store{};  ///< The store's Date, where one is known.

    static moment now(clock const& time) { return {time.since_boot(), time.now(), {}}; }
    std::chrono::nanoseconds until(moment later) const
    {
        auto const passed = std::max<std::chrono::nanoseconds>(later.boot - boot, later.wall - wall);
        if (!store || !later.store) return passed;
        return std::max<std::chrono::nanoseconds>(passed, *later.store - *store);
    }
};

struct authority {
    authority() = default;

    graph_format format;
    stream_id stream;
    stream_metadata metadata;
    etag metadata_tag;
    moment asked;  ///< When the metadata's request was sent; by the store's clock, when it was answered.

    /// Whether answers may be judged beside this metadata; `latest_date` is that of the latest answer.
    bool fresh(clock const& time, std::optional<time_ms> latest_date) const
    {
        auto now = moment::now(time);
        now.store = latest_date;
        return asked.until(now) <= min_age / 2;
    }
    /// Now, the store's clock reckoned from its Date on the metadata. A machine that slept unnoticed makes that too
    /// early, and what passes since too long: the safe side.
    moment reckoned_now(clock const& time) const
    {
        auto now = moment::now(time);
        if (asked.store) {
            now.store = *asked.store + std::chrono::floor<std::chrono::milliseconds>(asked.until(now));
        }
        return now;
    }
};

/// The wall clock, held to the store's Date ± `max_clock_error` where it gave one.
inline constexpr std::chrono::minutes max_clock_error{5};
std::uint64_t held_now_ms(authority const& known, clock const& time);

}  // namespace headwater
