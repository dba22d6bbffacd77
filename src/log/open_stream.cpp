// The read plans of FORMAT section 4, round by round.
#include "src/log/open_stream.hpp"

#include "src/format/object_layout.hpp"
#include "src/log/commit_ids.hpp"
#include "src/log/listing.hpp"
#include "src/log/lives.hpp"

#include <headwater/hint.hpp>

#include <algorithm>

namespace headwater {

namespace {

error about(errc code, std::string operation, object_key const& key, std::string detail)
{
    return {code, diagnostics(std::move(operation), key.text(), std::move(detail))};
}

bool absent(result<object> const& answer) { return !answer && answer.error() == errc::not_found; }

// Where the state that a hint speaks of begins.
sequence base_of(hint const& told, sequence floor, std::uint64_t interval)
{
    if (told.checkpoint >= floor && told.checkpoint > sequence()) return told.checkpoint;
    return std::max(boundary_at(told.seq, interval), floor);
}

// What a hint at or above the floor makes a reader ask for: the record, its base, and whether there is a next one. A
// graph whose records carry nothing is folded from all of them: no round is spent on learning that.
std::vector<wanted_object> promised(stream_id const& stream, hint const& told, sequence floor,
                                    graph_format const& format)
{
    std::vector<wanted_object> round;
    auto const ask_record = [&](sequence seq) { round.emplace_back(layout::record(stream, seq), max_record_bytes); };
    // A boundary's record too, unless the hint names its checkpoint: it may end the stream.
    if (told.seq > floor && told.seq != told.checkpoint) ask_record(told.seq);
    auto const base = base_of(told, floor, format.checkpoint_interval);
    if (base > sequence()) round.emplace_back(layout::checkpoint(stream, base), max_checkpoint_bytes);
    if (told.seq < last_sequence) ask_record(told.seq.next());
    if (format.carry_limit != 0 || base >= told.seq) return round;
    auto const below = boundary_at(sequence(told.seq.value() - 1), format.checkpoint_interval);
    for (auto at = std::max(base, below).next(); at < told.seq; at = at.next()) ask_record(at);
    return round;
}

bool carry_usable(record const& from, sequence floor)
{
    if (!from.carried || !from.state_digest) return false;
    return from.carried->base < from.seq && from.carried->base >= floor;
}

}  // namespace

wanted_object open_stream::record_object(sequence seq) const
{
    return {layout::record(authority_->stream, seq), max_record_bytes};
}

wanted_object open_stream::checkpoint_object(sequence seq) const
{
    return {layout::checkpoint(authority_->stream, seq), max_checkpoint_bytes};
}

// The newest boundary below `seq` at which a checkpoint belongs: never under the floor.
sequence open_stream::boundary_below(sequence seq) const
{
    auto const below = boundary_at(sequence(seq.value() - 1), authority_->format.checkpoint_interval);
    return std::max(below, authority_->metadata.floor);
}

// --- opening ---------------------------------------------------------------------------------------------------------

task<stream_id> open_stream::resolve(fetched& from)
{
    if (authority_) co_return authority_->stream;
    if (life_) co_return *life_;
    auto name = branch_name::parse(branch_);
    if (!name) co_return name.error();
    if (name->is_main()) co_return stream_id();
    object_key const key = layout::name(*name);
    std::vector<wanted_object> wanted;
    wanted.emplace_back(key, max_metadata_bytes, cost_kind::open);
    co_await from.fetch(std::move(wanted));
    auto const& answer = from.get(key);
    if (absent(answer)) co_return about(errc::branch_not_found, "open", key, "there is no branch named " + branch_);
    if (!answer) co_return answer.error();
    auto pointer = decode_branch_pointer(answer->content.view(), *name);
    if (!pointer) co_return pointer.error();
    co_return stream_id::parse(pointer->stream);
}

// One round: what was asked for, and beside it what opening still needs.
task<void> open_stream::open(fetched& from, std::vector<wanted_object> beside)
{
    auto stream = co_await resolve(from);
    if (!stream) co_return stream.error();
    if (!authority_) beside.emplace_back(layout::format(), max_metadata_bytes, cost_kind::open);
    bool const needs_metadata = !authority_ || !authority_->fresh(time_, from.latest_date());
    auto const kind = authority_ ? cost_kind::work : cost_kind::open;
    if (needs_metadata) {
        from.forget(layout::metadata(*stream));
        beside.emplace_back(layout::metadata(*stream), max_metadata_bytes, kind);
    }
    auto const asked = moment::now(time_);
    co_await from.fetch(std::move(beside));
    if (!needs_metadata) co_return result<void>();
    co_return co_await learn(from, *stream, asked);
}

task<void> open_stream::learn(fetched const& from, stream_id const& stream, moment asked)
{
    authority next;
    if (authority_) {
        next.format = authority_->format;
    } else {
        auto format = read_marker(from.get(layout::format()), store_);
        if (!format) co_return format.error();
        next.format = std::move(*format);
    }
    object_key const key = layout::metadata(stream);
    auto const& answer = from.get(key);
    if (absent(answer)) {
        auto const* const now = authority_ ? " has no metadata any more: it was removed, and the graph with it perhaps"
                                           : " has no metadata";
        co_return about(errc::branch_not_found, "open", key, "the branch " + branch_ + now);
    }
    if (!answer) co_return answer.error();
    auto metadata = decode_stream_metadata(answer->content.view(), stream);
    if (!metadata) co_return metadata.error();
    retired_ = metadata->retired;
    if (authority_) authority_->metadata.floor = metadata->floor;
    if (metadata->retired && ended_ == ended_lives::refused) {
        auto const code = authority_ ? errc::branch_retired : errc::branch_not_found;
        co_return about(code, "open", key, "the branch " + branch_ + " was deleted");
    }
    next.stream = stream;
    next.metadata = std::move(*metadata);
    next.metadata_tag = answer->tag;
    next.asked = asked;
    next.asked.store = answer->info.date;
    authority_ = std::move(next);
    co_return result<void>();
}

task<void> open_stream::refresh(fetched& from)
{
    std::vector<wanted_object> nothing_else;
    co_return co_await open(from, std::move(nothing_else));
}

task<void> open_stream::look_again(fetched& from, std::chrono::nanoseconds older_than)
{
    auto const asked = moment::now(time_);
    if (authority_->asked.until(asked) <= older_than) co_return co_await refresh(from);
    stream_id const stream = authority_->stream;
    object_key const key = layout::metadata(stream);
    from.forget(key);
    std::vector<wanted_object> wanted;
    wanted.emplace_back(key, max_metadata_bytes, cost_kind::work);
    co_await from.fetch(std::move(wanted));
    co_return co_await learn(from, stream, asked);
}

task<bool> open_stream::floor_rose(fetched& from)
{
    sequence const before = authority_->metadata.floor;
    auto fresh = co_await refresh(from);
    if (!fresh) co_return fresh.error();
    co_return authority_->metadata.floor > before;
}

void open_stream::note_ending(record const& last) { ending_ = ending_of(last); }

// Best effort: whoever finds the retire record next does the same.
boost::asio::awaitable<void> open_stream::finish_ending(fetched& from)
{
    if (!ending_ || retired_ || !store_.capabilities().conditional_update) co_return;
    auto const fresh = co_await refresh(from);
    if (!fresh || ending_->final_seq <= authority_->metadata.floor) co_return;
    auto of = opened_life();
    auto end = *ending_;
    auto const done = co_await end_life(store_, std::move(of), std::move(end));
    if (!done) co_return;
    retired_ = done->metadata.retired;
    authority_->metadata = done->metadata;
    authority_->metadata_tag = done->tag;
}

life open_stream::opened_life() const
{
    life out;
    out.stream = authority_->stream;
    out.metadata = authority_->metadata;
    out.tag = authority_->metadata_tag;
    return out;
}

// --- finding the end -------------------------------------------------------------------------------------------------

// Present or absent, and never taken for absent what is only unreachable.
task<bool> open_stream::slot_taken(fetched& from, sequence seq)
{
    auto const wanted = record_object(seq);
    std::vector<wanted_object> one;
    one.push_back(wanted);
    co_await from.fetch(std::move(one));
    auto const& answer = from.get(wanted.key);
    if (answer || answer.error() == errc::corrupt) co_return true;
    if (absent(answer)) co_return false;
    co_return answer.error();
}

// The newest record name above the floor. In an ordered listing it is the first one that is a record name at all: keys
// of nobody's may stand before it, and what sorts after every digit ends the search.
task<std::optional<sequence>> open_stream::newest_listed(fetched& from, bool ordered)
{
    auto const prefix = layout::record_prefix(authority_->stream);
    auto const past_records = prefix + ':';
    std::optional<sequence> newest;
    listing pages(from.store(), prefix, "/", ordered ? ordered_page : default_max_keys);
    for (;;) {
        auto page = co_await pages.next();
        if (!page) co_return page.error();
        if (!*page) co_return newest;
        ordered = ordered && from.store().capabilities().ordered_listing;  // The page may have shown otherwise.
        bool past = !(*page)->common_prefixes.empty();
        for (auto const& each : (*page)->objects) {
            auto const seq = layout::parse_record(each.key.text(), authority_->stream);
            if (seq && *seq <= last_sequence && *seq > authority_->metadata.floor) {
                newest = std::max(newest.value_or(*seq), *seq);
            }
            past |= each.key.text() >= past_records;
        }
        if (ordered && (newest || past)) co_return newest;
    }
}

tail_means open_stream::means() const noexcept
{
    auto const can = store_.capabilities();
    tail_means out;
    out.ordered_listing = can.ordered_listing;
    out.list_allowed = can.list_allowed;
    return out;
}

task<sequence> open_stream::find_end(fetched& from, tail_search search)
{
    for (;;) {
        auto const step = search.next();
        if (step.kind == tail_step::kind_type::done) co_return step.seq;
        if (step.kind == tail_step::kind_type::exhausted) {
            co_return error(errc::limit_exceeded,
                            "max_probes reached while looking for the newest record of " + branch_);
        }
        if (step.kind == tail_step::kind_type::probe) {
            auto taken = co_await slot_taken(from, step.seq);
            if (!taken) co_return taken.error();
            *taken ? search.present(step.seq) : search.absent(step.seq);
        } else {
            auto newest = co_await newest_listed(from, step.kind == tail_step::kind_type::list_first);
            bool const refused = !newest && newest.error() == errc::access_denied;
            if (!newest && !refused) co_return newest.error();
            refused ? search.listing_refused() : search.listed(*newest);
        }
    }
}

// --- folding ---------------------------------------------------------------------------------------------------------

// A record that must exist: absence is asked again, then it is a gap.
task<record> open_stream::fetched_record(fetched& from, sequence seq)
{
    auto const wanted = record_object(seq);
    auto taken = co_await slot_taken(from, seq);
    if (!taken) co_return taken.error();
    if (!*taken) {
        from.forget(wanted.key);
        taken = co_await slot_taken(from, seq);
        if (!taken) co_return taken.error();
        if (!*taken) co_return about(errc::history_gap, "read", wanted.key, "a record that must exist is missing");
    }
    auto const& answer = from.get(wanted.key);
    if (!answer) co_return answer.error();
    co_return decode_record(answer->content.view(), authority_->stream, seq);
}

result<state> open_stream::checkpoint_state(fetched const& from, sequence seq) const
{
    auto const key = checkpoint_object(seq).key;
    auto const& answer = from.get(key);
    if (!answer) return answer.error();
    auto value = decode_checkpoint(answer->content.view(), authority_->stream, seq);
    if (!value) return value.error();
    auto content = state::from(std::move(*value));
    if (!content) return with(content.error(), [&](diagnostics& why) { why.key = key.text(); });
    return content;
}

// The state at a base: its checkpoint, else the long way. A floor has no long way.
task<folded> open_stream::base_state(fetched& from, sequence base)
{
    if (base == sequence()) co_return folded();
    std::vector<wanted_object> one;
    one.push_back(checkpoint_object(base));
    co_await from.fetch(std::move(one));
    auto content = checkpoint_state(from, base);
    if (content) co_return folded(std::move(*content));
    if (base <= authority_->metadata.floor) co_return no_base(base, content.error());
    auto long_way = co_await fold_at(from, base);
    if (long_way) long_way->degraded = true;
    co_return long_way;
}

// A floor's checkpoint is all there is below it. What cannot be reached, or is of a newer format, is neither missing
// nor wrong.
error open_stream::no_base(sequence floor, error const& why) const
{
    if (!(why == errc::not_found) && !(why == errc::corrupt)) return why;
    auto const key = checkpoint_object(floor).key;
    auto const code = why == errc::not_found ? errc::history_gap : errc::corrupt;
    return about(code, "read", key, "the checkpoint at the floor is unusable: " + why.message());
}

// The state at `seq` from the record there, whose checkpoint is not at hand. What failed once in a read fails again:
// both ways to a state lead over the states below, and would try each of them twice as often as the one above.
task<folded> open_stream::fold_at(fetched& from, sequence seq)
{
    if (auto const* const why = from.given_up(seq)) co_return *why;
    auto content = co_await fold_anyhow(from, seq);
    if (!content) from.give_up(seq, content.error());
    co_return content;
}

task<folded> open_stream::fold_anyhow(fetched& from, sequence seq)
{
    auto newest = co_await fetched_record(from, seq);
    if (!newest) co_return newest.error();
    if (!carry_usable(*newest, authority_->metadata.floor)) co_return co_await fold_records(from, seq);
    auto base = co_await base_state(from, newest->carried->base);
    if (base) {
        if (auto leapt = base->value.leap(*newest)) co_return base;
    }
    // The carry or its base is wrong: only the records decide.
    auto by_records = co_await fold_records(from, seq);
    if (by_records) by_records->degraded = true;
    co_return by_records;
}

// The state at `seq` from the boundary below and every record after it. A boundary whose checkpoint is bad, or leads
// elsewhere than the records say, is folded from its own record by the same rule.
task<folded> open_stream::fold_records(fetched& from, sequence seq)
{
    sequence const base = boundary_below(seq);
    std::vector<wanted_object> round;
    if (base != sequence()) round.push_back(checkpoint_object(base));
    for (auto at = base.next(); at <= seq; at = at.next()) round.push_back(record_object(at));
    co_await from.fetch(std::move(round));
    auto by_checkpoint = base == sequence() ? result<state>(state()) : checkpoint_state(from, base);
    error wrong = by_checkpoint ? error() : by_checkpoint.error();
    if (by_checkpoint) {
        auto done = co_await replay(from, folded(std::move(*by_checkpoint)), seq);
        if (done || base == sequence()) co_return done;
        wrong = done.error();
    }
    if (base <= authority_->metadata.floor) co_return by_checkpoint ? wrong : no_base(base, wrong);
    auto long_way = co_await fold_at(from, base);
    if (!long_way) co_return long_way.error();
    long_way->degraded = true;
    co_return co_await replay(from, std::move(*long_way), seq);
}

// Applies every record up to `seq`; the digest that the last one names must come out.
task<folded> open_stream::replay(fetched& from, folded content, sequence seq)
{
    std::optional<set_digest> named;
    while (content.value.header().seq < seq) {
        auto next = co_await fetched_record(from, content.value.header().seq.next());
        if (!next) co_return next.error();
        if (auto applied = content.value.apply(*next); !applied) co_return applied.error();
        named = next->state_digest;
    }
    if (named && *named != content.value.digest()) {
        co_return about(errc::corrupt, "read", record_object(seq).key,
                        "the records do not lead to the state that the newest of them names");
    }
    co_return content;
}

// --- the reads -------------------------------------------------------------------------------------------------------

// The state at a position: a boundary has a checkpoint, another position may have one that is at hand.
task<folded> open_stream::state_at(fetched& from, sequence seq)
{
    auto const key = checkpoint_object(seq).key;
    bool const is_boundary = boundary_at(seq, authority_->format.checkpoint_interval) == seq;
    bool const at_hand = from.has(key) && from.get(key).has_value();
    if (is_boundary || at_hand || seq <= authority_->metadata.floor) co_return co_await base_state(from, seq);
    co_return co_await fold_at(from, seq);
}

// The state at `end`, from `known` on: a few records after it are folded on, after a jump `end` stands on its own base.
task<snapshot> open_stream::read_to(fetched& from, sequence end, sequence known)
{
    bool const stepped = end.value() - known.value() <= tail_search::steps_before_jump;
    auto content = co_await state_at(from, stepped ? known : end);
    if (!content) co_return content.error();
    co_return co_await fold_on(from, end, std::move(*content));
}

task<snapshot> open_stream::fold_on(fetched& from, sequence end, folded content)
{
    while (content.value.header().seq < end) {
        auto next = co_await fetched_record(from, content.value.header().seq.next());
        if (!next) co_return next.error();
        if (auto applied = content.value.apply(*next); !applied) co_return applied.error();
        if (next->state_digest && *next->state_digest != content.value.digest()) {
            auto again = co_await fold_records(from, next->seq);
            if (!again) co_return again.error();
            content = std::move(*again);
            content.degraded = true;
        } else if (carry_usable(*next, authority_->metadata.floor)) {
            content.value.adopt_base(*next, authority_->format.checkpoint_interval);
        }
    }
    bool const record_at_hand = end > authority_->metadata.floor && from.has(record_object(end).key);
    if (record_at_hand && from.get(record_object(end).key)) {
        auto last = co_await fetched_record(from, end);
        if (!last) co_return last.error();
        if (retires(*last)) {
            note_ending(*last);
            co_return about(errc::branch_retired, "read", record_object(end).key,
                            "the branch " + branch_ + " was deleted");
        }
    }
    auto shared = std::make_shared<state const>(std::move(content.value));
    co_return snapshot(authority_->stream, std::move(shared), content.degraded, from.spent());
}

// The same as soon as the hint is here, while format.json and the metadata may be on their way: what they change is
// asked for when they come.
std::vector<wanted_object> open_stream::promise_of(stream_id const& stream, fetched const& here) const
{
    auto const hint_key = layout::hint(stream);
    if (!here.has(hint_key) || !here.get(hint_key)) return {};
    auto const told = decode_hint(here.get(hint_key)->content.view());
    auto const floor = authority_ ? authority_->metadata.floor : sequence();
    if (!told || told->seq <= floor || told->seq > last_sequence) return {};
    graph_format format;
    if (authority_) {
        format = authority_->format;
    } else if (here.has(layout::format())) {
        if (auto marker = read_marker(here.get(layout::format()), store_)) format = std::move(*marker);
    }
    return promised(stream, *told, floor, format);
}

task<snapshot> open_stream::first_read(fetched& from)
{
    auto stream = co_await resolve(from);
    if (!stream) co_return stream.error();
    object_key const hint_key = layout::hint(*stream);
    std::vector<wanted_object> first;
    first.emplace_back(hint_key, max_hint_bytes);
    from.follow([this, at = *stream](fetched const& here) { return promise_of(at, here); });
    auto opened = co_await open(from, std::move(first));
    from.follow({});
    if (!opened) co_return opened.error();
    sequence const floor = authority_->metadata.floor;

    // What may be believed: a hint at or above the floor, or a child's floor itself.
    auto const& answer = from.get(hint_key);
    std::optional<hint> hinted;
    hint_tag_ = answer ? answer->tag : etag();
    if (answer) hinted = decode_hint(answer->content.view());
    if (!answer && !absent(answer) && !(answer.error() == errc::corrupt)) co_return answer.error();
    if (hinted && (hinted->seq < floor || hinted->seq > last_sequence)) hinted.reset();
    bool const told = hinted.has_value();
    if (!told && floor > sequence()) hinted = hint{floor, floor};

    sequence newest = floor;
    bool believed = false;
    if (hinted && hinted->seq > sequence()) {
        sequence const base = base_of(*hinted, floor, authority_->format.checkpoint_interval);
        auto second = promised(*stream, *hinted, floor, authority_->format);
        co_await from.fetch(std::move(second));
        believed = base == hinted->seq && from.get(checkpoint_object(base).key).has_value();
        if (!believed && hinted->seq > floor) {
            auto taken = co_await slot_taken(from, hinted->seq);
            if (!taken) co_return taken.error();
            believed = *taken;
        }
        if (believed) newest = hinted->seq;
    }
    auto search = tail_search::from_floor(newest, means());
    if (believed) search = told ? tail_search::after(newest, means()) : tail_search::after_floor(newest, means());
    auto end = co_await find_end(from, search);
    if (!end) co_return end.error();
    co_return co_await read_to(from, *end, believed ? newest : *end);
}

// One request while nothing is new.
task<snapshot> open_stream::poll(fetched& from)
{
    sequence const known = held_->seq();
    std::vector<wanted_object> round;
    if (known < last_sequence) round.push_back(record_object(known.next()));
    auto opened = co_await open(from, std::move(round));
    if (!opened) co_return opened.error();
    if (known < authority_->metadata.floor) {
        held_.reset();
        co_return co_await first_read(from);
    }
    auto end = co_await find_end(from, tail_search::after(known, means()));
    if (!end) co_return end.error();
    if (*end == known) co_return snapshot(held_->stream(), held_->share(), held_->degraded(), from.spent());
    if (end->value() - known.value() > tail_search::steps_before_jump) co_return co_await read_to(from, *end, *end);
    folded content(held_->content(), held_->degraded());
    co_return co_await fold_on(from, *end, std::move(content));
}

task<snapshot> open_stream::current()
{
    fetched from(store_);
    for (unsigned attempt = 0; attempt != max_restarts; ++attempt) {
        auto read = held_ ? poll(from) : first_read(from);
        auto now = co_await std::move(read);
        if (!now) {
            bool rose = false;
            if (authority_ && blames_history(now.error())) {
                auto const judged = co_await floor_rose(from);
                if (!judged) co_return judged.error();  // The branch has ended, say.
                rose = *judged;
            }
            if (!rose) {
                co_await finish_ending(from);
                co_return now.error();
            }
            held_.reset();
            from = fetched(store_);
            continue;
        }
        // An answer about a slot counts only beside young metadata.
        auto fresh = co_await refresh(from);
        if (!fresh) co_return fresh.error();
        if (now->seq() >= authority_->metadata.floor) {
            held_ = snapshot(now->stream(), now->share(), now->degraded(), from.spent());
            co_return *held_;
        }
        held_.reset();
        from = fetched(store_);
    }
    co_return error(errc::unavailable,
                    "max_restarts reached: the floor of " + branch_ + " moves faster than it is read");
}

// What a read of one past position asks for at once: a boundary's checkpoint, else the record and its likely base.
std::vector<wanted_object> open_stream::plan_at(stream_id const& stream, sequence seq) const
{
    std::vector<wanted_object> round;
    auto const interval = authority_ ? authority_->format.checkpoint_interval : default_checkpoint_interval;
    auto base = boundary_at(seq, interval);
    if (authority_) base = std::max(base, authority_->metadata.floor);
    bool const base_known = authority_ || stream.is_main();
    if (base != seq || !base_known) round.emplace_back(layout::record(stream, seq), max_record_bytes);
    if (base > sequence() && base <= seq && base_known) {
        round.emplace_back(layout::checkpoint(stream, base), max_checkpoint_bytes);
    }
    return round;
}

result<void> open_stream::check_readable(sequence seq) const
{
    sequence const floor = authority_->metadata.floor;
    if (seq >= floor) return {};
    diagnostics why("read", layout::metadata(authority_->stream).text(),
                    "seq " + std::to_string(seq.value()) + " is below the floor " + std::to_string(floor.value()));
    why.facts.emplace_back("floor", std::to_string(floor.value()));
    return error(errc::pruned, std::move(why));
}

// Probes alone can take a hole for the end; where a caller is owed an explanation, a listing may cost what it costs.
task<sequence> open_stream::sure_end(fetched& from)
{
    auto const can = store_.capabilities();
    if (can.list_allowed) {
        auto listed = co_await newest_listed(from, can.ordered_listing);
        if (listed) co_return listed->value_or(authority_->metadata.floor);
        if (!(listed.error() == errc::access_denied)) co_return listed.error();
    }
    co_return co_await find_end(from, tail_search::from_floor(authority_->metadata.floor, means()));
}

// Nothing at `seq`: beyond the end, or a hole in the log?
boost::asio::awaitable<error> open_stream::explain_absence(fetched& from, sequence seq, error const& gap)
{
    auto end = co_await sure_end(from);
    if (!end) co_return end.error();
    if (seq <= *end) co_return gap;
    co_return about(errc::not_found, "read", record_object(seq).key,
                    "there is no commit at seq " + std::to_string(seq.value()) + "; the newest is "
                        + std::to_string(end->value()));
}

task<snapshot> open_stream::at(sequence seq)
{
    if (seq > last_sequence) co_return error(errc::invalid_argument, "seq is beyond the greatest possible one");
    fetched from(store_);
    auto stream = co_await resolve(from);
    if (!stream) co_return stream.error();
    auto opened = co_await open(from, plan_at(*stream, seq));
    if (!opened) co_return opened.error();
    if (before_fork(seq) && seq < authority_->metadata.floor) {
        auto const from_parent = parent();
        if (!from_parent) co_return from_parent.error();
        auto there = co_await (*from_parent)->at(seq);
        if (!there) co_return there.error();
        co_return snapshot(there->stream(), there->share(), there->degraded(), from.spent() + there->spent());
    }
    if (auto readable = check_readable(seq); !readable) co_return readable.error();
    auto content = co_await state_at(from, seq);
    if (!content && blames_history(content.error())) {
        auto const rose = co_await floor_rose(from);
        if (!rose) co_return rose.error();
        if (auto readable = check_readable(seq); !readable) co_return readable.error();
        if (*rose) co_return co_await at(seq);  // Nearer to the floor each time.
    }
    if (!content && content.error() == errc::history_gap) {
        co_return co_await explain_absence(from, seq, content.error());
    }
    if (!content) co_return content.error();
    auto fresh = co_await refresh(from);
    if (!fresh) co_return fresh.error();
    if (auto readable = check_readable(seq); !readable) co_return readable.error();
    auto shared = std::make_shared<state const>(std::move(content->value));
    co_return snapshot(authority_->stream, std::move(shared), content->degraded, from.spent());
}

task<snapshot> open_stream::renew(snapshot old)
{
    auto again = co_await at(old.seq());
    if (!again) co_return again.error();
    if (again->at() != old.at()) {
        auto const named = [](snapshot const& each) { return each.id() ? each.id()->text() : "none"; };
        co_return about(errc::history_gap, "read", layout::record(old.stream(), old.seq()),
                        "the commit there is " + named(*again) + ", what was read before is " + named(old));
    }
    if (held_ && held_->at() == again->at()) held_ = *again;
    co_return again;
}

// Up to the fork the records are the parent's.
bool open_stream::before_fork(sequence seq) const
{
    auto const& forked = authority_->metadata.parent;
    return forked && seq <= forked->seq;
}

result<open_stream*> open_stream::parent()
{
    if (parent_) return parent_.get();
    auto way = way_;
    if (auto on = way.leave(authority_->stream.text()); !on) return on.error();
    // Decoding has checked the text.
    auto of = *stream_id::parse(authority_->metadata.parent->stream);
    parent_ = std::make_unique<open_stream>(store_, std::move(of), time_, ended_lives::readable);
    parent_->way_ = std::move(way);
    return parent_.get();
}

error open_stream::no_commit(commit_id const& id) const
{
    return {errc::not_found, "the branch " + branch_ + " has no commit " + id.text()};
}

// An id of ours says where it stands; what stands there decides.
task<snapshot> open_stream::at(commit_id id)
{
    auto const parsed = parse_ulid(id.text());
    if (!parsed) co_return no_commit(id);
    auto there = co_await at(sequence_in(*parsed));
    if (!there && there.error() == errc::not_found && authority_) co_return no_commit(id);
    if (there && there->id() != id) co_return no_commit(id);
    co_return there;
}

task<record> open_stream::record_at(commit_id id)
{
    auto const parsed = parse_ulid(id.text());
    if (!parsed) co_return no_commit(id);
    auto there = co_await record_at(sequence_in(*parsed));
    if (!there && there.error() == errc::not_found && authority_) co_return no_commit(id);
    if (there && there->id != id) co_return no_commit(id);
    co_return there;
}

task<record> open_stream::record_at(sequence seq)
{
    auto records = co_await history(seq, 1);
    if (!records) co_return records.error();
    if (records->empty()) {
        if (seq == sequence()) co_return error(errc::not_found, "seq 0 is the empty state; records begin at 1");
        if (before_fork(seq)) {
            auto const from_parent = parent();
            if (!from_parent) co_return from_parent.error();
            co_return co_await (*from_parent)->record_at(seq);
        }
        if (auto readable = check_readable(seq); !readable) co_return readable.error();
        diagnostics why("read", layout::metadata(authority_->stream).text(),
                        "the record at seq " + std::to_string(seq.value()) + " is at the floor");
        why.facts.emplace_back("floor", std::to_string(seq.value()));
        co_return error(errc::pruned, std::move(why));
    }
    co_return std::move(records->front());
}

task<std::vector<record>> open_stream::history(sequence newest, std::size_t count)
{
    fetched from(store_);
    auto stream = co_await resolve(from);
    if (!stream) co_return stream.error();
    std::vector<wanted_object> round;
    auto const wanted = std::min<std::uint64_t>({count, max_history_page, newest.value()});
    for (std::uint64_t i = 0; i != wanted; ++i) {
        round.emplace_back(layout::record(*stream, sequence(newest.value() - i)), max_record_bytes);
    }
    auto opened = co_await open(from, std::move(round));
    if (!opened) co_return opened.error();
    std::vector<record> records;
    for (auto at = newest; at > authority_->metadata.floor && records.size() != wanted; at = sequence(at.value() - 1)) {
        auto next = co_await fetched_record(from, at);
        if (!next && next.error() == errc::history_gap) {
            auto const rose = co_await floor_rose(from);
            if (!rose) co_return rose.error();
            if (at <= authority_->metadata.floor) break;
            co_return co_await explain_absence(from, at, next.error());
        }
        if (!next) co_return next.error();
        records.push_back(std::move(*next));
    }
    auto fresh = co_await refresh(from);
    if (!fresh) co_return fresh.error();
    sequence const floor = authority_->metadata.floor;
    std::erase_if(records, [&](record const& each) { return each.seq <= floor; });
    co_return records;
}

}  // namespace headwater
