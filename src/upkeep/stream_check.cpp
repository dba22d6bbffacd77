// After a fault the walk goes on from the next checkpoint that is sound in itself, so that one fault is one finding.
#include "src/upkeep/stream_check.hpp"

#include "src/format/object_layout.hpp"

#include <algorithm>

namespace headwater {

namespace {

std::string spelled(std::optional<commit_id> const& id) { return id ? id->text() : "none"; }

bool equal(carry const& left, carry const& right)
{
    auto const same_head = [](head const& a, head const& b) { return encode(a) == encode(b); };
    auto const same_stone = [](tombstone const& a, tombstone const& b) {
        return canonical_bytes(a) == canonical_bytes(b);
    };
    return left.base == right.base && std::ranges::equal(left.heads, right.heads, same_head)
           && std::ranges::equal(left.tombstones, right.tombstones, same_stone);
}

// What is missing, whom that hurts, and what can be done. `need`: in a stream that ended.
std::string gap_text(sequence first, sequence last, history_need const* need)
{
    bool const one = first == last;
    std::string const what = one ? "the record is missing"
                                 : "the records from here up to seq " + std::to_string(last.value()) + " are missing";
    std::string const remedy = std::string("put ") + (one ? "it back as it was" : "them back as they were")
                               + ", from a version or a copy that the store keeps; ";
    if (!need) return what + ": " + remedy + "cleanup deletes nothing until then";
    std::string const until =
        need->of_live ? "until then that past cannot be read"
                      : "a cleanup that was stopped leaves this; a merge that must read them ends with history_gap";
    return what + ", which " + need->by + ", needs: " + remedy + until + "; cleanup keeps what is left of the stream";
}

// Whether `one` gives a key to a table that another live one has.
bool takes_live_key(record const& one, head_table const& before)
{
    std::map<std::string, table_identity> owners;
    for (auto const& each : before.heads()) owners.emplace(each.table_key, each.table);
    for (auto const& each : one.tombstones) owners.erase(each.table_key);
    for (auto const& each : one.renames) owners.erase(each.from);
    auto const taken = [&](std::string const& key, table_identity table) { return !owners.emplace(key, table).second; };
    for (auto const& each : one.renames) {
        if (taken(each.to, each.table)) return true;
    }
    return std::ranges::any_of(one.registrations,
                               [&](registration const& each) { return taken(each.table_key, each.table); });
}

}  // namespace

carry difference(state const& base, state const& content)
{
    carry out;
    out.base = base.header().seq;
    for (auto const& each : content.table().heads()) {
        head const* const before = base.table().find(each.table.stable_table_id);
        if (!before || encode(*before) != encode(each)) out.heads.push_back(each);
    }
    for (auto const& each : content.recent()) {
        if (each.seq > out.base) out.tombstones.push_back(each);
    }
    return out;
}

// Whether what is missing stood there when this check read the metadata, and a cleanup has taken it since.
task<bool> stream_check::overtaken(kind what, sequence seq)
{
    auto const again = co_await read_life(store_, of_.stream);
    if (!again) co_return again.error();
    if (again->metadata.floor > of_.metadata.floor) co_return true;
    if (again->metadata.retired && !of_.metadata.retired) co_return true;
    if (what == kind::gap) co_return facts_.records.contains(seq);
    if (!facts_.checkpoints.contains(seq)) co_return false;
    if (what == kind::checkpoint_missing) co_return true;
    object_key const names_it = layout::checkpoint(of_.stream, seq);
    auto const there = co_await store_.head(names_it);
    if (there) co_return false;
    if (there.error() == errc::not_found) co_return true;
    co_return there.error();
}

task<void> stream_check::tell(kind what, bool corrupt, object_key key, sequence seq, std::string detail)
{
    bool const at_hand = content_ && !doubted_ && content_->header().seq == seq;
    co_return co_await tell(what, corrupt, std::move(key), seq, std::move(detail), at_hand ? &*content_ : nullptr);
}

task<void> stream_check::tell(kind what, bool corrupt, object_key key, sequence seq, std::string detail,
                              state const* content)
{
    if (what == kind::gap || what == kind::checkpoint_missing || what == kind::set_missing) {
        auto const gone = co_await overtaken(what, seq);
        if (!gone) co_return gone.error();
        if (*gone) {
            co_return error(errc::pruned, diagnostics("verify", key.text(), "cleanup overtook it; run it again"));
        }
    }
    finding out;
    out.kind = what;
    out.corrupt = corrupt;
    out.key = key.text();
    out.stream = of_.stream.text();
    out.seq = seq;
    out.detail = std::move(detail);
    found_beside beside;
    beside.of = &of_;
    beside.facts = &facts_;
    beside.content = content;
    co_return co_await observer_.found(std::move(out), beside);
}

// A state that was not folded from the one before. What it tells cannot be compared with what an earlier one did.
void stream_check::follow_from(state content)
{
    followed_from_ = content.header().seq;
    content_ = std::move(content);
    doubted_ = false;
    bases_.clear();
}

void stream_check::keep_base()
{
    if (doubted_) return;
    bases_.insert_or_assign(content_->header().seq, *content_);
    if (bases_.size() > graph_check::kept_bases) bases_.erase(bases_.begin());
}

// What the record after the floor says its parent is, or a child's metadata: what is below proves nothing by itself.
task<std::optional<commit_id>> stream_check::id_at_floor()
{
    sequence const floor = of_.metadata.floor;
    if (facts_.records.contains(floor.next())) {
        auto const page = co_await read_records(store_, of_.stream, floor.next(), 1);
        if (!page) co_return page.error();
        if (page->front()) co_return page->front()->parent;
    }
    auto const& parent = of_.metadata.parent;
    co_return parent && parent->seq == floor ? parent->id : std::nullopt;
}

// The state at the floor by what still stands below it, or by the parent.
task<void> stream_check::take_rebuilt_base()
{
    sequence const floor = of_.metadata.floor;
    auto const expected = co_await id_at_floor();
    if (!expected) co_return expected.error();
    if (!*expected) co_return result<void>();
    auto content = co_await rebuild(store_, of_.stream, floor, sets_needed::no);
    if (!content && !blames_stored(content.error())) co_return content.error();
    if (content && content->header().head_commit_id == *expected) follow_from(std::move(*content));
    co_return result<void>();
}

// The floor's checkpoint, which a new child has from its parent.
task<void> stream_check::begin()
{
    sequence const floor = of_.metadata.floor;
    chain_known_ = true;
    if (floor == sequence()) {
        follow_from(state());
        keep_base();
        co_return result<void>();
    }
    bool const present = facts_.checkpoints.contains(floor);
    if (deep_ || !present) {
        auto const rebuilt = co_await take_rebuilt_base();
        if (!rebuilt) co_return rebuilt.error();
    }
    co_return co_await check_checkpoint(floor);
}

task<void> stream_check::run(sequence newest)
{
    newest_ = newest;
    sequence const floor = of_.metadata.floor;
    // All checkpoints of a stream that is gone are, too.
    bool const is_gone = of_.metadata.retired && !facts_.records.first_from(floor.next());
    if (is_gone) co_return co_await tell_gap(floor.next());
    auto begun = co_await begin();
    if (!begun) co_return begun.error();
    for (auto next = floor.next(); next <= newest;) {
        auto const count = std::min<std::uint64_t>(upkeep_page, newest.value() - next.value() + 1);
        auto page = co_await read_records(store_, of_.stream, next, count);
        if (!page) co_return page.error();
        for (auto& each : *page) {
            auto done = each ? take(std::move(*each)) : take_missing(next, each.error());
            auto const ended = co_await std::move(done);
            if (!ended) co_return ended.error();
            next = next.next();
        }
        // What the listing leaves out is asked for page by page no further.
        if (gap_to_ < next) continue;
        auto passed = co_await pass_gap(next);
        if (!passed) co_return passed.error();
        next = gap_to_.next();
    }
    co_return result<void>();
}

task<void> stream_check::take_missing(sequence seq, error why)
{
    content_.reset();
    chain_known_ = false;
    last_.reset();
    if (why == errc::not_found) co_return co_await take_absent(seq);
    object_key const key = layout::record(of_.stream, seq);
    auto const what = why == errc::unsupported ? kind::unknown_format : kind::record_torn;
    auto told = co_await tell(what, true, key, seq, why.message());
    if (!told) co_return told.error();
    co_return co_await check_checkpoint(seq);
}

task<void> stream_check::take_absent(sequence seq)
{
    if (gap_to_ < seq) {
        auto told = co_await tell_gap(seq);
        if (!told) co_return told.error();
    }
    // A checkpoint that stands leads on; one that is missing here is no fault of its own.
    if (!facts_.checkpoints.contains(seq)) co_return result<void>();
    co_return co_await check_checkpoint(seq);
}

// All that is missing in a row is one finding. In a stream that ended it is one if somebody reads it.
task<void> stream_check::tell_gap(sequence seq)
{
    auto const after = facts_.records.first_from(seq.next());
    gap_to_ = after ? std::min(sequence(after->value() - 1), newest_) : newest_;
    bool const ended = of_.metadata.retired.has_value();
    history_need const* const need = needs_ ? needs_->of(of_.stream.text(), seq) : nullptr;
    bool const harmless = ended && !need && !facts_.records.contains(seq);
    if (harmless) co_return result<void>();
    // A sweep takes the hint first: where that stands, no sweep did this.
    bool const corrupt = !ended || !need || need->of_live || facts_.hint;
    object_key key = layout::record(of_.stream, seq);
    auto text = gap_text(seq, gap_to_, ended ? need : nullptr);
    co_return co_await tell(kind::gap, corrupt, std::move(key), seq, std::move(text));
}

task<void> stream_check::pass_gap(sequence from)
{
    auto at = facts_.checkpoints.first_from(from);
    for (; at && *at <= gap_to_; at = facts_.checkpoints.first_from(at->next())) {
        content_.reset();
        auto checked = co_await check_checkpoint(*at);
        if (!checked) co_return checked.error();
    }
    if (!facts_.checkpoints.contains(gap_to_)) content_.reset();
    co_return result<void>();
}

task<void> stream_check::take(record one)
{
    ++records_;
    gap_to_ = sequence();
    if (needs_) needs_->add_lineage(one);
    sequence const seq = one.seq;
    auto chained = co_await check_chain(one);
    if (!chained) co_return chained.error();
    auto based = co_await check_base(one);
    if (!based) co_return based.error();
    auto carried = co_await check_carry(one);
    if (!carried) co_return carried.error();
    previous_id_ = one.id;
    previous_time_ = one.created_at;
    chain_known_ = true;
    last_ = one;
    auto applied = co_await apply(std::move(one));
    if (!applied) co_return applied.error();
    co_return co_await check_checkpoint(seq);
}

task<void> stream_check::check_chain(record const& one)
{
    object_key const key = layout::record(of_.stream, one.seq);
    if (chain_known_ && one.parent != previous_id_) {
        std::string text = "its parent is " + spelled(one.parent) + ", the record before is " + spelled(previous_id_);
        auto told = co_await tell(kind::parent_break, true, key, one.seq, std::move(text));
        if (!told) co_return told.error();
    }
    if (chain_known_ && one.created_at <= previous_time_ && previous_id_) {
        std::string text = "created_at is " + std::to_string(one.created_at) + ", of the record before "
                           + std::to_string(previous_time_);
        auto told = co_await tell(kind::time_falls, true, key, one.seq, std::move(text));
        if (!told) co_return told.error();
    }
    if (last_ && retires(*last_)) {
        std::string text = "it follows the record that ended the stream";
        auto told = co_await tell(kind::refused_change, true, key, one.seq, std::move(text));
        if (!told) co_return told.error();
    }
    co_return result<void>();
}

// Who carries a base knew its checkpoint. One off the boundaries is due only because of that.
task<void> stream_check::check_base(record const& one)
{
    if (!one.carried || one.carried->base >= one.seq) co_return result<void>();
    sequence const base = one.carried->base;
    bool const seen = !interval_ || is_boundary(base, *interval_) || facts_.checkpoints.contains(base);
    if (seen || base <= of_.metadata.floor || !lost_bases_.insert(base).second) co_return result<void>();
    object_key const key = layout::checkpoint(of_.stream, base);
    std::string text =
        "the record at " + std::to_string(one.seq.value()) + " carries it as its base, and it is not there";
    bool const at_hand = content_ && !doubted_ && content_->header().seq == base;
    if (at_hand) {
        keep_base();
        co_return co_await tell(kind::checkpoint_missing, false, key, base, std::move(text));
    }
    // Another record came in between.
    std::optional<state> again;
    if (deep_) {
        auto content = co_await rebuild(store_, of_.stream, base, sets_needed::no);
        if (!content && !blames_stored(content.error())) co_return content.error();
        if (content) again = std::move(*content);
    }
    co_return co_await tell(kind::checkpoint_missing, false, key, base, std::move(text), again ? &*again : nullptr);
}

task<void> stream_check::check_carry(record const& one)
{
    if (!one.carried || !content_ || doubted_) co_return result<void>();
    object_key const key = layout::record(of_.stream, one.seq);
    sequence const at = one.carried->base;
    if (at >= one.seq) {
        std::string text = "its carry's base is not before it";
        co_return co_await tell(kind::carry_wrong, true, key, one.seq, std::move(text));
    }
    auto const kept = bases_.find(at);
    state const* base = kept == bases_.end() ? nullptr : &kept->second;
    if (!base && deep_ && at >= followed_from_) {
        auto const found = co_await find_far_base(at);
        if (!found) co_return found.error();
        if (far_base_) base = &*far_base_;
    }
    if (!base || equal(*one.carried, difference(*base, *content_))) co_return result<void>();
    std::string text = "its carry is not how its state differs from seq " + std::to_string(at.value());
    co_return co_await tell(kind::carry_wrong, true, key, one.seq, std::move(text));
}

// The state at a base that is not kept. A writer that knows no newer one names it again and again.
task<void> stream_check::find_far_base(sequence seq)
{
    if (far_base_ && far_base_->header().seq == seq) co_return result<void>();
    far_base_.reset();
    auto content = co_await fold_records(store_, of_.stream, of_.metadata.floor, seq);
    if (!content && !blames_stored(content.error())) co_return content.error();
    if (content) far_base_ = std::move(*content);
    co_return result<void>();
}

// An identity is used once: one that was dropped never comes back. The live heads do not tell, and so readers go on.
task<std::optional<table_identity>> stream_check::registers_dropped(record const& one)
{
    std::optional<table_identity> const none;
    if (one.registrations.empty()) co_return none;
    fetched from(store_);
    auto const set = co_await sets_.read_set(from, content_->base_set());
    if (!set && !blames_stored(set.error())) co_return set.error();
    auto const in = [](std::vector<tombstone> const& stones, table_identity table) {
        return std::ranges::binary_search(stones, table, {}, &tombstone::table);
    };
    for (auto const& each : one.registrations) {
        // A set that cannot be read is told of beside its checkpoint.
        bool const dropped = in(content_->recent(), each.table) || (set && in(**set, each.table));
        if (dropped) co_return std::optional(each.table);
    }
    co_return none;
}

task<void> stream_check::apply(record one)
{
    if (!content_) co_return result<void>();
    object_key const key = layout::record(of_.stream, one.seq);
    bool const duplicate = takes_live_key(one, content_->table());
    auto const again = co_await registers_dropped(one);
    if (!again) co_return again.error();
    auto const named = one.state_digest;
    one.parent = content_->header().head_commit_id;  // A break has been told.
    auto const applied = content_->apply(one);
    if (!applied) {
        content_.reset();
        auto const what = duplicate ? kind::duplicate_key : kind::refused_change;
        std::string text = applied.error().why() ? applied.error().why()->detail : applied.error().message();
        co_return co_await tell(what, true, key, one.seq, std::move(text));
    }
    if (*again) {
        auto text = refusal_text(head_event::registration, **again, head_verdict::used_before, nullptr);
        auto told = co_await tell(kind::refused_change, true, key, one.seq, std::move(text));
        if (!told) co_return told.error();
    }
    bool const told = doubted_;
    doubted_ = named ? *named != content_->digest() : doubted_;
    // As long as the doubt lasts it is one fault.
    if (!doubted_ || told) co_return result<void>();
    std::string text = "the records lead to another state than the one it names";
    co_return co_await tell(kind::digest_wrong, true, key, one.seq, std::move(text));
}

task<void> stream_check::check_checkpoint(sequence seq)
{
    // Whoever ends a stream leaves no checkpoint of that.
    bool const ended = last_ && last_->seq == seq && retires(*last_);
    bool const base = seq == of_.metadata.floor;
    bool const due = base || (interval_ && is_boundary(seq, *interval_) && !ended);
    if (!due && !facts_.checkpoints.contains(seq)) co_return result<void>();
    object_key const key = layout::checkpoint(of_.stream, seq);
    auto found = co_await read_checkpoint(store_, of_.stream, seq);
    if (!found) co_return found.error();
    if (found->value) ++checkpoints_;
    bool const named = doubted_ && last_ && last_->seq == seq && last_->state_digest;
    if (named && found->verified && found->verified->digest() == *last_->state_digest) {
        // The record names this state: it is what the records led to before one of them was changed.
        follow_from(std::move(*found->verified));
        keep_base();
        co_return co_await check_set(seq);
    }
    bool const unsound = !found->verified;
    if (base && unsound && !content_) {
        auto const rebuilt = co_await take_rebuilt_base();
        if (!rebuilt) co_return rebuilt.error();
    }
    std::string text;
    auto what = kind::checkpoint_wrong;
    if (unsound && found->verified.error() == errc::not_found) {
        what = kind::checkpoint_missing;
        text = base ? "the floor has no checkpoint" : "a boundary has no checkpoint";
    } else if (!found->value) {
        what = found->value.error() == errc::unsupported ? kind::unknown_format : kind::checkpoint_torn;
        text = found->value.error().message();
    } else if (unsound) {
        text = found->verified.error().message();
    } else if (content_ && !doubted_) {
        bool same = found->verified->digest() == content_->digest();
        if (same && deep_ && interval_) {
            auto const right = encode(content_->to_checkpoint(of_.stream.text(), *interval_));
            same = right && *right == found->content;
        }
        if (!same) text = "it is not what the records lead to";
    }
    if (!text.empty()) {
        bool const corrupt = what != kind::checkpoint_missing || base;
        auto told = co_await tell(what, corrupt, key, seq, std::move(text));
        if (!told) co_return told.error();
    } else if (!content_ || base) {
        follow_from(std::move(*found->verified));
    }
    if (base && content_) {
        previous_id_ = content_->header().head_commit_id;
        previous_time_ = content_->header().created_at;
    }
    if (base && !content_) chain_known_ = false;
    if (!content_) co_return result<void>();
    keep_base();
    co_return co_await check_set(seq);
}

task<void> stream_check::check_set(sequence seq)
{
    if (!interval_) co_return result<void>();
    auto const named = content_->to_checkpoint("", *interval_).tombstoned.set;
    if (!named || !facts_.checkpoints.contains(seq)) co_return result<void>();
    object_key const key = layout::tombstones(*named);
    std::string text = "the checkpoint at " + std::to_string(seq.value()) + " names a set that cannot be read";
    auto const seen = seen_sets_.find(*named);
    if (seen != seen_sets_.end()) {
        if (!seen->second) co_return result<void>();
        // Told again: what mends it may not have been at hand the first time.
        co_return co_await tell(*seen->second, true, key, seq, std::move(text));
    }
    get_options how;
    how.max_bytes = max_checkpoint_bytes;
    auto const answer = co_await store_.get(key, how);
    bool const missing = !answer && answer.error() == errc::not_found;
    if (!answer && !missing && !(answer.error() == errc::limit_exceeded)) co_return answer.error();
    auto const decoded =
        answer ? decode_tombstones(answer->content.view(), *named) : result<std::vector<tombstone>>(answer.error());
    auto& known = seen_sets_[*named];
    if (decoded) co_return result<void>();
    if (answer) text = decoded.error().message();
    auto const what = missing                                ? kind::set_missing
                      : decoded.error() == errc::unsupported ? kind::unknown_format
                                                             : kind::set_wrong;
    if (what != kind::unknown_format) known = what;
    co_return co_await tell(what, true, key, seq, std::move(text));
}

}  // namespace headwater
