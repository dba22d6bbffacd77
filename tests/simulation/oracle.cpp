// What each write may do, and what each answer must be.
#include "tests/simulation/oracle.hpp"

#include <headwater/checkpoint.hpp>

#include <charconv>
#include <limits>
#include <variant>

namespace headwater::simulation {

namespace {

[[noreturn]] void broken(std::string const& what) { throw broken_promise(what); }

struct record_place {
    std::string stream;
    std::uint64_t seq = 0;
};
struct checkpoint_place {
    std::string stream;
    std::uint64_t seq = 0;
};
struct metadata_place {
    std::string stream;
};
struct fixed_place {};    // Must never go: names, format.json.
struct derived_place {};  // May come and go: hints, tombstone sets.
using place_of_key = std::variant<derived_place, fixed_place, record_place, checkpoint_place, metadata_place>;

std::string decoded(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        int value = 0;
        std::from_chars(text.data() + at + 1, text.data() + at + 3, value, 16);
        out += static_cast<char>(value);
        at += 2;
    }
    return out;
}

std::uint64_t number(std::string_view digits)
{
    std::uint64_t out = 0;
    auto const end = digits.data() + digits.size();
    if (auto const [at, wrong] = std::from_chars(digits.data(), end, out); at != end || wrong != std::errc()) {
        broken("a key that is no key: " + std::string(digits));
    }
    return out;
}

bool take(std::string_view& from, std::string_view prefix)
{
    if (!from.starts_with(prefix)) return false;
    from.remove_prefix(prefix.size());
    return true;
}

bool drop_end(std::string_view& from, std::string_view suffix)
{
    if (!from.ends_with(suffix)) return false;
    from.remove_suffix(suffix.size());
    return true;
}

place_of_key place_of(std::string_view key)
{
    if (!take(key, "_graph/")) return derived_place{};
    if (key == "format.json" || key.starts_with("names/")) return fixed_place{};
    if (key.starts_with("tombstones/")) return derived_place{};
    if (take(key, "streams/") && drop_end(key, ".json")) return metadata_place{decoded(key)};
    auto const slash = key.find('/');
    auto const stream = decoded(key.substr(0, slash));
    key.remove_prefix(slash + 1);
    if (drop_end(key, ".commit")) {
        return record_place{stream, std::numeric_limits<std::uint64_t>::max() - number(key)};
    }
    if (take(key, "checkpoints/") && drop_end(key, ".json")) return checkpoint_place{stream, number(key)};
    return derived_place{};
}

void apply(tables_now& tables, record const& change)
{
    for (auto const& each : change.tombstones) tables.erase(each.table.stable_table_id);
    for (auto const& each : change.renames) tables.at(each.table.stable_table_id).table_key = each.to;
    for (auto const& each : change.registrations) {
        tables[each.table.stable_table_id] = {each.table.incarnation, each.table_key, {}};
    }
    for (auto const& each : change.pins) {
        tables.at(each.table.stable_table_id).version = each.version.target_version;
    }
}

tables_now tables_of(std::span<head const> heads)
{
    tables_now out;
    for (auto const& each : heads) {
        std::optional<std::uint64_t> version;
        if (each.version) version = each.version->target_version;
        out[each.table.stable_table_id] = {each.table.incarnation, each.table_key, version};
    }
    return out;
}

stream_id named(std::string const& stream) { return stream_id::parse(stream).value(); }

}  // namespace

sequence oracle::floor(std::string const& stream) const
{
    auto const at = lives_.find(stream);
    return at == lives_.end() || !at->second.metadata ? sequence() : at->second.metadata->floor;
}

bool oracle::retired(std::string const& stream) const
{
    auto const at = lives_.find(stream);
    return at != lives_.end() && at->second.metadata && at->second.metadata->retired;
}

sequence oracle::newest(std::string const& stream) const
{
    auto const at = lives_.find(stream);
    if (at == lives_.end()) return {};
    if (!at->second.commits.empty()) return sequence(at->second.commits.rbegin()->first);
    return at->second.metadata && at->second.metadata->parent ? at->second.metadata->parent->seq : sequence();
}

