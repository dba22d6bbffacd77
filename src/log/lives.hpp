// lives: the lives of branches as their metadata has them: read, list, end. Stands between the codecs and those who ask
// which streams there are and which of them live: branches, and the upkeep.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/record.hpp>
#include <headwater/stream_metadata.hpp>
#include <headwater/task.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace headwater {

/// One life of a branch.
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

/// What the answer for format.json says. `not_found`: no graph; `unsupported`: a conversion is pending. Pure.
result<graph_format> read_marker(result<object> const& answer, object_store const& store);
task<graph_opened> open_graph(object_store& store, clock& time);
/// The metadata of one stream; `not_found` where there is none.
task<life> read_life(object_store& store, stream_id stream);
/// The streams that have metadata, sorted; keys that are no metadata's go to `stray`, if that is not null.
task<std::vector<stream_id>> list_streams(object_store& store, std::vector<object_key>* stray);

/// Nothing may follow this record.
bool retires(record const& last);
/// How the retire record `last` ended its stream; the same whoever records it.
stream_metadata::retired_type ending_of(record const& last);
/// The metadata that keeps a life whose creation did not end from ever beginning.
stream_metadata stillborn(stream_id const& stream, std::string_view by, std::uint64_t now_ms);

/// How often `end_life` reads again what others changed meanwhile.
inline constexpr unsigned max_end_attempts = 8;
/// Records the end in the metadata, under the etag it was read with, and answers what it then is. One that is recorded
/// already stays.
task<life> end_life(object_store& store, life of, stream_metadata::retired_type end);

}  // namespace headwater
