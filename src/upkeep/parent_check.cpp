// The parent's record at the fork decides; at the parent's floor its checkpoint; below that the child's own first one.
#include "src/upkeep/parent_check.hpp"

#include "src/upkeep/graph_listing.hpp"
#include "src/upkeep/stored.hpp"

#include <utility>

namespace headwater {

namespace {

std::string at_seq(sequence seq) { return "seq " + std::to_string(seq.value()); }

std::string otherwise(stream_metadata::parent_type const& told, commit_id const& there)
{
    return "it says that the branch began at the commit " + (told.id ? told.id->text() : "none") + ", "
           + at_seq(told.seq) + " of " + told.stream + ", and the commit there is " + there.text();
}

// The commit that a checkpoint is of, if it is there and can be decoded.
task<std::optional<commit_id>> commit_of_checkpoint(object_store& store, stream_id stream, sequence seq)
{
    auto const read = co_await read_checkpoint(store, std::move(stream), seq);
    if (!read) co_return read.error();
    co_return read->value ? read->value->header.head_commit_id : std::nullopt;
}

// Nothing stands at a fork above the parent's floor: pruned meanwhile, a hole, which the parent's own check tells, or a
// place that the parent never reached.
task<std::optional<std::string>> fault_of_absence(object_store& store, stream_metadata::parent_type told,
                                                  stream_id stream)
{
    using text = std::optional<std::string>;
    auto const again = co_await read_life(store, stream);
    if (!again) co_return again.error();
    if (told.seq <= again->metadata.floor) co_return text();
    age_limits const ageless;
    auto const facts = co_await list_stream(store, std::move(stream), ageless);
    if (!facts) co_return facts.error();
    auto newest = facts->records.newest().value_or(again->metadata.floor);
    if (again->metadata.retired) newest = std::max(newest, again->metadata.retired->final_seq);
    if (told.seq <= newest) co_return text();
    co_return text("it says that the branch began at " + at_seq(told.seq) + " of " + told.stream + ", which ends at "
                   + at_seq(newest));
}

}  // namespace

task<std::optional<std::string>> parent_fault(object_store& store, stream_metadata child, std::optional<life> parent)
{
    using text = std::optional<std::string>;
    if (!child.parent) co_return text();
    auto const told = *child.parent;
    if (!parent) {
        co_return text("it says that the branch began in the stream " + told.stream
                       + ", which the graph does not have: put that stream's metadata back, or this as it was");
    }
    if (told.seq == sequence()) co_return text();
    if (told.seq > parent->metadata.floor) {
        auto const page = co_await read_records(store, parent->stream, told.seq, 1);
        if (!page) co_return page.error();
        auto const& there = page->front();
        if (there) co_return there->id == told.id ? text() : text(otherwise(told, there->id));
        if (!(there.error() == errc::not_found)) co_return text();
        co_return co_await fault_of_absence(store, told, parent->stream);
    }
    auto there = co_await commit_of_checkpoint(store, parent->stream, told.seq);
    if (there && !*there && child.floor == told.seq) {
        auto own = stream_id::parse(child.stream);
        if (!own) co_return own.error();
        there = co_await commit_of_checkpoint(store, std::move(*own), told.seq);
    }
    if (!there) co_return there.error();
    co_return !*there || *there == told.id ? text() : text(otherwise(told, **there));
}

std::optional<std::string> end_fault(stream_metadata const& of, record const& newest)
{
    if (!of.retired || !retires(newest) || newest.seq == of.retired->final_seq) return std::nullopt;
    auto const ended = ending_of(newest);
    // Another's, which landed late beside the one that ended it, is no commit.
    bool const late = newest.seq > of.retired->final_seq && (ended.at != of.retired->at || ended.by != of.retired->by);
    if (late) return std::nullopt;
    return "it says that the branch ended at " + at_seq(of.retired->final_seq) + ", and the record that ends it is at "
           + at_seq(newest.seq);
}

}  // namespace headwater
