// checkpoint: every live head at one seq, and the tombstone sets beside it. Derived, rebuildable, never authority.
#pragma once

#include <headwater/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// What a state's digest takes in beside heads and tombstones.
struct state_header {
    state_header() = default;

    sequence seq;
    std::optional<commit_id> head_commit_id;  ///< Nothing at seq 0.
    std::uint64_t created_at = 0;             ///< Of the record at seq; 0 at seq 0.
    std::optional<schema_identity> schema;

    friend bool operator==(state_header const&, state_header const&) = default;
};

/// The dropped identities of a state, without most of their content.
struct tombstoned_summary {
    tombstoned_summary() = default;

    std::uint64_t count = 0;
    set_digest digest;               ///< Over all of them.
    std::optional<std::string> set;  ///< Names the object with those up to the last boundary; nothing: none.
    std::vector<tombstone> since;    ///< The later ones, sorted by identity.

    friend bool operator==(tombstoned_summary const&, tombstoned_summary const&) = default;
};

/// One checkpoint.
struct checkpoint {
    checkpoint() = default;

    std::string stream;
    state_header header;
    std::vector<head> heads;  ///< Sorted by stable_table_id; one live incarnation each.
    tombstoned_summary tombstoned;
    set_digest state_digest;

    friend bool operator==(checkpoint const&, checkpoint const&) = default;
};

/// The checkpoint's bytes, the same whoever writes it. `limit_exceeded` above `max_checkpoint_bytes`.
HEADWATER_EXPORT result<bytes> encode(checkpoint const& value);
/// Reads a checkpoint that stands at (`stream`, `seq`): sorted, unique identities and keys, as FORMAT section 3 says.
/// Does not recompute the digest: `verified` does. Errors as `decode_record`.
HEADWATER_EXPORT result<checkpoint> decode_checkpoint(std::string_view json, stream_id const& stream, sequence seq);

/// The digest that the checkpoint's content has.
HEADWATER_EXPORT set_digest digest_of(checkpoint const& value);
/// A header's canonical bytes (FORMAT section 5).
HEADWATER_EXPORT std::string canonical_bytes(state_header const& value);

/// A tombstone set's object: `tombstones/{digest}.json`. Sorted by identity.
HEADWATER_EXPORT result<bytes> encode_tombstones(std::vector<tombstone> const& set);
/// Reads the set named `digest` (64 hex); a content with another digest is `corrupt`.
HEADWATER_EXPORT result<std::vector<tombstone>> decode_tombstones(std::string_view json, std::string_view digest);

}  // namespace headwater
