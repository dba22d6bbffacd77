// Keeps heads, tombstones, digest and base in step; every change goes through `advance`.
#include "src/log/fold.hpp"

#include "src/format/object_layout.hpp"

#include <algorithm>
#include <iterator>

namespace headwater {

namespace {

std::string id_or_none(std::optional<commit_id> const& id) { return id ? id->text() : "none"; }

set_digest digest_over(std::vector<tombstone> const& stones)
{
    set_digest sum;
    for (auto const& each : stones) sum.add(canonical_bytes(each));
    return sum;
}

error at_record(record const& where, error const& what)
{
    return with(what, [&](diagnostics& why) {
        why.operation = "fold";
        if (auto stream = stream_id::parse(where.stream)) why.key = layout::record(*stream, where.seq).text();
    });
}

bool by_identity(tombstone const& left, tombstone const& right) { return left.table < right.table; }

std::vector<std::uint64_t> touched_by(carry const& net)
{
    std::vector<std::uint64_t> ids;
    ids.reserve(net.heads.size() + net.tombstones.size());
    for (auto const& each : net.heads) ids.push_back(each.table.stable_table_id);
    for (auto const& each : net.tombstones) ids.push_back(each.table.stable_table_id);
    std::ranges::sort(ids);
    auto const rest = std::ranges::unique(ids);
    ids.erase(rest.begin(), rest.end());
    return ids;
}

state_header header_of(record const& from)
{
    state_header out;
    out.seq = from.seq;
    out.head_commit_id = from.id;
    out.created_at = from.created_at;
    out.schema = from.schema;
    return out;
}

}  // namespace

result<state> state::from(checkpoint value)
{
    state out;
    out.header_ = std::move(value.header);
    out.table_ = head_table(std::move(value.heads));
    out.tombstone_count_ = value.tombstoned.count;
    out.tombstones_ = value.tombstoned.digest;
    out.recent_ = std::move(value.tombstoned.since);
    out.base_set_ = out.tombstones_;
    out.base_set_.subtract(digest_over(out.recent_));
    out.base_ = out.header_.seq;
    if (value.tombstoned.set != out.base_set()) {
        return error(errc::corrupt, "the checkpoint's tombstone set and digest disagree");
    }
    if (out.digest() != value.state_digest) {
        return error(errc::corrupt, "the checkpoint's content does not have the digest it names");
    }
    return out;
}

set_digest state::digest() const
{
    set_digest sum = table_.digest();
    sum.add(tombstones_);
    sum.add(canonical_bytes(header_));
    return sum;
}

std::optional<std::string> state::base_set() const
{
    if (base_set_ == set_digest()) return std::nullopt;
    return base_set_.hex();
}

void state::bury(std::vector<tombstone> const& stones)
{
    for (auto const& each : stones) {
        tombstones_.add(canonical_bytes(each));
        recent_.insert(std::ranges::upper_bound(recent_, each, by_identity), each);
    }
    tombstone_count_ += stones.size();
}

void state::touch(std::vector<std::uint64_t> const& ids)
{
    std::vector<std::uint64_t> merged;
    merged.reserve(touched_.size() + ids.size());
    std::ranges::set_union(touched_, ids, std::back_inserter(merged));
    touched_ = std::move(merged);
}

result<void> state::advance(head_changes const& wanted, state_header next, errc refusal)
{
    auto delta = table_.change(wanted, next.seq, *next.head_commit_id, refusal);
    if (!delta) return delta.error();
    touch(delta->touched);
    bury(delta->dropped);
    header_ = std::move(next);
    return {};
}

result<void> state::apply(record const& next)
{
    if (next.parent != header_.head_commit_id) {
        error const broken(errc::history_gap, "the record's parent is " + id_or_none(next.parent)
                                                  + ", but the record before it is "
                                                  + id_or_none(header_.head_commit_id));
        return at_record(next, broken);
    }
    auto done = advance(head_changes::of(next), header_of(next), errc::corrupt);
    if (!done) return at_record(next, done.error());
    return {};
}

result<void> state::apply(intent const& wanted, state_header next)
{
    return advance(head_changes::of(wanted), std::move(next), errc::invalid_argument);
}

result<void> state::leap(record const& carrier)
{
    carry const& net = *carrier.carried;
    for (auto const& stone : net.tombstones) {
        head const* before = table_.find(stone.table.stable_table_id);
        if (before && before->table == stone.table) table_.erase(stone.table.stable_table_id);
    }
    for (auto const& each : net.heads) table_.put(each);
    touch(touched_by(net));
    bury(net.tombstones);
    auto done = advance(head_changes::of(carrier), header_of(carrier), errc::corrupt);
    if (!done) return at_record(carrier, done.error());
    if (carrier.state_digest != digest()) {
        return at_record(carrier, error(errc::corrupt, "the carried state does not have the digest it names"));
    }
    return {};
}

carry state::since_base() const
{
    carry out;
    out.base = base_;
    for (auto const id : touched_) {
        if (head const* value = table_.find(id)) out.heads.push_back(*value);
    }
    std::ranges::copy_if(recent_, std::back_inserter(out.tombstones),
                         [&](tombstone const& each) { return each.seq > base_; });
    return out;
}

checkpoint state::to_checkpoint(std::string stream, std::uint64_t interval) const
{
    checkpoint out;
    out.stream = std::move(stream);
    out.header = header_;
    out.heads = table_.heads();
    out.tombstoned.count = tombstone_count_;
    out.tombstoned.digest = tombstones_;
    auto const boundary = boundary_at(header_.seq, interval);
    std::ranges::copy_if(recent_, std::back_inserter(out.tombstoned.since),
                         [&](tombstone const& each) { return each.seq > boundary; });
    set_digest set = tombstones_;
    set.subtract(digest_over(out.tombstoned.since));
    if (set != set_digest()) out.tombstoned.set = set.hex();
    out.state_digest = digest();
    return out;
}

std::vector<tombstone> state::beyond_base_set(std::uint64_t interval) const
{
    std::vector<tombstone> out;
    auto const boundary = boundary_at(header_.seq, interval);
    std::ranges::copy_if(recent_, std::back_inserter(out), [&](tombstone const& each) { return each.seq <= boundary; });
    return out;
}

// Tombstones up to `boundary` are in a set object from now on.
void state::move_set(sequence boundary)
{
    auto const old = [&](tombstone const& each) { return each.seq <= boundary; };
    for (auto const& each : recent_) {
        if (old(each)) base_set_.add(canonical_bytes(each));
    }
    std::erase_if(recent_, old);
}

void state::rebase(std::uint64_t interval)
{
    move_set(boundary_at(header_.seq, interval));
    base_ = header_.seq;
    touched_.clear();
}

void state::adopt_base(record const& last, std::uint64_t interval)
{
    if (!last.carried || last.carried->base <= base_) return;
    std::vector<std::uint64_t> since = touched_by(*last.carried);
    for (auto const& each : last.tombstones) since.push_back(each.table.stable_table_id);
    for (auto const& each : last.renames) since.push_back(each.table.stable_table_id);
    for (auto const& each : last.registrations) since.push_back(each.table.stable_table_id);
    for (auto const& each : last.pins) since.push_back(each.table.stable_table_id);
    std::ranges::sort(since);
    auto const rest = std::ranges::unique(since);
    since.erase(rest.begin(), rest.end());
    // What changed since a newer base is part of what changed since an older one; a carry that says otherwise lies.
    if (!std::ranges::includes(touched_, since)) return;
    move_set(boundary_at(last.carried->base, interval));
    base_ = last.carried->base;
    touched_ = std::move(since);
}

}  // namespace headwater
