// cleanup_plan: what retention decides: how far a floor may rise, whether it may rise now, and what may be deleted now.
// FORMAT section 4, "Retention" and "Floor". Pure; cleanup.cpp acts on it.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/names.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace headwater {

/// What the cut of one stream depends on.
struct cut_facts {
    sequence floor;
    sequence newest;             ///< The true latest record, never the hint's; the floor if there is none.
    std::uint64_t interval = 1;  ///< The graph's `checkpoint_interval`.
    std::optional<std::uint64_t> keep;
    bool by_age = false;                      ///< `--older-than` was given;
    std::optional<sequence> oldest_kept;      ///< and this is the least record that it keeps.
    std::optional<sequence> oldest_young;     ///< The least record that is younger than min_age.
    std::optional<sequence> least_live_fork;  ///< Where the first live child left this stream.
};

/// Where the floor may go: the greatest boundary below the oldest record kept and below any young one, at or below
/// every live child's fork; the present floor if there is nothing to gain.
sequence cut_of(cut_facts const& facts);

/// What may happen to a floor now.
struct floor_step {
    bool sweep = false;          ///< Delete what the present floor covers.
    bool raise = false;          ///< Then raise it to the cut.
    std::optional<time_ms> due;  ///< When what is covered, or will be, may go; nothing: nothing is left.
    friend bool operator==(floor_step const&, floor_step const&) = default;
};

/// `stands_since`: the metadata's Last-Modified, or nothing if unknown: then it is young. `covered`: anything stands
/// under the floor. `grace`: min_age, or 0 when nobody else is at work.
floor_step step_of(sequence floor, sequence cut, bool covered, std::optional<time_ms> stands_since, time_ms now,
                   std::chrono::milliseconds grace);

/// How long to sleep until the store's clock, which shows `now`, has passed `due`: never less than the whole seconds
/// that a store's times are told in, never more than min_age beyond that. Who wakes looks again.
std::chrono::milliseconds wait_for(time_ms due, time_ms now);

}  // namespace headwater
