// retained_walk: reads what a stream retains, oldest first, and gathers what it names: pins (the roots), tombstone
// sets, schemas, source streams. One object that cannot be read ends it: what it names would be lost. One that is gone
// from a stream that ended does not: it names nothing any more.
#pragma once

#include "src/upkeep/graph_listing.hpp"
#include "src/upkeep/stored.hpp"

#include <headwater/cleanup.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>

namespace headwater {

/// Which part of a stream is retained.
struct retained_part {
    sequence records_above;     ///< Records in (records_above, newest] are read.
    sequence roots_above;       ///< Of those, pins above this are roots.
    sequence checkpoints_from;  ///< Checkpoints below are on their way out.
    sequence newest;
    bool may_lack = false;           ///< The stream ended: a sweep that was stopped may have taken some.
    bool may_grow = false;           ///< Checkpoints of any state from records_above on may still come to be.
    seq_runs const* seen = nullptr;  ///< Checkpoints at or below records_above that were read before, if any.
};

class retained_walk {
public:
    /// `sink` may be empty.
    retained_walk(object_store& store, root_sink const& sink) : store_(store), sink_(sink) {}

    task<void> walk(stream_id stream, stream_facts const& facts, std::uint64_t interval, retained_part part);

    /// Names of tombstone sets: of each checkpoint, and of those that somebody may be about to write.
    std::set<std::string> const& sets() const noexcept { return sets_; }
    /// False: the records of a stream did not fold, so that any set may be one of those.
    bool sets_complete() const noexcept { return sets_complete_; }
    std::set<std::string> const& schemas() const noexcept { return schemas_; }  ///< 64 hex.
    std::set<std::string> const& sources() const noexcept { return sources_; }  ///< Of lineages.

private:
    task<void> take_checkpoint(stream_id stream, sequence seq, retained_part const& part);
    result<void> take_record(record const& one, bool rooted);
    result<void> take_heads(std::vector<head> const& heads);
    void fold(record const& one, std::uint64_t interval, sequence newest);
    result<void> emit(table_identity table, std::string const& key, pin const& version);
    void take_schema(std::optional<schema_identity> const& schema);

    object_store& store_;
    root_sink const& sink_;
    std::set<std::string> sets_;
    std::set<std::string> schemas_;
    std::set<std::string> sources_;
    // Of the stream being walked: where each table lies, and its last root, so that a checkpoint repeats none.
    std::map<table_identity, std::string> locations_;
    std::map<table_identity, pin> last_;
    std::optional<state> content_;
    bool lacks_ = false;  // Records before this one are gone, so that its carry alone names what they did.
    bool sets_complete_ = true;
};

}  // namespace headwater
