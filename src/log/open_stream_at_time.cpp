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
    auto newest = co_await current();
    if (!newest && !(authority_ && blames_history(newest.error()))) co_return newest.error();
    if (newest && newest->created_at() <= wanted) co_return newest;
    fetched from(store_);
    cost spent;
    sequence too_late;
    if (newest) {
        spent = newest->spent();
        too_late = newest->seq();
    } else {
        // Older history stays readable, whatever has become of the newest record.
        auto const end = co_await sure_end(from);
        if (!end) co_return end.error();
        spent = from.spent();
        too_late = end->next();
    }
    auto there = co_await find_time(wanted, too_late);
    if (!there) co_return there.error();
    co_return snapshot(there->stream(), there->share(), there->degraded(), spent + there->spent());
}

// The last state below `high` that is not too late; a child's may be its parent's. `high` itself is too late, or is no
// state of this history.
task<snapshot> open_stream::find_time(std::uint64_t wanted, sequence high)
{
    fetched from(store_);
    auto opened = co_await refresh(from);
    if (!opened) co_return opened.error();
    auto const& metadata = authority_->metadata;
    time_search search(std::min(metadata.floor, high), high);
    error unread;
    while (auto const next = search.next()) {
        auto seen = co_await fetched_record(from, *next);
        if (!seen && !blames_history(seen.error())) co_return seen.error();
        if (seen) {
            search.seen(*next, seen->created_at > wanted);
            continue;
        }
        auto const rose = co_await floor_rose(from);
        if (!rose) co_return rose.error();
        if (*rose) co_return co_await find_time(wanted, high);  // Nearer to the newest each time.
        search.unreadable(*next);
        unread = seen.error();
    }
    if (search.doubted()) co_return unread;
    auto there = co_await at(search.found());
    if (!there) co_return there.error();
    auto const spent = from.spent() + there->spent();
    if (there->created_at() <= wanted) {
        // The floor has passed what a child forked from: nothing of its history is left here.
        if (there->seq() >= high) co_return before_floor(there->created_at());
        co_return snapshot(there->stream(), there->share(), there->degraded(), spent);
    }
    // The floor was not looked at: only now is it known when that was.
    if (!metadata.parent) co_return before_floor(there->created_at());
    sequence const fork = metadata.parent->seq;
    auto const from_parent = parent();
    if (!from_parent) co_return from_parent.error();
    auto before = co_await (*from_parent)->find_time(wanted, fork.next());
    if (!before) co_return before.error();
    // Between the fork and a floor that has risen above it.
    if (before->seq() == fork && fork < metadata.floor) co_return before_floor(there->created_at());
    co_return snapshot(before->stream(), before->share(), before->degraded(), spent + before->spent());
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
