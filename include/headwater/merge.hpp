// merge: brings what one branch has changed into another, as one commit. FORMAT section 4, "Merge".
#pragma once

#include <headwater/clock.hpp>
#include <headwater/cost.hpp>
#include <headwater/export.hpp>
#include <headwater/names.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/record.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

class prover;

/// One table, or the schema, that a merge cannot decide. A head that is nothing: no incarnation was live there.
struct merge_question {
    enum class why_type {
        both_changed,    ///< Both branches changed it since the base, to different ends.
        used_before,     ///< The target has dropped the identity, which has one life only.
        one_key,         ///< After the merge another table would have its key; answering is no use, rename one first.
        schema_changed,  ///< Both branches changed the schema, to different ends. No heads.
    };
    merge_question() = default;

    why_type why = why_type::both_changed;
    std::uint64_t stable_table_id = 0;
    std::optional<head> base;
    std::optional<head> source;
    std::optional<head> target;
    std::string table_key;  ///< The target's, else the source's, else the base's.
};

/// A caller's answer.
struct merge_answer {
    enum class kind_type {
        unresolved,   ///< It stays a conflict.
        take_source,  ///< As if the target had not changed it. A conflict where no commit can do that.
        keep_target,  ///< As if the source had not changed it.
        take_pin,     ///< The target's head, with this version: of data that the caller has merged.
    };
    merge_answer() = default;
    merge_answer(kind_type how) : kind(how) {}  // NOLINT(google-explicit-constructor)

    kind_type kind = kind_type::unresolved;
    std::optional<pin> version;  ///< For `take_pin`.
};

using merge_resolver = std::function<merge_answer(merge_question const& asked)>;

struct merge_options {
    std::string_view actor{};         ///< Of the commit; empty: none. Must live until the call completes.
    std::uint32_t max_prepares = 32;  ///< How often a merge is planned, again after each lost race; 1 at least.
    /// A source that has ended, or is half-way to its end, is no error if the target has its last state: for whoever
    /// deletes what has been merged, and was stopped in between.
    bool ended_is_merged = false;
    /// As of a publisher; with `ended_is_merged` asked for proof of updates, since a deletion follows. Must live until
    /// the call completes.
    prover* proofs = nullptr;
};

/// What a merge did.
struct merge_receipt {
    enum class outcome_type {
        already_up_to_date,  ///< The target has the source's newest commit: no commit was made.
        fast_forward,        ///< The target had not changed since the base: it now has the source's state.
        merged,
    };
    merge_receipt() = default;

    outcome_type outcome = outcome_type::already_up_to_date;
    position source;                ///< What was merged.
    position at;                    ///< The target's newest commit.
    std::optional<commit_id> base;  ///< Nothing: the empty state.
    bool source_ended = false;      ///< See `merge_options::ended_is_merged`; `source` is then its last state.
    std::uint32_t attempts = 1;
    cost spent;
};

/// `already_up_to_date`, …
HEADWATER_EXPORT std::string_view to_string(merge_receipt::outcome_type outcome) noexcept;

/// Merges the newest state of `source` into `target`: what only the source has changed since the base is adopted, and
/// the target's commit names the source's as its other parent. What both have changed is a conflict, unless they have
/// made the same of it: both dropped it, or the heads now differ in nothing but the commits that made them. A table
/// that began and ended on the source since the base leaves no trace on the target, which never had it. Nothing is
/// written to the source. After a lost race the same source is merged again into the new state.
///
/// The base is the common ancestor, over both parents of every commit, at the least sum of distances, then the later,
/// then with the greater id; but none that is an ancestor of another common ancestor, as far as the history that is
/// left can tell: its state would show as changed on both sides what both have had in common since.
///
/// Errors: `merge_conflict` (a fact `conflict` for each table, and for the schema, that `resolve` left or no one asked
/// about; nothing was written), `history_gap` with a fact `missing_commit` (a commit that the base may depend on has
/// been pruned or is in no stream: bring the changes over by a commit of your own), `conflict` (max_prepares races
/// lost), `branch_retired` and `pruned` (the source ended, or what was captured fell below its floor, meanwhile), and a
/// publisher's and a reader's; `outcome_unknown` has a token as of a publisher.
/// Lifetime: store, clock and random must outlive the task. Cancellation: at any point; a cancelled merge may have been
/// committed, and merging again then says `already_up_to_date`.
HEADWATER_EXPORT task<merge_receipt> merge(object_store& store, branch_name source, branch_name target, clock& time,
                                           random& chance, merge_options options, merge_resolver resolve);

}  // namespace headwater
