// retained_walk: reads what a stream retains, oldest first, and gathers what it names: pins (the roots), tombstone
// sets, schemas, source streams. One object that cannot be read ends it: what it names would be lost.
#pragma once

#include "src/upkeep/graph_listing.hpp"
#include "src/upkeep/stored.hpp"

#include <headwater/cleanup.hpp>

#include <map>
#include <set>
#include <string>

namespace headwater {

/// Which part of a stream is retained.
struct retained_part {
    sequence records_above;     ///< Records in (records_above, newest] are read.
    sequence roots_above;       ///< Of those, pins above this are roots.
    sequence checkpoints_from;  ///< Checkpoints below are on their way out.
    sequence newest;
};

class retained_walk {
public:
    /// `sink` may be empty.
    retained_walk(object_store& store, root_sink const& sink) : store_(store), sink_(sink) {}

    task<void> walk(stream_id stream, stream_facts const& facts, retained_part part);

    std::set<std::string> const& sets() const noexcept { return sets_; }        ///< Names of tombstone sets.
    std::set<std::string> const& schemas() const noexcept { return schemas_; }  ///< 64 hex.
    std::set<std::string> const& sources() const noexcept { return sources_; }  ///< Of lineages.

private:
    task<void> take_checkpoint(stream_id stream, sequence seq);
    result<void> take_record(record const& one, bool rooted);
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
};

}  // namespace headwater