sequence oracle::beginning(std::string const& stream) const
{
    auto const& metadata = lives_.at(stream).metadata;
    return metadata && metadata->parent ? metadata->parent->seq.next() : sequence(1);
}

bool oracle::ends_at(std::string const& stream, sequence seq) const
{
    auto const& commits = lives_.at(stream).commits;
    auto const at = commits.find(seq.value());
    return at != commits.end() && at->second.retires;
}

// The model's state before the record at `seq`: of the record before it, or of the parent at a child's fork.
tables_now oracle::state_before(std::string const& stream, std::uint64_t seq) const
{
    if (seq <= 1) return {};
    auto const& life = lives_.at(stream);
    if (auto const at = life.commits.find(seq - 1); at != life.commits.end()) return at->second.tables;
    if (life.metadata && life.metadata->parent) {
        auto const& parent = lives_.at(life.metadata->parent->stream);
        if (auto const at = parent.commits.find(seq - 1); at != parent.commits.end()) return at->second.tables;
        return state_before(life.metadata->parent->stream, seq);
    }
    broken("nothing stands before seq " + std::to_string(seq) + " of " + stream);
}

void oracle::wrote(std::string const& key, bytes const& content)
{
    auto const place = place_of(key);
    if (std::holds_alternative<record_place>(place) && objects_.contains(key)) {
        if (objects_.at(key).view() != content.view()) broken("a record was overwritten: " + key);
    }
    objects_.insert_or_assign(key, content);
    if (auto const* one = std::get_if<record_place>(&place)) wrote_record(one->stream, one->seq, content);
    if (auto const* one = std::get_if<checkpoint_place>(&place)) wrote_checkpoint(one->stream, one->seq, content);
    if (auto const* one = std::get_if<metadata_place>(&place)) wrote_metadata(one->stream, content);
}

void oracle::wrote_record(std::string const& stream, std::uint64_t seq, bytes const& content)
{
    // Void, whatever it says: below the floor, or later than the end of its stream.
    if (seq <= floor(stream).value() || retired(stream)) return;
    auto const where = "seq " + std::to_string(seq) + " of " + stream;
    auto const value = decode_record(content.view(), named(stream), sequence(seq)).value();
    auto& life = lives_[stream];
    if (auto const at = life.commits.find(seq); at != life.commits.end()) {
        if (at->second.id != value.id) broken("two commits took " + where);
        return;
    }
    if (seq != newest(stream).value() + 1) broken("a record left a gap at " + where);
    if (auto const at = life.commits.find(seq - 1); at != life.commits.end() && value.parent != at->second.id) {
        broken("the chain breaks at " + where);
    }
    auto mark = value.actor.value_or("");
    if (value.origin && value.origin->kind == lineage::kind_type::retire) mark.clear();
    if (denied_.contains(mark)) broken("a commit came after its writer was told that it failed: " + mark);
    bool const retires = value.origin && value.origin->kind == lineage::kind_type::retire;
    commit one{value.id, mark, state_before(stream, seq), {}, retires};
    apply(one.tables, value);
    if (value.parent) one.parents.push_back(*value.parent);
    bool const merges = value.origin && !retires;
    if (merges) one.parents.push_back(value.origin->merged_parent_commit_id);
    if (merges) check_merge({stream, seq}, value, one.tables);
    by_id_.emplace(value.id, one);
    life.commits.emplace(seq, std::move(one));
    if (mark.empty()) return;
    position at;
    at.stream = named(stream);
    at.seq = sequence(seq);
    at.id = value.id;
    if (!marks_.emplace(mark, at).second) broken("one publish made two commits: " + mark);
}

void oracle::wrote_checkpoint(std::string const& stream, std::uint64_t seq, bytes const& content)
{
    auto const key = stream + " at " + std::to_string(seq);
    auto const first = checkpoints_.emplace(key, content).first;
    if (first->second.view() != content.view()) broken("two writers made different checkpoints of " + key);
    auto const value = decode_checkpoint(content.view(), named(stream), sequence(seq)).value();
    auto const at = lives_.find(stream);
    if (at == lives_.end() || !at->second.commits.contains(seq)) return;  // Of a fork, before its stream begins.
    if (tables_of(value.heads) != at->second.commits.at(seq).tables) broken("the checkpoint is wrong: " + key);
}

