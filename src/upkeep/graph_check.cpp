// Authorities first, then stream by stream, then what no stream owns.
#include "src/upkeep/graph_check.hpp"

#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"
#include "src/format/object_layout.hpp"
#include "src/upkeep/parent_check.hpp"
#include "src/upkeep/stored.hpp"
#include "src/upkeep/stream_check.hpp"

#include <algorithm>
#include <iterator>

namespace headwater {

namespace {

bool blames_content(error const& what)
{
    return what == errc::corrupt || what == errc::unsupported || what == errc::limit_exceeded;
}

}  // namespace

task<void> graph_check::tell(kind what, bool corrupt, object_key key, std::string detail)
{
    finding out;
    out.kind = what;
    out.corrupt = corrupt;
    out.key = key.text();
    out.detail = std::move(detail);
    found_beside const beside;
    co_return co_await observer_.found(std::move(out), beside);
}

task<void> graph_check::tell_unreadable(kind what, object_key key, error why)
{
    if (!blames_content(why)) co_return why;
    auto const code = why == errc::unsupported ? kind::unknown_format : what;
    co_return co_await tell(code, true, std::move(key), why.message());
}

task<void> graph_check::run(verify_report& out)
{
    auto opened = co_await open_graph(store_, time_);
    if (opened) interval_ = opened->format.checkpoint_interval;
    if (!opened) {
        object_key key = layout::format();
        auto told = co_await tell_unreadable(kind::metadata_torn, std::move(key), opened.error());
        if (!told) co_return told.error();
    }
    auto authorities = co_await check_authorities();
    if (!authorities) co_return authorities.error();
    auto checked = co_await check_streams();
    if (!checked) co_return checked.error();
    auto named = co_await check_digest_names();
    if (!named) co_return named.error();
    out.streams = streams_;
    out.records = records_;
    out.checkpoints = checkpoints_;
    co_return result<void>();
}

// The live ones say which of the others are needed, and these which more are.
task<void> graph_check::check_streams()
{
    std::vector<life> ended;
    for (auto const& each : lives_) {
        if (each.metadata.retired) {
            ended.push_back(each);
            continue;
        }
        needs_.add_child(each.metadata, true);
        auto began = co_await check_parent(each);
        if (!began) co_return began.error();
        auto checked = co_await check_stream(each);
        if (!checked) co_return checked.error();
    }
    auto const is_needed = [&](life const& each) { return needs_.any(each.stream.text()); };
    while (!ended.empty()) {
        auto at = std::ranges::find_if(ended, is_needed);
        if (at == ended.end()) at = ended.begin();
        life const next = std::move(*at);
        ended.erase(at);
        if (is_needed(next)) {
            needs_.add_child(next.metadata, needs_.any_live(next.stream.text()));
            auto began = co_await check_parent(next);
            if (!began) co_return began.error();
        }
        auto checked = co_await check_stream(next);
        if (!checked) co_return checked.error();
    }
    co_return result<void>();
}

task<void> graph_check::check_authorities()
{
    std::vector<object_key> stray;
    auto const streams = co_await list_streams(store_, &stray);
    if (!streams) co_return streams.error();
    listed_ = *streams;
    for (auto const& stream : *streams) {
        auto read = co_await read_life(store_, stream);
        if (read) {
            lives_.push_back(std::move(*read));
            continue;
        }
        object_key key = layout::metadata(stream);
        auto told = co_await tell_unreadable(kind::metadata_torn, std::move(key), read.error());
        if (!told) co_return told.error();
    }
    auto const folders = co_await list_folders(store_, &stray);
    if (!folders) co_return folders.error();
    std::vector<stream_id> unfinished;
    std::ranges::set_difference(*folders, *streams, std::back_inserter(unfinished));
    auto const read = co_await read_names(stray);
    if (!read) co_return read.error();
    for (auto const& [name, means] : names_) {
        if (means && std::ranges::find(*streams, *means) == streams->end()) unfinished.push_back(*means);
    }
    std::ranges::sort(unfinished);
    auto const rest = std::ranges::unique(unfinished);
    unfinished.erase(rest.begin(), rest.end());
    for (auto const& stream : unfinished) {
        auto checked = co_await check_unfinished(stream);
        if (!checked) co_return checked.error();
    }
    for (auto const& each : lives_) {
        if (each.stream.is_main() || each.metadata.retired) continue;
        auto checked = co_await check_name(each);
        if (!checked) co_return checked.error();
    }
    co_return co_await tell_strays(std::move(stray));
}

// After the streams, so that each live one that was listed has had a name.
task<void> graph_check::read_names(std::vector<object_key>& stray)
{
    listing names(store_, layout::names_prefix());
    for (;;) {
        auto page = co_await names.next();
        if (!page) co_return page.error();
        if (!*page) co_return result<void>();
        for (auto const& row : (*page)->objects) {
            auto const branch = layout::parse_name(row.key.text());
            if (!branch) {
                stray.push_back(row.key);
                continue;
            }
            get_options how;
            how.max_bytes = max_metadata_bytes;
            auto const answer = co_await store_.get(row.key, how);
            if (!answer && answer.error() == errc::not_found) continue;
            auto const pointer = answer ? decode_branch_pointer(answer->content.view(), *branch)
                                        : result<branch_pointer>(answer.error());
            auto const stream = pointer ? stream_id::parse(pointer->stream) : result<stream_id>(pointer.error());
            auto& means = names_[branch->text()];
            if (!stream) {
                auto told = co_await tell_unreadable(kind::metadata_torn, row.key, stream.error());
                if (!told) co_return told.error();
            } else {
                means = *stream;
            }
        }
    }
}

// A creation writes the first checkpoint, the name, the metadata, in this order, and records only then.
task<void> graph_check::check_unfinished(stream_id stream)
{
    age_limits const ageless;
    auto const facts = co_await list_stream(store_, stream, ageless);
    if (!facts) co_return facts.error();
    // Its creation may have ended while this was looking.
    auto const again = co_await read_life(store_, stream);
    if (again) co_return result<void>();
    if (!(again.error() == errc::not_found)) co_return again.error();
    bool const has_child = std::ranges::any_of(lives_, [&](life const& each) {
        return each.metadata.parent && each.metadata.parent->stream == stream.text();
    });
    bool const began = stream.is_main() || has_child || facts->hint || !facts->records.empty();
    object_key key = layout::metadata(stream);
    if (!began) {
        std::string text = "the stream has no metadata: its creation did not end; cleanup takes it away";
        co_return co_await tell(kind::half_done_create, false, std::move(key), std::move(text));
    }
    listed_.push_back(stream);
    auto const newest = facts->records.newest();
    std::string text = "the stream has " + (newest ? "records up to seq " + std::to_string(newest->value()) : "begun")
                       + " and no metadata, so nobody can read or write it: put this object back as it was, from a "
                         "version or a copy that the store keeps; cleanup deletes nothing until then";
    co_return co_await tell(kind::metadata_missing, true, std::move(key), std::move(text));
}

task<void> graph_check::check_name(life const& of)
{
    object_key key = layout::name(of.stream.logical());
    auto const named = names_.find(of.stream.logical().text());
    if (named != names_.end() && (!named->second || *named->second == of.stream)) co_return result<void>();
    // It may have ended, and its name been given to the next one, while this was looking.
    auto const again = co_await read_life(store_, of.stream);
    if (!again) co_return again.error();
    if (again->metadata.retired) co_return result<void>();
    if (named == names_.end()) {
        std::string text = "the live stream " + of.stream.text()
                           + " has no name, so nobody finds it: put this object back, "
                             "{\"format\":1,\"logical\":…,\"stream\":…}";
        co_return co_await tell(kind::name_missing, true, std::move(key), std::move(text));
    }
    auto const other = std::ranges::find(lives_, *named->second, &life::stream);
    bool const both_live = other != lives_.end() && !other->metadata.retired;
    if (both_live) {
        key = layout::metadata(of.stream);
        std::string text = "the stream is live, but its name means " + other->stream.text()
                           + ", which is live too and decides: nobody finds this one";
        co_return co_await tell(kind::duplicate_life, true, std::move(key), std::move(text));
    }
    std::string text = "it means " + named->second->text() + ", but the live stream is " + of.stream.text();
    co_return co_await tell(kind::name_wrong, true, std::move(key), std::move(text));
}

// A write to a file may be at work: what it writes to is gone by the time one looks again.
task<void> graph_check::tell_strays(std::vector<object_key> strays)
{
    for (auto const& key : strays) {
        bool const temporary = layout::is_temporary(key.text());
        if (temporary) {
            auto const there = co_await store_.head(key);
            if (!there && there.error() == errc::not_found) continue;
            if (!there) co_return there.error();
        }
        std::string text = temporary ? "a write that was stopped left it; cleanup takes it away"
                                     : "no object of this format has such a key";
        auto told = co_await tell(kind::stray_key, false, key, std::move(text));
        if (!told) co_return told.error();
    }
    co_return result<void>();
}

task<void> graph_check::check_stream(life of)
{
    age_limits const ageless;
    auto const facts = co_await list_stream(store_, of.stream, ageless);
    if (!facts) co_return facts.error();
    auto const strays = co_await tell_strays(facts->stray);
    if (!strays) co_return strays.error();
    sequence const floor = of.metadata.floor;
    bool const retired = of.metadata.retired.has_value();
    bool const needed = !retired || needs_.any(of.stream.text());
    sequence newest = std::max(facts->records.newest().value_or(floor), floor);
    auto const wrong_end = co_await tell_wrong_end(of, *facts);
    if (!wrong_end) co_return wrong_end.error();
    if (retired && needed && !*wrong_end) {
        newest = std::max(newest, std::min(of.metadata.retired->final_seq, last_sequence));
    }
    auto const below = facts->records.count_to(floor);
    bool const whole = facts->records.count_to(newest) - below == newest.value() - floor.value();
    bool const based = floor == sequence() || facts->checkpoints.contains(floor);
    // What is left of a stream that cleanup is taking away, or came late to one that is gone, says nothing.
    if (newest == floor && retired) co_return result<void>();
    if (!needed && (!whole || !based)) co_return result<void>();
    ++streams_;
    if (below != 0 && !retired) {
        std::string text = std::to_string(below) + " at or below the floor " + std::to_string(floor.value());
        object_key key = layout::record(of.stream, *facts->records.first_from(sequence()));
        auto told = co_await tell(kind::void_record, false, std::move(key), std::move(text));
        if (!told) co_return told.error();
    }
    history_needs* const needs = needed ? &needs_ : nullptr;
    stream_check walk(store_, interval_, deep_, observer_, seen_sets_, needs, of, *facts);
    auto walked = co_await walk.run(newest);
    if (!walked) co_return walked.error();
    records_ += walk.records();
    checkpoints_ += walk.checkpoints();
    if (retired) co_return result<void>();
    co_return co_await check_end(of, *facts, newest, walk.newest());
}

task<void> graph_check::check_parent(life const& of)
{
    if (!of.metadata.parent) co_return result<void>();
    // One whose metadata cannot be read has been told of.
    auto const named = stream_id::parse(of.metadata.parent->stream);
    if (!named) co_return named.error();
    auto const found = std::ranges::find(lives_, *named, &life::stream);
    bool const listed = std::ranges::find(listed_, *named) != listed_.end();
    if (found == lives_.end() && listed) co_return result<void>();
    auto parent = found == lives_.end() ? std::optional<life>() : std::optional(*found);
    auto child = of.metadata;
    auto fault = co_await parent_fault(store_, std::move(child), std::move(parent));
    if (!fault) co_return fault.error();
    if (!*fault) co_return result<void>();
    object_key key = layout::metadata(of.stream);
    co_return co_await tell(kind::parent_wrong, true, std::move(key), *std::move(*fault));
}

// The newest record of a deleted branch ends it where its metadata says.
task<bool> graph_check::tell_wrong_end(life const& of, stream_facts const& facts)
{
    auto const newest = facts.records.newest();
    if (!of.metadata.retired || !newest || *newest > last_sequence) co_return false;
    auto const page = co_await read_records(store_, of.stream, *newest, 1);
    if (!page) co_return page.error();
    auto fault = page->front() ? end_fault(of.metadata, *page->front()) : std::nullopt;
    if (!fault) co_return false;
    object_key key = layout::metadata(of.stream);
    auto told = co_await tell(kind::end_wrong, true, std::move(key), *std::move(fault));
    if (!told) co_return told.error();
    co_return true;
}

// The hint, and whether the stream's end is known to its metadata.
task<void> graph_check::check_end(life const& of, stream_facts const& facts, sequence newest,
                                  std::optional<record> const& last)
{
    finding out;
    out.stream = of.stream.text();
    out.seq = newest;
    found_beside beside;
    beside.of = &of;
    beside.facts = &facts;
    beside.newest = last ? &*last : nullptr;
    if (last && retires(*last)) {
        // A deletion is one write away from here, and may have made it meanwhile.
        auto const again = co_await read_life(store_, of.stream);
        if (!again) co_return again.error();
        if (again->metadata.retired) co_return result<void>();
        out.kind = kind::half_done_delete;
        out.key = layout::metadata(of.stream).text();
        out.detail = "the newest record ends the stream; its metadata says that it is live";
        finding copy = out;
        auto told = co_await observer_.found(std::move(copy), beside);
        if (!told) co_return told.error();
    }
    auto const known = facts_for_hint(newest, beside.newest, interval_.value_or(1), facts.checkpoints);
    auto const judged = co_await check_hint(of.stream, known);
    if (!judged) co_return judged.error();
    // The first publisher writes the first hint.
    bool const none_yet = *judged == hint_state::missing && newest == of.metadata.floor;
    if (*judged == hint_state::right || none_yet) co_return result<void>();
    out.key = layout::hint(of.stream).text();
    switch (*judged) {
    case hint_state::missing: out.kind = kind::hint_missing; break;
    case hint_state::stale: out.kind = kind::hint_stale; break;
    case hint_state::ahead: out.kind = kind::hint_ahead; break;
    case hint_state::hiding: out.kind = kind::hint_wrong; break;
    default: out.kind = kind::hint_garbage; break;
    }
    out.corrupt = *judged != hint_state::missing && *judged != hint_state::stale;
    out.detail = "the newest record is " + std::to_string(newest.value());
    co_return co_await observer_.found(std::move(out), beside);
}

task<hint_state> graph_check::check_hint(stream_id stream, hint_facts facts)
{
    get_options how;
    how.max_bytes = max_hint_bytes;
    object_key const key = layout::hint(stream);
    auto const answer = co_await store_.get(key, how);
    if (!answer && answer.error() == errc::limit_exceeded) co_return hint_state::garbage;
    if (!answer && !(answer.error() == errc::not_found)) co_return answer.error();
    auto content = answer ? std::optional(answer->content) : std::nullopt;
    co_return co_await judge_hint_now(store_, std::move(stream), std::move(content), facts);
}

task<void> graph_check::check_digest_names()
{
    std::vector<object_key> stray;
    listing sets(store_, layout::tombstones_prefix());
    for (;;) {
        auto page = co_await sets.next();
        if (!page) co_return page.error();
        if (!*page) break;
        for (auto const& row : (*page)->objects) {
            if (!layout::parse_tombstones(row.key.text())) stray.push_back(row.key);
        }
    }
    listing schemas(store_, layout::schemas_prefix());
    for (;;) {
        auto page = co_await schemas.next();
        if (!page) co_return page.error();
        if (!*page) break;
        for (auto const& row : (*page)->objects) {
            if (!layout::parse_schema(row.key.text())) stray.push_back(row.key);
            auto checked = co_await check_schema(row.key);
            if (!checked) co_return checked.error();
        }
    }
    co_return co_await tell_strays(std::move(stray));
}

task<void> graph_check::check_schema(object_key key)
{
    auto const named = layout::parse_schema(key.text());
    if (!named || !deep_) co_return result<void>();
    get_options how;
    how.max_bytes = max_schema_bytes;
    auto const answer = co_await store_.get(key, how);
    if (!answer && answer.error() == errc::not_found) co_return result<void>();
    if (!answer && !blames_content(answer.error())) co_return answer.error();
    if (answer && to_hex(sha256(answer->content.view())) == *named) co_return result<void>();
    std::string text = "its content has another SHA-256 than its name says";
    co_return co_await tell(kind::schema_wrong, true, std::move(key), std::move(text));
}

}  // namespace headwater
