// One read of the record that is named, beside its stream's metadata.
#include "src/log/lineage_check.hpp"

#include "src/format/object_layout.hpp"
#include "src/log/commit_search.hpp"
#include "src/log/open_stream.hpp"

namespace headwater {

namespace {

error no_lineage(std::string what) { return {errc::invalid_argument, "lineage: " + std::move(what)}; }

error no_other_parent(commit_id const& id, std::string what)
{
    diagnostics why("publish", "", "lineage: commit " + id.text() + ' ' + std::move(what) + "; nothing was written");
    why.facts.emplace_back("merged_parent", id.text());
    return {errc::precondition_failed, std::move(why)};
}

bool means_absence(error const& what)
{
    return what == errc::not_found || what == errc::branch_not_found || what == errc::pruned;
}

// Of a record, or of the state that a floor's checkpoint keeps.
task<std::optional<commit_id>> id_at(open_stream& in, sequence seq)
{
    auto const found = co_await in.record_at(seq);
    if (found) co_return std::optional(found->id);
    if (!(found.error() == errc::pruned)) co_return found.error();
    auto const state = co_await in.at(seq);
    if (!state) co_return state.error();
    co_return state->id();
}

// Of a stream that ended, and that nothing names yet, a sweep takes the oldest record first, and the others next.
task<bool> is_being_swept(object_store& store, open_stream const& of)
{
    if (!of.retired()) co_return false;
    object_key const oldest = layout::record(of.known().stream, of.known().metadata.floor.next());
    auto const there = co_await store.head(oldest);
    if (!there && !(there.error() == errc::not_found)) co_return there.error();
    co_return !there.has_value();
}

}  // namespace

result<void> check_lineage(lineage const& wanted, position const& base)
{
    auto const& id = wanted.merged_parent_commit_id;
    if (id.empty()) return no_lineage("merged_parent_commit_id must not be empty");
    if (base.id == id) return no_lineage("merged_parent_commit_id is the first parent, " + id.text());
    if (wanted.source_stream.has_value() != wanted.source_seq.has_value()) {
        return no_lineage("source_stream and source_seq go together");
    }
    if (!wanted.source_stream) return {};
    auto const stream = stream_id::parse(*wanted.source_stream);
    if (!stream) return no_lineage("source_stream: " + stream.error().message());
    sequence const seq(*wanted.source_seq);
    if (seq == sequence() || seq > last_sequence) return no_lineage("source_seq is no record's");
    if (*stream == base.stream && seq > base.seq) {
        return no_lineage("seq " + std::to_string(seq.value()) + " of " + stream->text()
                          + " comes after the commit that would have it as a parent");
    }
    return {};
}

task<lineage> settle_lineage(object_store& store, clock& time, lineage wanted)
{
    auto const id = wanted.merged_parent_commit_id;
    if (!wanted.source_stream) {
        auto const found = co_await find_commit(store, id);
        if (!found) co_return found.error();
        if (!*found) co_return no_other_parent(id, "is in no stream of this graph, and source_stream names none");
        wanted.source_stream = (*found)->stream.text();
        wanted.source_seq = (*found)->seq.value();
    }
    open_stream from(store, *stream_id::parse(*wanted.source_stream), time, ended_lives::readable);
    auto const place = "seq " + std::to_string(*wanted.source_seq) + " of " + *wanted.source_stream;
    auto const there = co_await id_at(from, sequence(*wanted.source_seq));
    if (!there && !means_absence(there.error())) co_return there.error();
    if (!there) co_return no_other_parent(id, "is not at " + place + ": " + there.error().message());
    if (*there != id) {
        co_return no_other_parent(id,
                                  "is not at " + place + ", where " + (*there ? (*there)->text() : "nothing") + " is");
    }
    auto const swept = co_await is_being_swept(store, from);
    if (!swept) co_return swept.error();
    if (*swept) {
        co_return no_other_parent(id, "is at " + place + ", but the branch was deleted and cleanup is taking it away");
    }
    co_return wanted;
}

}  // namespace headwater