void oracle::wrote_metadata(std::string const& stream, bytes const& content)
{
    auto const value = decode_stream_metadata(content.view(), named(stream)).value();
    auto& life = lives_[stream];
    auto const before = life.metadata;
    life.metadata = value;
    if (!before) return;
    if (value.floor < before->floor) broken("the floor of " + stream + " went down");
    if (before->retired && !(value.retired == before->retired)) broken("the retirement of " + stream + " changed");
    if (value.floor == before->floor) return;
    pruned_ = true;
    if (value.floor >= newest(stream)) broken("the floor of " + stream + " covers its newest record");
    auto const text = std::to_string(value.floor.value());
    auto const digits = std::string(20 - text.size(), '0') + text;
    bool found = false;
    for (auto const& [key, object] : objects_) {
        auto const place = place_of(key);
        auto const* one = std::get_if<checkpoint_place>(&place);
        found = found || (one && one->stream == stream && one->seq == value.floor.value());
    }
    if (!found) broken("the floor of " + stream + " rose to " + digits + ", where there is no checkpoint");
}

void oracle::may_remove(std::string const& stream, std::uint64_t seq, std::uint64_t limit, std::string const& key) const
{
    if (seq <= limit) return;
    if (!retired(stream)) broken("something above the floor was removed: " + key);
    for (auto const& [name, life] : lives_) {
        if (!life.metadata || life.metadata->retired || !life.metadata->parent) continue;
        if (life.metadata->parent->stream == stream) broken("the parent of a live branch was removed: " + key);
    }
}

void oracle::removed(std::string const& key)
{
    if (objects_.erase(key) == 0) return;
    auto const place = place_of(key);
    if (std::holds_alternative<fixed_place>(place) || std::holds_alternative<metadata_place>(place)) {
        broken("an authority was removed: " + key);
    }
    if (auto const* one = std::get_if<record_place>(&place)) {
        pruned_ = true;
        may_remove(one->stream, one->seq, floor(one->stream).value(), key);
    }
    if (auto const* one = std::get_if<checkpoint_place>(&place)) {
        auto const least = floor(one->stream).value();
        may_remove(one->stream, one->seq, least == 0 ? 0 : least - 1, key);
    }
}

void oracle::told_success(std::string const& mark, position const& at) const
{
    auto const found = marks_.find(mark);
    if (found == marks_.end()) broken("a writer was told of a commit that does not stand: " + mark);
    if (!(found->second == at)) broken("a writer was told another position than its commit has: " + mark);
}

void oracle::told_failure(std::string const& mark)
{
    denied_.insert(mark);
    if (marks_.contains(mark)) broken("a writer was told that its commit failed, but it stands: " + mark);
}

void oracle::check_content(snapshot const& now) const
{
    auto const where = "seq " + std::to_string(now.seq().value()) + " of " + now.stream().text();
    auto const expected = state_before(now.stream().text(), now.seq().value() + 1);
    if (tables_of(now.heads()) != expected) broken("a wrong state was read at " + where);
    auto const& life = lives_.at(now.stream().text());
    auto const at = life.commits.find(now.seq().value());
    if (at != life.commits.end() && now.id() != at->second.id) broken("a wrong commit was read at " + where);
}

std::map<std::string, sequence> oracle::all_newest() const
{
    std::map<std::string, sequence> out;
    for (auto const& [stream, life] : lives_) out.emplace(stream, newest(stream));
    return out;
}

void oracle::read(snapshot const& now, std::map<std::string, sequence> const& before) const
{
    auto const at = before.find(now.stream().text());
    if (at != before.end() && now.seq() < at->second) {
        broken("a reader was told that seq " + std::to_string(now.seq().value()) + " of " + now.stream().text()
               + " is the newest, after " + std::to_string(at->second.value()) + " had been made");
    }
    if (now.seq() > newest(now.stream().text())) broken("a reader was shown a void record");
    check_content(now);
}

void oracle::read_at(snapshot const& then, sequence asked) const
{
    if (then.seq() != asked) broken("a reader was given another seq than it asked for");
    check_content(then);
}

}  // namespace headwater::simulation
