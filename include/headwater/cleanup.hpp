// cleanup: retention: how much history each stream keeps, and what nothing names any more. FORMAT section 4,
// "Retention". One run raises a stream's floor; a later one, when the floor has stood for an hour, deletes what it
// covers.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/cost.hpp>
#include <headwater/export.hpp>
#include <headwater/names.hpp>
#include <headwater/object_store.hpp>
#include <headwater/record.hpp>
#include <headwater/task.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headwater {

class prover;

/// What to keep, and how to go about it.
struct cleanup_options {
    std::optional<std::uint64_t> keep{};  ///< Each live stream's newest records, at least 1.
    /// Keeps records that are younger too, by their Last-Modified. With neither, no floor is raised.
    std::optional<std::chrono::milliseconds> older_than{};
    bool confirm = false;  ///< False: nothing is written or deleted, the report says what would be.
    /// Sleeps until a raised floor has stood for an hour by the store's clock, then deletes; 24 times at most.
    bool wait = false;
    bool quiesced = false;  ///< Nothing else has the graph open: no hour of grace, everything at once.
    /// With `confirm`: asked for proof of updates (probe.hpp), `unsupported` without. Null: the caller knows the store.
    prover* proofs = nullptr;
};

/// A version of a table that retained history still names.
struct root {
    root() = default;

    table_identity table;
    std::string table_key;
    std::string location;
    pin version;
};
/// Takes the roots one by one; an error ends the cleanup before a floor moves, or, about what came to be while it ran,
/// before anything but void records is deleted.
using root_sink = std::function<result<void>(root const&)>;

/// What became, or would become, of one stream.
struct stream_cleanup {
    stream_cleanup() = default;

    stream_id stream;
    bool retired = false;
    bool pinned = false;  ///< Retired, but a live child or a retained commit still names it.
    sequence newest;
    sequence floor_before;
    sequence floor;                   ///< What it is, or would be, afterwards.
    std::uint64_t records = 0;        ///< Deleted, or to be deleted now.
    std::uint64_t checkpoints = 0;    ///< The same.
    std::uint64_t records_later = 0;  ///< What the floor covers and leaves for a later run.
    std::uint64_t checkpoints_later = 0;
    std::optional<error> fault;  ///< What of it cannot be read. It was left as it is.
};

struct cleanup_report {
    cleanup_report() = default;

    bool confirmed = false;
    std::vector<stream_cleanup> streams;  ///< Sorted by stream; retired ones only if they have objects.
    std::vector<stream_id> unfinished;    ///< Lives without metadata, which got it, retired.
    std::uint64_t tombstone_sets = 0;     ///< Deleted, or to be deleted now: no checkpoint names them.
    std::uint64_t schemas = 0;            ///< The same: no retained record names them.
    std::uint64_t leftovers = 0;          ///< The same: what stopped writes to files left.
    std::uint64_t hints = 0;              ///< Healed.
    std::optional<time_ms> due;           ///< When a later run may delete more; nothing: nothing is left.
    cost spent;

    /// Whether a stream could not be read. The others were cleaned up, but for all that it may name: retired streams,
    /// tombstone sets and schemas stay.
    bool corrupt() const noexcept;
};

/// Plans and, with `confirm`, acts: ends what a retire record ended, heals checkpoint and hint, reads what stays,
/// deletes what a floor has covered for an hour, raises floors by conditional update, looks what came to be meanwhile,
/// then deletes what nothing names. Safe to run again after it was stopped anywhere, and beside readers, publishers and
/// other cleanups. `roots` (may be empty) gets every pin that is named by a record above the floor, or by a checkpoint;
/// it is complete only if the task succeeds.
///
/// A stream of which something that is retained cannot be read is left as it is and named in the report, with or
/// without `confirm`; the others are cleaned up. With `roots` it is an error, since they would not be all.
///
/// Errors: `unsupported` (a store without conditional update, listing or, unless quiesced, Last-Modified),
/// `invalid_argument` (keep 0), `precondition_failed` (a stream's metadata changed meanwhile; the other floors are
/// raised: run it again), `history_gap` and `corrupt` (a retained object cannot be read, or a stream's metadata is
/// lost: nothing that is retained was deleted), and the store's own. Lifetime: store and clock must outlive the task.
/// Cancellation: at any point.
HEADWATER_EXPORT task<cleanup_report> cleanup(object_store& store, clock& time, cleanup_options options,
                                              root_sink roots);

}  // namespace headwater
