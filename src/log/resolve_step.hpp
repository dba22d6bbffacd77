// resolve_step: what a slot and the metadata read after it say about a create of ours. Pure; FORMAT section 4, Floor.
#pragma once

#include <headwater/names.hpp>
#include <headwater/resolve.hpp>

#include <optional>

namespace headwater {

/// What the slot holds. In a retired stream, whose chain is complete, a record that the next one does not follow is
/// nothing: it came after a cleanup; at its end only the record that ended it is ours.
enum class slot_content { ours, another, nothing };

/// `final_seq`: of a retired stream.
constexpr resolution::verdict_type judge(slot_content slot, sequence seq, sequence floor,
                                         std::optional<sequence> final_seq) noexcept
{
    using enum resolution::verdict_type;
    // Below the floor a slot can be filled again: neither presence nor absence means anything.
    if (seq <= floor) return lost;
    // What lands beside or after a retire record is no commit; that record itself is one.
    if (final_seq && seq == *final_seq) return slot == slot_content::ours ? committed : not_committed;
    if (final_seq && seq > *final_seq) return not_committed;
    switch (slot) {
    case slot_content::ours: return committed;
    case slot_content::another: return not_committed;
    case slot_content::nothing: return final_seq ? lost : unknown;  // Filled once, and swept.
    }
    return unknown;
}

}  // namespace headwater
