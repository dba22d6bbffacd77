// Two sorted lists against each other, twice; the records once more from the oldest base.
#include <headwater/heads.hpp>

#include "src/log/fold.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>

namespace headwater {

namespace {

using head_kind = head_finding::kind_type;

std::string named(table_identity table, std::string const& key)
{
    return "table " + std::to_string(table.stable_table_id) + '/' + std::to_string(table.incarnation)
           + (key.empty() ? "" : " (" + key + ')');
}

class findings {
public:
    void add(head_kind what, table_identity table, std::string detail)
    {
        auto& one = found_.emplace_back();
        one.kind = what;
        one.table = table;
        one.detail = std::move(detail);
    }
    std::vector<head_finding> take() { return std::move(found_); }

private:
    std::vector<head_finding> found_;
};

// What is wrong with a list of live heads by itself.
void check_alone(std::span<head const> live, findings& out)
{
    std::map<std::uint64_t, table_identity> ids;
    std::map<std::string_view, table_identity> keys;
    for (auto const& each : live) {
        bool const named_whole = each.table.stable_table_id != 0 && each.table.incarnation != 0;
        bool const whole = named_whole && !each.table_key.empty() && !each.location.empty();
        if (!whole) out.add(head_kind::malformed, each.table, named(each.table, each.table_key) + " has an empty part");
        auto const [same_id, new_id] = ids.emplace(each.table.stable_table_id, each.table);
        if (!new_id)
            out.add(head_kind::duplicate, each.table, "a second live head beside " + named(same_id->second, {}));
        auto const [same_key, new_key] = keys.emplace(each.table_key, each.table);
        if (!new_key) {
            out.add(head_kind::duplicate, each.table,
                    each.table_key + " is the key of " + named(same_key->second, {}) + " too");
        }
    }
}

head const* find_in(std::span<head const> heads, table_identity table)
{
    auto const at = std::ranges::find(heads, table, &head::table);
    return at == heads.end() ? nullptr : &*at;
}

void compare_heads(std::span<head const> live, std::span<head const> by_records, findings& out)
{
    auto left = live.begin();
    auto right = by_records.begin();
    while (left != live.end() || right != by_records.end()) {
        bool const more = right == by_records.end() || (left != live.end() && left->table < right->table);
        bool const fewer = left == live.end() || (right != by_records.end() && right->table < left->table);
        if (more) {
            out.add(head_kind::unexpected, left->table,
                    named(left->table, left->table_key) + " is live; the records say no");
        } else if (fewer) {
            out.add(head_kind::missing, right->table,
                    named(right->table, right->table_key) + " is live by the records");
        } else if (canonical_bytes(*left) != canonical_bytes(*right)) {
            out.add(head_kind::mismatched, left->table,
                    named(left->table, left->table_key) + " is not what the records lead to");
        }
        if (!fewer) ++left;
        if (!more) ++right;
    }
}

void compare_tombstones(std::span<tombstone const> dropped, std::span<tombstone const> by_records, findings& out)
{
    auto left = dropped.begin();
    auto right = by_records.begin();
    while (left != dropped.end() || right != by_records.end()) {
        bool const more = right == by_records.end() || (left != dropped.end() && left->table < right->table);
        bool const fewer = left == dropped.end() || (right != by_records.end() && right->table < left->table);
        if (more) {
            out.add(head_kind::stray_tombstone, left->table,
                    named(left->table, left->table_key) + " has a tombstone; no record drops it");
        } else if (fewer) {
            out.add(head_kind::lost_tombstone, right->table,
                    named(right->table, right->table_key) + " was dropped at seq " + std::to_string(right->seq.value())
                        + " and has no tombstone");
        } else if (canonical_bytes(*left) != canonical_bytes(*right)) {
            out.add(head_kind::mismatched, left->table,
                    "the tombstone of " + named(left->table, left->table_key) + " is not what its record leaves");
        }
        if (!fewer) ++left;
        if (!more) ++right;
    }
}

}  // namespace

std::string_view to_string(head_finding::kind_type kind) noexcept
{
    switch (kind) {
    case head_kind::missing: return "missing";
    case head_kind::unexpected: return "unexpected";
    case head_kind::duplicate: return "duplicate";
    case head_kind::mismatched: return "mismatched";
    case head_kind::malformed: return "malformed";
    case head_kind::lost_tombstone: return "lost_tombstone";
    case head_kind::stray_tombstone: return "stray_tombstone";
    }
    return "unknown";
}

std::vector<head_finding> check_expected(std::span<head const> live, std::span<expected_head const> expected)
{
    findings out;
    check_alone(live, out);
    std::map<table_identity, bool> asked;
    for (auto const& each : expected) {
        if (!asked.emplace(each.table, true).second) {
            out.add(head_kind::duplicate, each.table, named(each.table, {}) + " is expected twice");
            continue;
        }
        head const* const found = find_in(live, each.table);
        if (!found) {
            out.add(head_kind::missing, each.table, named(each.table, each.table_key.value_or("")) + " is not live");
            continue;
        }
        if (each.table_key && *each.table_key != found->table_key) {
            out.add(head_kind::mismatched, each.table,
                    named(each.table, {}) + " is called " + found->table_key + ", not " + *each.table_key);
        }
        if (each.schema_hash && each.schema_hash != found->schema_hash) {
            out.add(head_kind::mismatched, each.table,
                    named(each.table, found->table_key) + " has the schema hash " + found->schema_hash.value_or("none")
                        + ", not " + *each.schema_hash);
        }
    }
    return out.take();
}

std::vector<head_finding> check_heads(std::span<head const> live, std::span<tombstone const> dropped,
                                      std::span<head const> live_by_records,
                                      std::span<tombstone const> dropped_by_records)
{
    findings out;
    check_alone(live, out);
    compare_heads(live, live_by_records, out);
    compare_tombstones(dropped, dropped_by_records, out);
    for (auto const& each : dropped) {
        if (find_in(live, each.table)) {
            out.add(head_kind::stray_tombstone, each.table, named(each.table, each.table_key) + " is live and dropped");
        }
    }
    return out.take();
}

task<std::vector<head_finding>> verify_heads(reader& from, snapshot when)
{
    auto const dropped = co_await from.tombstones(when);
    if (!dropped) co_return dropped.error();
    if (!from.floor()) {
        auto const opened = co_await from.at(when.seq());
        if (!opened) co_return opened.error();
    }
    sequence const floor = *from.floor();
    auto ancestor = when.seq() < floor ? from.of_ancestor(when) : std::optional<reader>();
    if (ancestor) co_return co_await verify_heads(*ancestor, std::move(when));
    if (when.seq() < floor) {
        co_return error(errc::pruned, "no records lead to seq " + std::to_string(when.seq().value())
                                          + ": it is below the branch's floor " + std::to_string(floor.value()));
    }
    auto const base = co_await from.at(floor);
    if (!base) co_return base.error();
    auto by_records = co_await from.tombstones(*base);
    if (!by_records) co_return by_records.error();
    state content = base->content();
    while (content.header().seq < when.seq()) {
        auto const seq = content.header().seq.value();
        auto const count = std::min<std::uint64_t>(reader::max_history_page, when.seq().value() - seq);
        auto page = co_await from.history(sequence(seq + count), count);
        if (!page) co_return page.error();
        if (page->size() < count)
            co_return error(errc::pruned, "the floor rose while the records were read; try again");
        for (auto const& each : std::views::reverse(*page)) {
            if (auto applied = content.apply(each); !applied) co_return applied.error();
        }
    }
    // The base's own are in its list already.
    auto const later = [&](tombstone const& each) { return each.seq > base->seq(); };
    std::ranges::copy_if(content.recent(), std::back_inserter(*by_records), later);
    std::ranges::sort(*by_records, {}, &tombstone::table);
    co_return check_heads(when.heads(), *dropped, content.table().heads(), *by_records);
}

}  // namespace headwater
