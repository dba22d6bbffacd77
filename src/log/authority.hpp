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

/// A moment by two clocks: the elapsed time since is the most that either shows.
struct moment {
    std::chrono::nanoseconds boot{};
    time_ms wall{};

    static moment now(clock const& time) { return {time.since_boot(), time.now()}; }
    std::chrono::nanoseconds until(moment later) const
    {
        return std::max<std::chrono::nanoseconds>(later.boot - boot, later.wall - wall);
    }
    std::chrono::nanoseconds elapsed(clock const& time) const { return until(now(time)); }
};

struct authority {
    authority() = default;

    graph_format format;
    stream_id stream;
    stream_metadata metadata;
    etag metadata_tag;
    moment asked;                 ///< When the metadata's request was sent.
    std::optional<time_ms> date;  ///< The store's Date on that answer.

    /// Elapsed is the most that the clocks and the store's own Date show.
    bool fresh(clock const& time, std::optional<time_ms> latest_date) const
    {
        bool const fresh_by_store = !date || !latest_date || *latest_date - *date <= min_age / 2;
        return fresh_by_store && asked.elapsed(time) <= min_age / 2;
    }
};

/// The wall clock, held to the store's Date ± `max_clock_error` where it gave one.
inline constexpr std::chrono::minutes max_clock_error{5};
std::uint64_t held_now_ms(authority const& known, clock const& time);

}  // namespace headwater
