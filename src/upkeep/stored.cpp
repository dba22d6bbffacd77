// Reads, then writes under the etag that was read.
#include "src/upkeep/stored.hpp"

#include "src/base/together.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/lives.hpp"
#include "src/upkeep/graph_listing.hpp"

#include <algorithm>

namespace headwater {

namespace {

// What an object's own content can be blamed for; anything else is the store's.
bool of_content(error const& what)
{
    return what == errc::not_found || what == errc::limit_exceeded || what == errc::corrupt;
}

task<healed> put_right(object_store& store, object_key key, bytes content, etag seen)
{
    if (seen.empty()) {
        auto const made = co_await store.put_if_absent(key, content);
        if (!made) co_return made.error();
        co_return made->created ? healed::written : healed::overtaken;
    }
    auto const replaced = co_await store.put_if_match(key, content, seen);
    if (replaced) co_return healed::written;
    if (replaced.error() == errc::precondition_failed) co_return healed::overtaken;
    co_return replaced.error();
}

task<tombstone_set> read_set(object_store& store, std::optional<std::string> named)
{
    fetched from(store);
    checkpoint_writer reading;
    co_return co_await reading.read_set(from, std::move(named));
}

// The set that a checkpoint of `content` names, from the base's set and what was dropped since.
task<std::vector<tombstone>> set_beside_base(object_store& store, state const& content, std::uint64_t interval)
{
    auto base = content.base_set();
    auto known = co_await read_set(store, std::move(base));
    if (!known) co_return known.error();
    auto out = content.beyond_base_set(interval);
    out.insert(out.end(), (*known)->begin(), (*known)->end());
    std::ranges::sort(out, {}, &tombstone::table);
    co_return out;
}

// The same where the base's set is lost too: from an older one.
task<std::vector<tombstone>> right_set(object_store& store, state const& content, stream_id stream,
                                       std::uint64_t interval)
{
    auto near = co_await set_beside_base(store, content, interval);
    if (near || !blames_stored(near.error())) co_return near;
    auto const older = co_await rebuild(store, std::move(stream), content.header().seq, sets_needed::yes);
    if (!older) co_return older.error();
    co_return co_await set_beside_base(store, *older, interval);
}

// Records one by one; each must lead to the state that it names. `reached`, if asked for, is the last that did.
task<state> fold_on(object_store& store, stream_id stream, state content, sequence to, sequence* reached = nullptr)
{
    while (content.header().seq < to) {
        auto const next = content.header().seq.next();
        auto const count = std::min<std::uint64_t>(upkeep_page, to.value() - next.value() + 1);
        auto page = co_await read_records(store, stream, next, count);
        if (!page) co_return page.error();
        for (auto const& each : *page) {
            if (!each) co_return each.error();
            if (auto applied = content.apply(*each); !applied) co_return applied.error();
            if (each->state_digest && *each->state_digest != content.digest()) {
                co_return error(errc::corrupt, diagnostics("fold", layout::record(stream, each->seq).text(),
                                                           "the records do not lead to the state that this one names"));
            }
            if (reached) *reached = each->seq;
        }
    }
    co_return content;
}

// The seq from which on every record up to `to` is there; `to` if its own is not.
sequence whole_below(seq_runs const& records, sequence to)
{
    while (to != sequence() && records.contains(to)) to = sequence(to.value() - 1);
    return to;
}

}  // namespace

task<std::vector<result<record>>> read_records(object_store& store, stream_id stream, sequence first, std::size_t count)
{
    fetched from(store);
    std::vector<result<record>> out;
    for (unsigned round = 0; round != 2; ++round) {
        std::vector<wanted_object> wanted;
        for (std::size_t i = 0; i != count; ++i) {
            auto const key = layout::record(stream, sequence(first.value() + i));
            if (round == 1 && !from.get(key) && from.get(key).error() == errc::not_found) from.forget(key);
            wanted.emplace_back(key, max_record_bytes);
        }
        co_await from.fetch(std::move(wanted));
    }
    for (std::size_t i = 0; i != count; ++i) {
        sequence const seq(first.value() + i);
        auto const& answer = from.get(layout::record(stream, seq));
        if (!answer && !of_content(answer.error())) co_return answer.error();
        out.push_back(answer ? decode_record(answer->content.view(), stream, seq) : result<record>(answer.error()));
    }
    co_return out;
}

task<stored_checkpoint> read_checkpoint(object_store& store, stream_id stream, sequence seq)
{
    get_options how;
    how.max_bytes = max_checkpoint_bytes;
    object_key const key = layout::checkpoint(stream, seq);
    auto answer = co_await store.get(key, how);
    stored_checkpoint out;
    if (!answer && !of_content(answer.error())) co_return answer.error();
    if (!answer) {
        out.value = answer.error();
        out.verified = answer.error();
        co_return out;
    }
    out.content = answer->content;
    out.tag = answer->tag;
    out.value = decode_checkpoint(out.content.view(), stream, seq);
    out.verified = out.value ? state::from(*out.value) : result<state>(out.value.error());
    co_return out;
}

task<state> read_base(object_store& store, stream_id stream, sequence floor)
{
    if (floor == sequence()) co_return state();
    auto const key = layout::checkpoint(stream, floor).text();
    auto found = co_await read_checkpoint(store, std::move(stream), floor);
    if (!found) co_return found.error();
    if (found->verified) co_return std::move(*found->verified);
    auto const& why = found->verified.error();
    auto const code = why == errc::not_found ? errc::history_gap : errc::corrupt;
    co_return error(code, diagnostics("read", key, "the checkpoint at the floor is unusable: " + why.message()));
}

task<state> fold_records(object_store& store, stream_id stream, sequence floor, sequence to)
{
    auto content = co_await read_base(store, stream, floor);
    if (!content) co_return content.error();
    co_return co_await fold_on(store, std::move(stream), std::move(*content), to);
}

bool blames_stored(error const& what) noexcept
{
    return what == errc::not_found || what == errc::corrupt || what == errc::unsupported || what == errc::history_gap
           || what == errc::pruned || what == errc::limit_exceeded;
}

task<state> rebuild(object_store& store, stream_id stream, sequence to, sets_needed sets, unsigned ancestors)
{
    error lost(errc::history_gap, diagnostics("rebuild", layout::record_prefix(stream),
                                              "nothing that is left leads to seq " + std::to_string(to.value())));
    if (ancestors == max_ancestors) co_return error(errc::limit_exceeded, "max_ancestors reached");
    auto const of = co_await read_life(store, stream);
    if (!of) co_return of.error();
    age_limits const ageless;
    auto const facts = co_await list_stream(store, stream, ageless);
    if (!facts) co_return facts.error();
    sequence const first = whole_below(facts->records, to);
    std::optional<sequence> at = to;
    std::optional<sequence> newer;  // The base that was tried before.
    while (at && *at > first) {
        at = facts->checkpoints.last_to(sequence(at->value() - 1));
        if (!at || *at < first) break;
        auto found = co_await read_checkpoint(store, stream, *at);
        if (!found) co_return found.error();
        if (!found->verified) continue;
        if (sets == sets_needed::yes) {
            auto named = found->verified->base_set();
            auto const there = co_await read_set(store, std::move(named));
            if (!there && !blames_stored(there.error())) co_return there.error();
            if (!there) continue;
        }
        state base = std::move(*found->verified);
        sequence reached = *at;
        auto content = co_await fold_on(store, stream, std::move(base), to, &reached);
        if (content || !blames_stored(content.error())) co_return content;
        lost = content.error();
        // Past the place of a newer base it is the records that lead nowhere, and so from any older one.
        if (newer && reached >= *newer) co_return lost;
        newer = at;
    }
    auto const& parent = of->metadata.parent;
    sequence const fork = parent ? parent->seq : sequence();
    if (first > fork || to < fork) co_return lost;
    state start;
    if (parent) {
        auto from = stream_id::parse(parent->stream);
        if (!from) co_return from.error();
        auto inherited = co_await rebuild(store, std::move(*from), fork, sets, ancestors + 1);
        if (!inherited) co_return inherited.error();
        if (inherited->header().head_commit_id != parent->id) co_return lost;
        start = std::move(*inherited);
    }
    co_return co_await fold_on(store, std::move(stream), std::move(start), to);
}

task<healed> heal_set(object_store& store, state const& content, stream_id stream, std::uint64_t interval)
{
    auto const named = content.to_checkpoint("", interval).tombstoned.set;
    if (!named) co_return healed::whole;
    get_options how;
    how.max_bytes = max_checkpoint_bytes;
    object_key const key = layout::tombstones(*named);
    auto const present = co_await store.get(key, how);
    if (!present && !of_content(present.error())) co_return present.error();
    if (present && decode_tombstones(present->content.view(), *named)) co_return healed::whole;
    auto const right = co_await right_set(store, content, std::move(stream), interval);
    if (!right) co_return right.error();
    auto encoded = encode_tombstones(*right);
    if (!encoded) co_return encoded.error();
    // What was found below a floor may be somebody else's.
    if (auto same = decode_tombstones(encoded->view(), *named); !same) co_return same.error();
    etag seen = present ? present->tag : etag();
    co_return co_await put_right(store, key, std::move(*encoded), std::move(seen));
}

task<healed> heal_checkpoint(object_store& store, state const& content, stream_id stream, std::uint64_t interval)
{
    auto const set = co_await heal_set(store, content, stream, interval);
    if (!set) co_return set.error();
    auto right = encode(content.to_checkpoint(stream.text(), interval));
    if (!right) co_return right.error();
    auto const found = co_await read_checkpoint(store, stream, content.header().seq);
    if (!found) co_return found.error();
    if (found->content == *right) co_return *set;
    etag seen = found->tag;
    object_key const key = layout::checkpoint(stream, content.header().seq);
    co_return co_await put_right(store, key, std::move(*right), std::move(seen));
}

hint_state judge_hint(std::optional<bytes> const& present, hint_facts const& facts)
{
    if (!present) return hint_state::missing;
    auto const value = decode_hint(present->view());
    if (!value) return hint_state::garbage;
    if (value->seq > facts.newest) return hint_state::ahead;
    if (value->seq < facts.newest) return hint_state::stale;
    if (facts.ends && value->checkpoint == value->seq) return hint_state::hiding;
    bool const told = is_boundary(value->checkpoint, facts.interval) || value->checkpoint == facts.carried;
    bool const leads = told || !facts.checkpoints || facts.checkpoints->contains(value->checkpoint);
    return leads ? hint_state::right : hint_state::stale;
}

task<hint_state> judge_hint_now(object_store& store, stream_id stream, std::optional<bytes> present, hint_facts facts)
{
    auto const judged = judge_hint(present, facts);
    if (judged != hint_state::ahead && judged != hint_state::stale) co_return judged;
    hint const value = *decode_hint(present->view());
    if (value.seq < facts.newest || value.seq > last_sequence) co_return judged;
    object_key const named =
        judged == hint_state::ahead ? layout::record(stream, value.seq) : layout::checkpoint(stream, value.checkpoint);
    auto const there = co_await store.head(named);
    if (there) co_return hint_state::right;
    if (there.error() == errc::not_found) co_return judged;
    co_return there.error();
}

hint_facts facts_for_hint(sequence newest, record const* last, std::uint64_t interval, seq_runs const& checkpoints)
{
    hint_facts out;
    out.newest = newest;
    out.ends = last && retires(*last);
    if (last && last->carried) out.carried = last->carried->base;
    out.interval = interval;
    out.checkpoints = &checkpoints;
    return out;
}

hint right_hint(record const& newest, hint_facts const& facts)
{
    auto const& checkpoints = *facts.checkpoints;
    if (!facts.ends && checkpoints.contains(newest.seq)) return {newest.seq, newest.seq};
    bool const based =
        facts.carried && (is_boundary(*facts.carried, facts.interval) || checkpoints.contains(*facts.carried));
    if (based) return {newest.seq, *facts.carried};
    auto const below = checkpoints.last_to(sequence(newest.seq.value() - 1));
    return {newest.seq, below.value_or(sequence())};
}

task<healed> heal_hint(object_store& store, stream_id stream, hint right, hint_facts facts)
{
    get_options how;
    how.max_bytes = max_hint_bytes;
    object_key const key = layout::hint(stream);
    auto const present = co_await store.get(key, how);
    if (!present && present.error() == errc::limit_exceeded) {
        // Too large for a hint, and so read by nobody; a HEAD tells its etag.
        auto const meta = co_await store.head(key);
        if (!meta) co_return meta.error();
        bytes content = encode(right);
        etag seen = meta->tag;
        co_return co_await put_right(store, key, std::move(content), std::move(seen));
    }
    if (!present && !(present.error() == errc::not_found)) co_return present.error();
    auto content = present ? std::optional(present->content) : std::nullopt;
    auto const judged = co_await judge_hint_now(store, std::move(stream), std::move(content), facts);
    if (!judged) co_return judged.error();
    if (*judged == hint_state::right) co_return healed::whole;
    bytes encoded = encode(right);
    etag seen = present ? present->tag : etag();
    co_return co_await put_right(store, key, std::move(encoded), std::move(seen));
}

}  // namespace headwater
