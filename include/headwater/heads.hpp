// heads: the table heads of one position as RFC-024 sees them: every identity, live or dropped, and whether they are
// what the records say and what a caller expects. Stands above reader; the values are a snapshot's and a tombstone
// set's.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/object_store.hpp>
#include <headwater/reader.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// A live head that a caller relies on.
struct expected_head {
    expected_head() = default;

    table_identity table;
    std::optional<std::string> table_key;    ///< Nothing: any.
    std::optional<std::string> schema_hash;  ///< Nothing: any.

    friend bool operator==(expected_head const&, expected_head const&) = default;
};

/// Reads a JSON array of objects with `stable_table_id`, `incarnation` and, if wanted, `table_key` and `schema_hash`.
/// `invalid_argument`, with the JSON path, for anything else; `limit_exceeded` above `max_record_bytes`.
HEADWATER_EXPORT result<std::vector<expected_head>> decode_expected_heads(std::string_view json);

/// One thing that is not as it must be.
struct head_finding {
    enum class kind_type {
        missing,          ///< An expected head, or one that the records lead to, is not live.
        unexpected,       ///< A live head that the records do not lead to.
        duplicate,        ///< Two live heads, or two expectations, of one identity or key.
        mismatched,       ///< A head differs from the expectation or from the records.
        malformed,        ///< An identity of 0, or an empty key or location.
        lost_tombstone,   ///< A dropped identity is in no tombstone set.
        stray_tombstone,  ///< A tombstone that no record makes, or one of a live identity.
    };
    head_finding() = default;

    kind_type kind = kind_type::missing;
    table_identity table;
    std::string detail;

    friend bool operator==(head_finding const&, head_finding const&) = default;
};

/// `missing`, `lost_tombstone`, …
HEADWATER_EXPORT std::string_view to_string(head_finding::kind_type kind) noexcept;

/// What the live heads lack of what is expected. Pure.
HEADWATER_EXPORT std::vector<head_finding> check_expected(std::span<head const> live,
                                                          std::span<expected_head const> expected);

/// The live heads and tombstones of `when` against each other, and against those that `by_records` leads to: every
/// record after the oldest base, folded one by one without carry or later checkpoint. Pure.
HEADWATER_EXPORT std::vector<head_finding> check_heads(std::span<head const> live, std::span<tombstone const> dropped,
                                                       std::span<head const> live_by_records,
                                                       std::span<tombstone const> dropped_by_records);

/// Folds every record from the floor to `when` again and compares (RFC-024, `heads verify`); below a branch's fork, its
/// parent's records. Costs one request for each of those records, 50 at once, and the floor's checkpoint and set.
/// Errors: the reader's. `from` must outlive the task.
HEADWATER_EXPORT task<std::vector<head_finding>> verify_heads(reader& from, snapshot when);

}  // namespace headwater
