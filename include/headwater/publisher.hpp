// publisher: makes commits. One commit is one conditional create at the name of the next seq (FORMAT section 4).
#pragma once

#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/intent.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace headwater {

class prover;

/// A published commit.
struct commit_receipt {
    commit_receipt() = default;

    position at;                 ///< Its id is always set.
    bool repeated = false;       ///< An earlier commit with the same idempotency key; nothing was published now.
    std::uint32_t attempts = 0;  ///< How often a plan was prepared and tried; more than 1 after lost races.
    cost spent;                  ///< Of the call that published, reading and lost races included.
};

/// How long a publisher tries, and what it asks of the store.
struct publisher_options {
    std::uint32_t max_prepares = 32;  ///< Plans tried by `publish` before the conflict is the caller's; 1 at least.
    std::chrono::milliseconds outcome_budget{60'000};  ///< How long an unknown outcome is pursued.
    std::chrono::milliseconds hint_interval{0};        ///< The least time between two hints; 0: one after each commit.
    /// Asked before this publisher's first write for proof that creates have one winner (probe.hpp): `unsupported`
    /// without. Null: the caller knows the store.
    prover* proofs = nullptr;
};

/// Publishes to one branch. Keeps the state after its own last commit, so a publish that meets no rival is one create.
///
/// Errors: the reader's; `invalid_argument` (the intent breaks FORMAT section 5; nothing was written); `conflict`
/// (facts `expected` and `actual` name commit ids, empty for none); `precondition_failed` (the lineage names a commit
/// that is not where it says, or, where it says nothing, in no stream); `outcome_unknown` (fact `resume` is the token
/// for `resolve`).
///
/// Idempotency: an intent with a key that a record above the stream's floor has, whoever wrote it, is answered with
/// that commit (`repeated`). The window is all that retention keeps of this stream; a branch's begins at its fork. It
/// is cheap because it is asked for once: a handle reads each record once while the floor stands, 50 in one round, the
/// newest first and no further than to the key, so that a retry costs one round; from then on it knows what it
/// published and folded itself. Intents without a key ask for nothing. `limit_exceeded` (`max_key_records`) after a
/// million records.
///
/// Lifetime: store, clock and random must outlive the publisher, and the publisher its tasks; one that was moved
/// from may only be assigned to or destroyed. Cancellation: at any point; where the create may have been applied, the
/// exception is a `failure` of the code `operation_aborted` whose fact `resume` is the token for `resolve`.
/// Threads: one executor or strand, and one call at a time.
class HEADWATER_EXPORT publisher {
public:
    /// What to commit on top of a state; an error ends the publish.
    using plan = std::function<result<intent>(snapshot const& now)>;

    publisher(object_store& store, std::string_view branch, clock& time, random& chance,
              publisher_options options = {});
    publisher(publisher&&) noexcept;
    publisher& operator=(publisher&&) noexcept;
    ~publisher();

    /// The newest state, read from the store.
    task<snapshot> current();
    /// Plans on the newest known state and publishes; after a lost race plans again on the new state, with jitter.
    task<commit_receipt> publish(plan prepare);
    /// Publishes exactly on top of `base`, once; a lost race is `conflict`.
    task<commit_receipt> publish_at(snapshot base, intent wanted);
    /// Publishes exactly on top of the commit `expected`, nothing: of the empty state; `conflict` if another is newest.
    task<commit_receipt> publish_on(std::optional<commit_id> expected, intent wanted);
    /// What follows a commit off the caller's path, best effort: on a boundary the checkpoint, then the hint. Called by
    /// the next publish if the caller did not. An error here never touches the commit.
    task<cost> upkeep();

private:
    friend struct retirement;
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace headwater
