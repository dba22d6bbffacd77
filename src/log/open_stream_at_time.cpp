// Time travel by time: the newest state bounds the search, each step reads one record, and the end is a read by seq.
#include "src/format/object_layout.hpp"
#include "src/log/open_stream.hpp"
#include "src/log/time_search.hpp"

#include <algorithm>

namespace headwater {

task<snapshot> open_stream::at(time_ms time)
{
    // Before 1970 is before everything.
    auto const wanted = static_cast<std::uint64_t>(std::max<std::int64_t>(time.time_since_epoch().count(), 0));
    auto const too_late = [wanted](std::uint64_t created_at) { return created_at > wanted; };
    fetched from(store_);
    auto newest = co_await current();
    if (!newest) co_return newest.error();
    if (!too_late(newest->created_at())) co_return newest;
    time_search search(authority_->metadata.floor, newest->seq());
    while (auto const next = search.next()) {
        auto seen = co_await fetched_record(from, *next);
        if (!seen) co_return seen.error();
        search.seen(*next, too_late(seen->created_at));
    }
    auto const seq = search.found();
    auto there = co_await at(seq);
    if (!there) co_return there.error();
    // The floor was not looked at: only now is it known when that was.
    if (too_late(there->created_at())) co_return before_floor(there->created_at());
    co_return snapshot(there->stream(), there->share(), there->degraded(),
                       newest->spent() + from.spent() + there->spent());
}

error open_stream::before_floor(std::uint64_t created_at) const
{
    auto const floor = std::to_string(authority_->metadata.floor.value());
    diagnostics why("read", layout::metadata(authority_->stream).text(),
                    "the time is before that of the floor " + floor + ", the oldest state that is kept");
    why.facts.emplace_back("floor", floor);
    why.facts.emplace_back("floor_created_at", std::to_string(created_at));
    return {errc::pruned, std::move(why)};
}

}  // namespace headwater
