// Upwards to the newest record, then downwards to the floor or the key, a page at a time.
#include "src/log/key_window.hpp"

#include "src/base/sha256.hpp"
#include "src/format/object_layout.hpp"

#include <algorithm>

namespace headwater {

void key_window::keep(record const& one)
{
    if (!one.idempotency_key) return;
    auto const [at, is_new] = keys_.try_emplace(sha256(*one.idempotency_key), place{one.seq, one.id});
    // The first commit answers, should an unmindful writer have made a second.
    if (!is_new && one.seq < at->second.seq) at->second = {one.seq, one.id};
}

void key_window::note(record const& next)
{
    if (high_ == sequence() || next.seq != high_.next()) return;
    keep(next);
    high_ = next.seq;
}

// The records in (low, high], at most a page.
task<void> key_window::read(object_store& store, stream_id stream, sequence low, sequence high, cost& spent)
{
    fetched from(store);
    std::vector<wanted_object> round;
    for (auto at = low.next(); at <= high; at = at.next()) {
        round.emplace_back(layout::record(stream, at), max_record_bytes);
    }
    co_await from.fetch(std::move(round));
    spent = spent + from.spent();
    for (auto at = low.next(); at <= high; at = at.next()) {
        auto const key = layout::record(stream, at);
        auto const& answer = from.get(key);
        if (!answer && answer.error() == errc::not_found) {
            co_return error(errc::history_gap, diagnostics("publish", key.text(),
                                                           "a record that must exist is missing; whether it had "
                                                           "the idempotency key cannot be known"));
        }
        if (!answer) co_return answer.error();
        auto one = decode_record(answer->content.view(), stream, at);
        if (!one) co_return one.error();
        keep(*one);
    }
    co_return result<void>();
}

task<std::optional<position>> key_window::find(object_store& store, stream_id stream, sequence floor, sequence newest,
                                               std::string key, cost& spent)
{
    // What is at or below the floor is void, and its key is free again.
    if (newest <= floor) co_return std::optional<position>();
    if (floor != floor_ || high_ == sequence()) {
        keys_.clear();
        floor_ = floor;
        low_ = high_ = newest;
    }
    while (high_ < newest) {
        auto const next = std::min(sequence(high_.value() + page), newest);
        auto done = co_await read(store, stream, high_, next, spent);
        if (!done) co_return done.error();
        high_ = next;
    }
    auto const wanted = sha256(key);
    while (!keys_.contains(wanted) && low_ > floor) {
        if (high_.value() - low_.value() >= max_key_records) {
            co_return error(errc::limit_exceeded, "max_key_records reached: an idempotency key is looked for in that "
                                                  "many records at most; `cleanup` shortens the history");
        }
        auto const next = std::max(floor, sequence(low_.value() - std::min<std::uint64_t>(page, low_.value())));
        auto done = co_await read(store, stream, next, low_, spent);
        if (!done) co_return done.error();
        low_ = next;
    }
    auto const found = keys_.find(wanted);
    if (found == keys_.end()) co_return std::optional<position>();
    position out;
    out.stream = stream;
    out.seq = found->second.seq;
    out.id = found->second.id;
    co_return std::optional(std::move(out));
}

}  // namespace headwater
