// Decorators over object_store, one concern each. Each holds a reference: what is wrapped must outlive the wrapper.
// The usual stack, outermost first: metered, retrying, settling, adapter; hedging, if at all, between the last two.
#pragma once

#include <headwater/cost.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/retry_tokens.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace headwater {

/// How to try again (STORE section 3, Retry).
struct retry_options {
    std::chrono::milliseconds base{25};     ///< The first wait is drawn from [0, base], the n-th from [0, base * 2^n].
    std::chrono::milliseconds cap{20'000};  ///< No single wait is longer, unless the store asks for more.
    std::chrono::milliseconds budget{60'000};  ///< No attempt begins later than this after the first.
    std::uint32_t max_attempts = 12;  ///< Requests per call, the first included; a write in doubt may have more.
    /// The end of a whole call: a request that is on its way then is cancelled, and a write's outcome is unknown. 0:
    /// each request ends by its own deadlines alone (`http_options::total_timeout`).
    std::chrono::milliseconds deadline{0};
    /// What repeats are paid from. Null: what the store below has, one bucket for all that stands on an S3 or Azure
    /// adapter; else its own. Several adapters of one endpoint share one that is given here.
    std::shared_ptr<retry_tokens> tokens{};
};

/// Sends a call that had no effect (`unavailable`) again, with full jitter, and one that the store answered with 408,
/// 429, 499, 500, 502, 503 or 504; reads also after `outcome_unknown`. Never re-sends a write that was not answered.
/// Conditional writes pass: repeating them is `settling`'s, below it. When most calls fail it stops repeating
/// (`retry_options::tokens`), so that a slow store is not made slower.
HEADWATER_EXPORT std::unique_ptr<object_store> make_retrying_store(object_store& next, clock& time, random& chance,
                                                                   retry_options options = {});

/// Settles conditional writes (STORE section 2): after an ambiguous end it sends the same bytes under the same
/// condition again; when the answer is then "exists", "precondition failed" or another refusal it reads back and
/// compares: equal bytes mean that the write was ours. Undecided at the budget's end, however many attempts that took:
/// `outcome_unknown`. It repeats conditional writes after `unavailable` too. Repeats are paid from the tokens; without
/// them a write in doubt waits, and asks once more at the budget's end. The attempts of its answers count
/// read-backs, and its refusals of an update whose earlier request was never answered carry the fact `earlier_unknown`.
HEADWATER_EXPORT std::unique_ptr<object_store> make_settling_store(object_store& next, clock& time, random& chance,
                                                                   retry_options options = {});

/// Sends a `get` or `head` a second time when its answer is later than 95 % of the last 128 answers were, and takes the
/// answer that comes first; the other request is cancelled. Nothing is hedged before 32 answers, twenty answers earn
/// one second request, and a call has one at most. Writes and listings pass. The attempts of an answer count both
/// requests. Off unless a caller stacks it; `time` must outlive the store.
HEADWATER_EXPORT std::unique_ptr<object_store> make_hedging_store(object_store& next, clock& time);

/// Puts `prefix` before every key and takes it off every answer.
HEADWATER_EXPORT std::unique_ptr<object_store> make_prefixed_store(object_store& next, std::string prefix);

/// Counts every call into `meter` under `kind`, before delegating; `meter` must outlive the store and its tasks.
HEADWATER_EXPORT std::unique_ptr<object_store> make_metered_store(object_store& next, meter& counts,
                                                                  cost_kind kind = cost_kind::work);

/// What a faulty store does to one call.
enum class fault {
    none,
    refused,          ///< No effect, and the error is final: `access_denied`.
    unavailable,      ///< No effect: `unavailable`, with a 503.
    unknown_applied,  ///< A write happens, then its answer is lost: `outcome_unknown`. A read: `unavailable`.
    unknown_lost,     ///< A write does not happen, and its answer is lost too. A read: `unavailable`.
    unknown_late,     ///< A write's answer is lost at once; the write happens later. A read: `unavailable`.
    torn,             ///< A read answers half of the content. A write: as `unknown_lost`.
    cancelled,        ///< Throws `operation_aborted` before anything happens.
    cancelled_after,  ///< The call happens, then `operation_aborted` is thrown.
};

/// One call that a faulty store is about to pass on.
struct store_call {
    std::uint64_t number = 0;      ///< From 1, over the store's life.
    std::string_view operation{};  ///< `get`, `put_if_absent`, …
    std::string_view key{};        ///< The prefix, for `list`.
    bool writes = false;
};

/// Chooses the fault of each call.
using fault_plan = std::function<fault(store_call const&)>;

/// Does to each call what `plan` says. A late write happens after `late_by` on `time`, which together with `next` must
/// outlive it. For tests and simulations.
HEADWATER_EXPORT std::unique_ptr<object_store> make_faulty_store(object_store& next, clock& time, fault_plan plan,
                                                                 std::chrono::milliseconds late_by);

}  // namespace headwater
