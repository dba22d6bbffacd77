// The table. A later request of ours can only lose to an earlier one: both carry the same bytes and condition.
#include "src/store/settle_step.hpp"

namespace headwater {

settle_action settlement::after_write(write_end ended) noexcept
{
    earlier_unknown_ = earlier_unknown_ || last_unknown_;
    last_unknown_ = ended == write_end::unknown;
    switch (ended) {
    case write_end::done: return settle_action::won;
    case write_end::taken: return earlier_unknown_ ? settle_action::read_back : settle_action::lost;
    case write_end::nothing:
    case write_end::unknown: return settle_action::send;
    // What an earlier request did is not told by the refusal of a later one.
    case write_end::refused: return earlier_unknown_ ? settle_action::read_back : settle_action::fail;
    }
    return give_up();
}

settle_action settlement::after_read(read_end found) const noexcept
{
    switch (found) {
    case read_end::same: return settle_action::won;
    case read_end::different: return settle_action::lost;
    case read_end::unchanged: return settle_action::send;
    // A create may still take the name. An update's object is gone for good: its etag will not come back.
    case read_end::absent: return kind_ == settled_write::create ? settle_action::send : settle_action::lost;
    case read_end::unreadable: break;
    }
    return settle_action::read_back;
}

settle_action settlement::give_up() const noexcept
{
    return in_doubt() ? settle_action::in_doubt : settle_action::fail;
}

write_end end_of(error const& what) noexcept
{
    if (what == errc::precondition_failed || what == errc::already_exists) return write_end::taken;
    if (what == errc::unavailable) return write_end::nothing;
    if (what == errc::outcome_unknown) return write_end::unknown;
    return write_end::refused;
}

}  // namespace headwater
