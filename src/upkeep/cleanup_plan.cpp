// Boundaries and ages.
#include "src/upkeep/cleanup_plan.hpp"

#include "src/log/authority.hpp"
#include "src/log/fold.hpp"

#include <algorithm>

namespace headwater {

namespace {

/// Last-Modified and Date may be whole seconds.
constexpr std::chrono::milliseconds date_slack{2'000};

}  // namespace

sequence cut_of(cut_facts const& facts)
{
    if (facts.newest <= facts.floor || (!facts.keep && !facts.by_age)) return facts.floor;
    auto const newest = facts.newest.value();
    auto least = newest;  // The newest record is always kept.
    if (facts.keep) least = newest - std::min(newest, std::max<std::uint64_t>(*facts.keep, 1)) + 1;
    if (facts.oldest_kept) least = std::min(least, facts.oldest_kept->value());
    if (facts.oldest_young) least = std::min(least, facts.oldest_young->value());
    auto cut = boundary_at(sequence(std::max<std::uint64_t>(least, 1) - 1), facts.interval);
    if (facts.least_live_fork) cut = std::min(cut, boundary_at(*facts.least_live_fork, facts.interval));
    return std::max(cut, facts.floor);
}

floor_step step_of(sequence floor, sequence cut, bool covered, std::optional<time_ms> stands_since, time_ms now,
                   std::chrono::milliseconds grace)
{
    bool const quiesced = grace.count() == 0;
    auto const since = stands_since.value_or(now);
    bool const stood = quiesced || now - since >= grace;
    floor_step out;
    out.sweep = covered && stood;
    out.raise = cut > floor && (stood || !covered);
    if (quiesced) return out;
    if (out.raise) {
        out.due = now + grace;
    } else if (covered && !stood) {
        out.due = since + grace;
    }
    return out;
}

std::chrono::milliseconds wait_for(time_ms due, time_ms now)
{
    return std::clamp<std::chrono::milliseconds>(due - now, std::chrono::milliseconds(0), min_age) + date_slack;
}

}  // namespace headwater
