// record: one graph commit, and the parts that heads and checkpoints share with it. FORMAT section 3.
// The structs mirror the JSON member by member; an optional is `null` or absent there.
#pragma once

#include <headwater/bytes.hpp>
#include <headwater/clock.hpp>
#include <headwater/digest.hpp>
#include <headwater/error.hpp>
#include <headwater/export.hpp>
#include <headwater/names.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// The format that this library writes, and the greatest that it reads.
inline constexpr std::uint64_t format_version = 1;

/// The greatest size, in bytes, of each kind of object, to read and to write.
inline constexpr std::size_t max_hint_bytes = 4 << 10;
inline constexpr std::size_t max_metadata_bytes = 64 << 10;
inline constexpr std::size_t max_record_bytes = 16 << 20;
inline constexpr std::size_t max_checkpoint_bytes = 256 << 20;
inline constexpr std::size_t max_schema_bytes = 64 << 20;
/// `created_at` from here on (the year 2248) is refused.
inline constexpr std::uint64_t max_created_at_ms = 1ull << 43;

/// A member that this version does not know, kept as found.
struct unknown_member {
    unknown_member() = default;
    unknown_member(std::string what, std::string as_found) : name(std::move(what)), text(std::move(as_found)) {}

    std::string name;  ///< Unescaped.
    std::string text;  ///< `"name":value`, both byte for byte.

    friend bool operator==(unknown_member const&, unknown_member const&) = default;
};

/// The schema in force.
struct schema_identity {
    schema_identity() = default;

    std::string identity_domain;
    std::string ir_hash;
    std::uint64_t identity_version = 0;
    std::string content_hash;

    friend bool operator==(schema_identity const&, schema_identity const&) = default;
};

/// The physical version of a table.
struct pin {
    pin() = default;

    std::uint64_t target_version = 0;
    std::optional<std::uint64_t> staged_version;
    std::optional<std::string> transaction_uuid;
    std::uint64_t entity_count = 0;
    std::optional<std::string> table_branch;
    std::optional<std::string> metadata;  ///< A JSON object, byte for byte as the pin had it.

    friend bool operator==(pin const&, pin const&) = default;
};

/// `pins[]`: makes `version` current for a live identity.
struct pin_change {
    pin_change() = default;

    table_identity table;
    std::string table_key;
    pin version;
    std::optional<std::string> schema_hash;  ///< Replaces the head's.
    std::vector<unknown_member> unknown;

    friend bool operator==(pin_change const&, pin_change const&) = default;
};

/// `registrations[]`: an identity comes to life.
struct registration {
    registration() = default;

    table_identity table;
    std::string table_key;
    std::string location;
    std::optional<std::string> schema_hash;
    std::vector<unknown_member> unknown;

    friend bool operator==(registration const&, registration const&) = default;
};

/// `tombstones[]` of a record: a live identity is dropped.
struct drop {
    drop() = default;

    table_identity table;
    std::string table_key;

    friend bool operator==(drop const&, drop const&) = default;
};

/// `renames[]`: only the public name changes.
struct rename {
    rename() = default;

    table_identity table;
    std::string from;
    std::string to;

    friend bool operator==(rename const&, rename const&) = default;
};

/// Where a commit's content came from besides its parent, or that its stream ends here.
struct lineage {
    enum class kind_type { merge, fast_forward, retire };
    lineage() = default;

    kind_type kind = kind_type::merge;
    std::optional<std::string> source_stream;  ///< Not for retire.
    std::optional<std::uint64_t> source_seq;   ///< Not for retire.
    commit_id merged_parent_commit_id;         ///< Not for retire.

    friend bool operator==(lineage const&, lineage const&) = default;
};

/// The current state of one live identity (RFC-024).
struct head {
    head() = default;

    table_identity table;
    std::string table_key;
    std::string location;
    std::optional<std::string> schema_hash;
    sequence registered_seq;
    std::optional<pin> version;           ///< Nothing until the first pin.
    std::optional<sequence> pinned_seq;   ///< Of the pin.
    commit_id head_commit_id;             ///< The commit that last changed this head.
    std::vector<unknown_member> unknown;  ///< Of its registration and pins: FORMAT section 3, Reading.

    friend bool operator==(head const&, head const&) = default;
};

/// The final state of one dropped identity.
struct tombstone {
    tombstone() = default;

    table_identity table;
    std::string table_key;
    std::string location;
    std::optional<std::uint64_t> target_version;
    std::optional<std::string> table_branch;
    sequence seq;              ///< The record that dropped it.
    commit_id head_commit_id;  ///< That record's commit id.
    std::vector<unknown_member> unknown;

    friend bool operator==(tombstone const&, tombstone const&) = default;
};

/// How the state at seq-1 differs from the checkpoint at `base`. Derived, never authority.
struct carry {
    carry() = default;

    sequence base;
    std::vector<head> heads;            ///< Live heads that differ, sorted by stable_table_id.
    std::vector<tombstone> tombstones;  ///< Dropped since, sorted by identity.

    friend bool operator==(carry const&, carry const&) = default;
};

/// One graph commit.
struct record {
    record() = default;

    sequence seq;
    commit_id id;
    std::optional<commit_id> parent;
    std::string stream;  ///< A stream_id's text in our own graphs.
    std::optional<std::string> actor;
    std::uint64_t created_at = 0;  ///< Milliseconds since 1970.
    std::optional<schema_identity> schema;
    std::vector<pin_change> pins;
    std::vector<registration> registrations;
    std::vector<drop> tombstones;
    std::vector<rename> renames;
    std::optional<lineage> origin;
    std::optional<std::string> idempotency_key;
    std::optional<std::string> source;  ///< A JSON object, byte for byte.
    std::optional<carry> carried;
    std::optional<set_digest> state_digest;
    std::vector<unknown_member> unknown;  ///< Written after the known members.

    friend bool operator==(record const&, record const&) = default;
};

/// The record's bytes: compact JSON in the order of FORMAT section 3. `limit_exceeded` above `max_record_bytes`.
HEADWATER_EXPORT result<bytes> encode(record const& value);
/// Reads a record that stands at (`stream`, `seq`). `unsupported`: a newer format or an unknown lineage kind;
/// `corrupt`: anything FORMAT section 3 forbids. The error has the key and the JSON path.
HEADWATER_EXPORT result<record> decode_record(std::string_view json, stream_id const& stream, sequence seq);

/// A head's and a tombstone's canonical bytes (FORMAT section 5): what the digests are taken over.
HEADWATER_EXPORT std::string canonical_bytes(head const& value);
HEADWATER_EXPORT std::string canonical_bytes(tombstone const& value);

/// A head's bytes as a checkpoint has them: the canonical ones and, last, the unknown members.
HEADWATER_EXPORT std::string encode(head const& value);

}  // namespace headwater
