// graph_listing: what lies in a graph, page by page: which streams have objects, and which of a stream's names exist.
// Stands between the store and the upkeep plans, which never see a listing.
#pragma once

#include "src/log/listing.hpp"
#include "src/log/lives.hpp"
#include "src/upkeep/seq_runs.hpp"

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>

#include <optional>
#include <vector>

namespace headwater {

/// By when an object is young: what cleanup leaves alone, and what `--older-than` keeps. Nothing: none is.
struct age_limits {
    std::optional<time_ms> young_after;
    std::optional<time_ms> kept_after;
};

/// The names below one stream's prefix.
struct stream_facts {
    stream_facts() = default;

    /// Takes one row. What is no name of FORMAT's goes to `stray`.
    void take(object_meta const& row, stream_id const& stream, age_limits const& limits);

    seq_runs records;
    seq_runs settled_records;  ///< Those that are not young.
    seq_runs checkpoints;
    seq_runs settled_checkpoints;
    std::optional<sequence> oldest_young;  ///< The least record that is young.
    std::optional<sequence> oldest_kept;   ///< The least record that `kept_after` keeps.
    bool hint = false;
    bool young = false;  ///< Any object is.
    std::vector<object_key> stray;
    std::vector<object_key> leftovers;  ///< Of those, what a stopped write left, if it is not young.
};

task<stream_facts> list_stream(object_store& store, stream_id stream, age_limits limits);

/// The streams below whose prefix anything stands, sorted; other folders and keys right below `_graph/` go to `stray`.
task<std::vector<stream_id>> list_folders(object_store& store, std::vector<object_key>* stray);

}  // namespace headwater
