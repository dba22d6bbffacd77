// The small authority objects: the graph's marker (format.json), a stream's metadata, a branch's name.
// FORMAT section 3.
#pragma once

#include <headwater/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

inline constexpr std::string_view graph_layout = "graph-commit-record";
inline constexpr std::uint64_t storage_stamp = 15;
inline constexpr std::uint64_t default_checkpoint_interval = 50;
inline constexpr std::uint64_t default_carry_limit = 32768;
/// The greatest `checkpoint_interval`: one read without carry fetches at most that many records.
inline constexpr std::uint64_t max_checkpoint_interval = 1000;

/// format.json, the root marker.
struct graph_format {
    enum class state_type { active, pending };
    struct claim_type {
        claim_type() = default;
        std::string operation;
        std::string owner;
        std::vector<unknown_member> unknown;
        friend bool operator==(claim_type const&, claim_type const&) = default;
    };
    graph_format() = default;

    std::string identity_domain;
    std::uint64_t checkpoint_interval = default_checkpoint_interval;
    std::uint64_t carry_limit = default_carry_limit;  ///< Bytes.
    state_type state = state_type::active;
    std::uint64_t created_at = 0;
    std::optional<claim_type> claim;
    std::optional<std::uint64_t> converted_from;
    std::vector<unknown_member> unknown;

    friend bool operator==(graph_format const&, graph_format const&) = default;
};

/// The branch authority: one per stream.
struct stream_metadata {
    struct parent_type {
        parent_type() = default;
        std::string stream;
        sequence seq;
        std::optional<commit_id> id;
        std::vector<unknown_member> unknown;
        friend bool operator==(parent_type const&, parent_type const&) = default;
    };
    struct retired_type {
        retired_type() = default;
        std::uint64_t at = 0;
        std::string by;
        sequence final_seq;
        std::vector<unknown_member> unknown;
        friend bool operator==(retired_type const&, retired_type const&) = default;
    };
    stream_metadata() = default;

    std::string stream;
    std::string logical;
    std::optional<parent_type> parent;
    std::string creator;
    std::uint64_t created_at = 0;
    sequence floor;
    std::optional<retired_type> retired;
    std::vector<unknown_member> unknown;

    friend bool operator==(stream_metadata const&, stream_metadata const&) = default;
};

/// Which stream a branch name means.
struct branch_pointer {
    branch_pointer() = default;

    std::string logical;
    std::string stream;
    std::vector<unknown_member> unknown;

    friend bool operator==(branch_pointer const&, branch_pointer const&) = default;
};

/// Each pair is an identity; decoding refuses what FORMAT section 3 forbids, and a stream or name that is not its
/// key's.
HEADWATER_EXPORT result<bytes> encode(graph_format const& value);
HEADWATER_EXPORT result<graph_format> decode_graph_format(std::string_view json);
HEADWATER_EXPORT result<bytes> encode(stream_metadata const& value);
HEADWATER_EXPORT result<stream_metadata> decode_stream_metadata(std::string_view json, stream_id const& stream);
HEADWATER_EXPORT result<bytes> encode(branch_pointer const& value);
HEADWATER_EXPORT result<branch_pointer> decode_branch_pointer(std::string_view json, branch_name const& name);

}  // namespace headwater
