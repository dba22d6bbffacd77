// graph_listing: what lies in a graph, page by page: every life of every branch, and which of a stream's names exist.
// Stands between the store and the upkeep plans, which never see a listing.
#pragma once

#include "src/upkeep/seq_runs.hpp"

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/stream_metadata.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// The pages of one listing, one at a time.
class listing {
public:
    /// The most pages that one listing has.
    static constexpr std::size_t max_list_pages = 1'000'000;

    listing(object_store& store, std::string prefix, std::string_view delimiter = {})
        : store_(store), prefix_(std::move(prefix)), delimiter_(delimiter)
    {
    }
    /// Nothing after the last page. `limit_exceeded` names `max_list_pages`.
    task<std::optional<list_page>> next();

private:
    object_store& store_;
    std::string prefix_;
    std::string_view delimiter_;
    std::optional<std::string> continuation_;
    std::size_t pages_ = 0;
};

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
};

task<stream_facts> list_stream(object_store& store, stream_id stream, age_limits limits);

/// One life of a branch, as its metadata has it.
struct life {
    life() = default;

    stream_id stream;
    stream_metadata metadata;
    etag tag;
    std::optional<time_ms> last_modified;  ///< Of the metadata.
};

/// A graph's marker, and the store's time as it was read.
struct graph_opened {
    graph_opened() = default;

    graph_format format;
    time_ms now{};
};

/// `not_found`: no graph; `unsupported`: a conversion is pending.
task<graph_opened> open_graph(object_store& store, clock& time);
/// The metadata of one stream; `not_found` where there is none.
task<life> read_life(object_store& store, stream_id stream);
/// The streams that have metadata, sorted; keys that are no metadata's go to `stray`.
task<std::vector<stream_id>> list_streams(object_store& store, std::vector<object_key>* stray);
/// The streams below whose prefix anything stands, sorted; other folders and keys right below `_graph/` go to `stray`.
task<std::vector<stream_id>> list_folders(object_store& store, std::vector<object_key>* stray);

}  // namespace headwater
