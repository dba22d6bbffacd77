// Checkpoints and records in one ascending order.
#include "src/upkeep/retained_walk.hpp"

#include "src/format/object_layout.hpp"

#include <algorithm>

namespace headwater {

namespace {

error unreadable(object_key const& key, error const& why)
{
    auto const code = why == errc::not_found ? error_code(errc::history_gap) : why.code();
    return {code, diagnostics("cleanup", key.text(),
                              "what is retained cannot be read, so all that it may name stays; see `headwater verify`: "
                                  + why.message())};
}

}  // namespace

void retained_walk::take_schema(std::optional<schema_identity> const& schema)
{
    if (!schema) return;
    constexpr std::string_view scheme = "sha256:";
    std::string_view named = schema->content_hash;
    if (named.starts_with(scheme)) named.remove_prefix(scheme.size());
    schemas_.emplace(named);
}

result<void> retained_walk::emit(table_identity table, std::string const& key, pin const& version)
{
    auto const [at, fresh] = last_.try_emplace(table, version);
    if (!fresh && at->second == version) return {};
    at->second = version;
    if (!sink_) return {};
    root one;
    one.table = table;
    one.table_key = key;
    one.location = locations_[table];
    one.version = version;
    return sink_(one);
}

result<void> retained_walk::take_record(record const& one, bool rooted)
{
    take_schema(one.schema);
    if (one.origin && one.origin->source_stream) sources_.insert(*one.origin->source_stream);
    for (auto const& each : one.registrations) locations_[each.table] = each.location;
    if (lacks_ && rooted && one.carried) {
        lacks_ = false;
        if (auto taken = take_heads(one.carried->heads); !taken) return taken;
    }
    for (auto const& each : one.pins) {
        if (!rooted) continue;
        if (auto emitted = emit(each.table, each.table_key, each.version); !emitted) return emitted;
    }
    return {};
}

result<void> retained_walk::take_heads(std::vector<head> const& heads)
{
    for (auto const& each : heads) {
        locations_[each.table] = each.location;
        if (!each.version) continue;
        if (auto emitted = emit(each.table, each.table_key, *each.version); !emitted) return emitted;
    }
    return {};
}

// A set's name is the digest of all tombstones at its boundary. A branch that forks here, or a publisher that is late,
// may name it before this is noticed.
void retained_walk::fold(record const& one, std::uint64_t interval, sequence newest)
{
    if (!content_ || !content_->apply(one)) {
        content_.reset();
        sets_complete_ = false;
        return;
    }
    bool const named = is_boundary(one.seq, interval) || one.seq == newest;
    if (named) sets_.insert(content_->tombstone_digest().hex());
}

task<void> retained_walk::take_checkpoint(stream_id stream, sequence seq, retained_part const& part)
{
    auto found = co_await read_checkpoint(store_, stream, seq);
    if (!found) co_return found.error();
    if (!found->verified) co_return unreadable(layout::checkpoint(stream, seq), found->verified.error());
    auto const& value = *found->value;
    take_schema(value.header.schema);
    if (value.tombstoned.set) sets_.insert(*value.tombstoned.set);
    sets_.insert(value.tombstoned.digest.hex());
    if (auto taken = take_heads(value.heads); !taken) co_return taken.error();
    if (part.may_grow && seq == part.records_above) content_ = std::move(*found->verified);
    co_return result<void>();
}

task<void> retained_walk::walk(stream_id stream, stream_facts const& facts, std::uint64_t interval, retained_part part)
{
    locations_.clear();
    last_.clear();
    content_.reset();
    lacks_ = part.may_lack;
    if (part.may_grow && part.records_above == sequence()) content_.emplace();
    auto next_checkpoint = facts.checkpoints.first_from(part.checkpoints_from);
    auto next = part.records_above.next();
    for (;;) {
        while (next_checkpoint && (*next_checkpoint < next || next > part.newest)) {
            auto const at = *next_checkpoint;
            bool const skipped = part.seen && at < part.records_above && part.seen->contains(at);
            if (!skipped) {
                auto taken = co_await take_checkpoint(stream, at, part);
                if (!taken) co_return taken.error();
            }
            next_checkpoint = facts.checkpoints.first_from(at.next());
        }
        if (next > part.newest) co_return result<void>();
        // Up to the next checkpoint, which may repeat what the record before it pins.
        auto const last = next_checkpoint ? std::min(*next_checkpoint, part.newest) : part.newest;
        auto const count = std::min<std::uint64_t>(upkeep_page, last.value() - next.value() + 1);
        auto const page = co_await read_records(store_, stream, next, count);
        if (!page) co_return page.error();
        for (auto const& each : *page) {
            bool const gone = !each && each.error() == errc::not_found && part.may_lack;
            if (gone) {
                lacks_ = true;
                next = next.next();
                continue;
            }
            if (!each) co_return unreadable(layout::record(stream, next), each.error());
            if (auto taken = take_record(*each, next > part.roots_above); !taken) co_return taken.error();
            if (part.may_grow) fold(*each, interval, part.newest);
            next = next.next();
        }
    }
}

}  // namespace headwater
