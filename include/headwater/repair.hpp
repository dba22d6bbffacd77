// repair: writes hints, checkpoints and tombstone sets again from the records, and finishes a half-done delete. Never
// touches a record. FORMAT section 4, "Verify / repair".
#pragma once

#include <headwater/verify.hpp>

namespace headwater {

class prover;

/// One finding, and what repair made of it.
struct repair_step {
    enum class outcome_type {
        planned,     ///< Can be repaired; `confirm` was not given.
        written,     ///< Repaired.
        overtaken,   ///< Somebody else wrote the object meanwhile: theirs stays.
        impossible,  ///< Not repair's to mend, or the records do not tell.
    };

    repair_step() = default;

    finding what;
    outcome_type outcome = outcome_type::impossible;
};

HEADWATER_EXPORT std::string_view to_string(repair_step::outcome_type outcome) noexcept;

struct repair_options {
    bool confirm = false;  ///< False: nothing is written.
    /// With `confirm`: asked for proof of updates (probe.hpp), `unsupported` without. Null: the caller knows the store.
    prover* proofs = nullptr;
};

struct repair_report {
    repair_report() = default;

    std::vector<repair_step> steps;
    cost spent;

    /// Something corrupt is left, or would be.
    bool corrupt() const noexcept;
};

/// Verifies and mends as it goes. What it writes is byte for byte what a publisher writes, and conditional on what it
/// read, so that a publisher at work loses nothing. Errors, lifetime, cancellation: as `verify`; safe to run again
/// after it was stopped anywhere.
HEADWATER_EXPORT task<repair_report> repair(object_store& store, clock& time, repair_options options);

}  // namespace headwater
