// Streams are read in pages that grow; a commit is looked for where it must be, where it is said to be, then anywhere.
#include "src/log/base_reader.hpp"

#include "src/format/object_layout.hpp"
#include "src/log/commit_search.hpp"
#include "src/log/parent_walk.hpp"

#include <algorithm>

namespace headwater {

namespace {

// History that is gone, as it may be: below a floor, with a life that has ended, or never there.
bool is_gone(error const& what)
{
    return what == errc::pruned || what == errc::not_found || what == errc::branch_not_found;
}

// Of a life that has ended a cleanup may have left some records.
bool leaves_gaps(open_stream const& from, error const& what) { return what == errc::history_gap && from.retired(); }

// What is stored is to blame, and not the store: a record of a page, say, though nobody asked for that one.
bool blames_content(error const& what)
{
    return is_gone(what) || what == errc::history_gap || what == errc::corrupt || what == errc::limit_exceeded
           || what == errc::unsupported || what == errc::protocol;
}

}  // namespace

task<snapshot> base_reader::find(snapshot left, snapshot right)
{
    if (!left.id() || !right.id()) co_return snapshot();
    places_.insert_or_assign(*left.id(), left.at());
    places_.insert_or_assign(*right.id(), right.at());
    merge_base_search search(known_, *left.id(), *right.id());
    for (;;) {
        auto const step = search.next();
        if (step.kind == merge_base_step::kind_type::unknown) co_return gap_at(*step.id);
        if (step.kind == merge_base_step::kind_type::read) {
            auto done = co_await read(*step.id);
            if (!done) co_return done.error();
            continue;
        }
        if (!step.id) co_return snapshot();
        if (*step.id == *left.id()) co_return left;
        if (*step.id == *right.id()) co_return right;
        auto state = co_await state_of(*step.id);
        if (!state && is_gone(state.error())) co_return gap_at(*step.id);
        co_return state;
    }
}

open_stream& base_reader::stream(stream_id const& of)
{
    auto& slot = streams_[of.text()];
    if (!slot) slot = std::make_unique<open_stream>(store_, of, time_, ended_lives::readable);
    return *slot;
}

std::uint32_t base_reader::line(stream_id const& of)
{
    return lines_.emplace(of.text(), static_cast<std::uint32_t>(lines_.size())).first->second;
}

// A child has its first records, and its fork, from its parent.
task<position> base_reader::own_place(position at)
{
    parent_walk way;
    for (;;) {
        auto& of = stream(at.stream);
        fetched from(store_);
        auto opened = co_await of.refresh(from);
        if (!opened) co_return opened.error();
        auto const& forked = of.known().metadata.parent;
        if (!forked || at.seq > forked->seq) co_return at;
        if (auto on = way.leave(at.stream.text()); !on) co_return on.error();
        at.stream = *stream_id::parse(forked->stream);
    }
}

task<void> base_reader::read(commit_id id)
{
    if (total_ > max_base_commits) {
        co_return error(errc::limit_exceeded, "max_base_commits reached while looking for a common ancestor");
    }
    std::vector<position> where;
    auto const at = places_.find(id);
    if (at != places_.end()) where.push_back(at->second);
    bool const certain = at != places_.end();
    if (auto const said = claims_.find(id); !certain && said != claims_.end()) where.push_back(said->second);
    for (auto& each : where) {
        auto const told = co_await try_at(std::move(each), id);
        if (!told || known_.find(id)) co_return told;
    }
    if (!certain) {
        auto const told = co_await search(id);
        if (!told || known_.find(id)) co_return told;
    }
    co_return co_await read_state(std::move(id));
}

task<void> base_reader::search(commit_id id)
{
    auto found = co_await find_commit(store_, id);
    if (!found && blames_content(found.error())) {
        auto may_be_it = with(found.error(), [&](diagnostics& why) {
            why.detail += "; it may be commit " + id.text() + ", which no other stream has";
        });
        doubts_.insert_or_assign(std::move(id), std::move(may_be_it));
        co_return result<void>();
    }
    if (!found) co_return found.error();
    if (!*found) co_return result<void>();
    co_return co_await try_at(std::move(**found), id);
}

// What cannot be read there is remembered: it may not matter.
task<void> base_reader::try_at(position at, commit_id id)
{
    auto const told = co_await read_at(std::move(at), id);
    if (told || !blames_content(told.error())) co_return told;
    if (!is_gone(told.error())) doubts_.insert_or_assign(id, told.error());
    co_return result<void>();
}

// A floor's checkpoint, and a fork's, know the commit but not what it came from.
task<void> base_reader::read_state(commit_id id)
{
    auto const state = co_await state_of(id);
    if (!state && !blames_content(state.error())) co_return state.error();
    if (!state) {
        if (!is_gone(state.error())) doubts_.insert_or_assign(id, state.error());
        known_.add_missing(std::move(id));
        co_return result<void>();
    }
    commit_graph::node node;
    node.created_at = state->created_at();
    node.rootless = true;
    node.standings.emplace_back(id, line(state->stream()), state->seq().value());
    known_.add(std::move(id), std::move(node));
    co_return result<void>();
}

// The commit, and as many before it as its stream has been asked for already: a long way takes few rounds.
task<void> base_reader::read_at(position at, commit_id id)
{
    auto own = co_await own_place(std::move(at));
    if (!own) co_return own.error();
    auto& from = stream(own->stream);
    auto const records = co_await page(from, *own);
    if (!records && leaves_gaps(from, records.error())) co_return error(errc::not_found);
    if (!records) co_return records.error();
    if (records->empty() || records->front().id != id) co_return error(errc::not_found);
    auto const& forked = from.known().metadata.parent;
    for (auto const& each : *records) take(each, own->stream, forked);
    co_return result<void>();
}

// One record of a page may be torn or gone without being needed: then each is read alone.
task<std::vector<record>> base_reader::page(open_stream& from, position at)
{
    auto& asked = asked_[at.stream.text()];
    auto const count = std::clamp<std::size_t>(asked, 1, open_stream::max_history_page);
    auto records = co_await from.history(at.seq, count);
    if (!records && count > 1 && blames_content(records.error())) {
        asked = 0;
        records = co_await from.history(at.seq, 1);
    }
    if (!records) co_return records.error();
    asked += records->size();
    total_ += records->size();
    co_return records;
}

void base_reader::take(record const& one, stream_id const& of,
                       std::optional<stream_metadata::parent_type> const& forked)
{
    commit_graph::node node;
    node.created_at = one.created_at;
    node.standings.emplace_back(one.id, line(of), one.seq.value());
    position here;
    here.stream = of;
    here.seq = one.seq;
    here.id = one.id;
    places_.insert_or_assign(one.id, std::move(here));
    if (one.parent) {
        position at;
        bool const first = forked && forked->seq.next() == one.seq;
        at.stream = first ? *stream_id::parse(forked->stream) : of;
        at.seq = sequence(one.seq.value() - 1);
        at.id = one.parent;
        node.parents.push_back(*one.parent);
        node.standings.emplace_back(*one.parent, line(at.stream), at.seq.value());
        places_.insert_or_assign(*one.parent, std::move(at));
    }
    if (one.origin && one.origin->kind != lineage::kind_type::retire) {
        auto const& other = one.origin->merged_parent_commit_id;
        node.parents.push_back(other);
        auto const stream = stream_id::parse(one.origin->source_stream.value_or(""));
        if (stream && one.origin->source_seq && sequence(*one.origin->source_seq) <= last_sequence) {
            position at;
            at.stream = *stream;
            at.seq = sequence(*one.origin->source_seq);
            at.id = other;
            claims_.emplace(other, std::move(at));
        }
    }
    known_.add(one.id, std::move(node));
}

// At its place, or at the fork of a child that has it from there.
task<snapshot> base_reader::state_of(commit_id id)
{
    std::vector<position> places;
    for (auto const* const each : {&places_, &claims_}) {
        if (auto const at = each->find(id); at != each->end()) places.push_back(at->second);
    }
    for (auto const& [name, each] : streams_) {
        position at;
        at.stream = *stream_id::parse(name);
        bool const forked_there =
            each->is_open() && each->known().metadata.parent && each->known().metadata.parent->id == id;
        if (!forked_there) continue;
        at.seq = each->known().metadata.parent->seq;
        places.push_back(std::move(at));
    }
    error why(errc::not_found);
    for (auto const& each : places) {
        auto& from = stream(each.stream);
        auto found = co_await from.at(each.seq);
        if (found && found->id() == id) co_return found;
        if (!found && !is_gone(found.error()) && !leaves_gaps(from, found.error())) why = found.error();
    }
    co_return why;
}

error base_reader::gap_at(commit_id const& id) const
{
    if (auto const doubt = doubts_.find(id); doubt != doubts_.end()) return doubt->second;
    std::string key;
    for (auto const* const each : {&claims_, &places_}) {
        auto const at = each->find(id);
        if (at != each->end()) key = layout::record(at->second.stream, at->second.seq).text();
    }
    diagnostics why("merge", key,
                    "commit " + id.text()
                        + (key.empty() ? " names no place, and no stream of this graph has it" : " is gone")
                        + ", and what the branches have in common may depend on it; bring the source's changes over as "
                          "a commit of your own, and keep more history when cleaning up");
    why.facts.emplace_back("missing_commit", id.text());
    return {errc::history_gap, std::move(why)};
}

}  // namespace headwater
