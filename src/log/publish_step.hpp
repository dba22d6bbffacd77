// publish_step: what one answer about the slot means for a publish, and what to do next. Pure; FORMAT section 4,
// Publish.
#pragma once

namespace headwater {

/// What the store just said about the slot.
enum class slot_answer {
    created,      ///< The create was acknowledged.
    exists,       ///< The create says that the slot is taken.
    not_settled,  ///< The create did nothing (S3 409, 429): nothing is settled.
    unknown,      ///< The create ended without an answer.
    refused,      ///< The create did nothing and never will: another 4xx, DNS, TLS.
    read_same,    ///< The slot holds our bytes.
    read_other,   ///< The slot holds other bytes.
    read_absent,  ///< The slot is empty.
    read_failed,  ///< The slot cannot be read.
};

/// What to do next.
enum class publish_action {
    send,        ///< The same bytes again, after a wait.
    read,        ///< Read the slot.
    read_later,  ///< Read the slot again, after a wait.
    succeed,     ///< The commit is ours.
    conflict,    ///< Another commit has the slot.
    fail,        ///< Give the error up: nothing took effect.
    in_doubt,    ///< Give `outcome_unknown` up, with a resume token.
};

/// `earlier_unknown`: a create before this answer ended without one. `budget_spent`: no further request may begin.
constexpr publish_action after(slot_answer answer, bool earlier_unknown, bool budget_spent) noexcept
{
    switch (answer) {
    case slot_answer::created:
    case slot_answer::read_same: return publish_action::succeed;
    case slot_answer::read_other: return publish_action::conflict;
    // A read that decides is always worth one request more, or an acknowledged commit would be called unknown.
    case slot_answer::exists: return publish_action::read;
    case slot_answer::unknown: return budget_spent ? publish_action::in_doubt : publish_action::send;
    case slot_answer::read_failed: return budget_spent ? publish_action::in_doubt : publish_action::read_later;
    // Absence never proves failure: an earlier request may still land. Only a commit in the slot decides.
    case slot_answer::read_absent:
    case slot_answer::not_settled:
        if (!budget_spent) return publish_action::send;
        return earlier_unknown ? publish_action::in_doubt : publish_action::fail;
    case slot_answer::refused: return earlier_unknown ? publish_action::in_doubt : publish_action::fail;
    }
    return publish_action::in_doubt;
}

/// What becomes of a create of ours at or below the floor, where a slot can be filled again, so that what it holds says
/// nothing. `earlier_unknown`: a create of ours ended without an answer. `sent_lately`: the first one went out less
/// than min_age before the metadata, so that no cleanup can have swept the slot since.
constexpr publish_action after_floor(publish_action decided, bool earlier_unknown, bool sent_lately) noexcept
{
    if (sent_lately) return publish_action::conflict;
    // The winner may have come after ours was there, and was pruned.
    bool const never_ours = decided == publish_action::conflict && !earlier_unknown;
    return never_ours ? publish_action::conflict : publish_action::in_doubt;
}

}  // namespace headwater
