// intent: what a caller wants one graph commit to change; a record without what publishing adds. Comes from callers, as
// values or as the JSON that the command line reads.
#pragma once

#include <headwater/record.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// The wish for one commit. Lists apply in the order tombstones, renames (all at once), registrations, pins.
struct intent {
    intent() = default;

    std::optional<std::string> actor;
    std::optional<schema_identity> schema;  ///< Nothing keeps the schema in force.
    std::vector<pin_change> pins;
    std::vector<registration> registrations;
    std::vector<drop> tombstones;
    std::vector<rename> renames;
    std::optional<lineage> origin;
    /// A commit with the same key above the stream's floor answers for this one, which is not made: see `publisher`.
    std::optional<std::string> idempotency_key;
    /// The content of `schema`, whose content_hash must be its SHA-256: archived before the commit. Nothing: the caller
    /// has seen to it.
    std::optional<bytes> schema_content;

    friend bool operator==(intent const&, intent const&) = default;
};

/// Reads one JSON object with a record's `actor`, `schema`, `pins`, `registrations`, `tombstones`, `renames`, `lineage`
/// and `idempotency_key`; only `pins` is needed. `invalid_argument`, with the JSON path: anything FORMAT section 3
/// forbids, a member that a record does not have (a typo must not be lost), and a pin's or registration's unknown
/// member that would stand for one of a head's own. Other unknown members of pins and registrations are kept.
/// `limit_exceeded` above `max_record_bytes`.
HEADWATER_EXPORT result<intent> decode_intent(std::string_view json);

}  // namespace headwater
