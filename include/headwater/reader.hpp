// reader: rebuilds a branch's state, now or at a past position, in two rounds of requests at any depth of history.
// FORMAT section 4, "Read current state" and "Time travel".
#pragma once

#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/object_store.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace headwater {

/// Reads one branch of the graph in one store. The first call opens the graph; later ones reuse what it learnt.
///
/// Errors of every call: `not_found` (no graph in the store), `branch_not_found`, `branch_retired`, `unsupported` (a
/// newer format), `corrupt`, `history_gap`, and the store's own. Lifetime: store and clock must outlive the reader, and
/// the reader its tasks; one that was moved from may only be assigned to or destroyed. Cancellation: at any point; the
/// reader stays usable. Threads: one executor or strand, and one call at a time.
class HEADWATER_EXPORT reader {
public:
    /// `branch` is checked by the first call. Uses a system clock of its own.
    explicit reader(object_store& store, std::string_view branch = "main");
    reader(object_store& store, std::string_view branch, clock& time);
    reader(reader&&) noexcept;
    reader& operator=(reader&&) noexcept;
    ~reader();

    /// The newest state. Once a state is held, a call that finds nothing new costs one request.
    task<snapshot> current();
    /// The state at a past seq: `pruned` below the floor, `not_found` above the newest record. Below a branch's fork it
    /// is its parent's, and so is the snapshot's stream.
    task<snapshot> at(sequence seq);
    /// The state just after that commit: `not_found` if it is in neither the branch nor its ancestry.
    task<snapshot> at(commit_id id);
    /// The state at `time`: at the newest commit whose created_at is not later; the empty state before the first one;
    /// `pruned` before the floor. Costs one `current`, and if that is later than `time`, one request for each halving
    /// of the records above the floor (at most 14 at 10,000) and one `at` by seq.
    task<snapshot> at(time_ms time);
    /// One record, up to the fork the parent's; errors as `at`.
    task<record> record_at(sequence seq);
    task<record> record_at(commit_id id);
    /// The records from `newest` down, at most `count` (up to `max_history_page`) and never below the floor, newest
    /// first.
    task<std::vector<record>> history(sequence newest, std::size_t count);

    /// Every identity that had been dropped at `when`, sorted. At most one request: the set beside its checkpoint.
    task<std::vector<tombstone>> tombstones(snapshot when);

    /// Below a branch's fork: a reader of the stream that `when` is of, an ancestor's, which may have ended. Nothing:
    /// it is this branch's own. This reader must have read, and outlives the other.
    std::optional<reader> of_ancestor(snapshot const& when) const;

    /// The stream's floor as last read; nothing before a call has opened the branch.
    std::optional<sequence> floor() const noexcept;

    /// The most records that one `history` call reads, all at once.
    static constexpr std::size_t max_history_page = 50;

private:
    class impl;
    explicit reader(std::unique_ptr<impl> parts);
    std::unique_ptr<impl> impl_;
};

}  // namespace headwater
