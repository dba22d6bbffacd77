// head_transition: what may happen to a table's head in which state (FORMAT section 5, RFC-024). Pure.
// Folding a record and refusing an intent both ask here.
#pragma once

namespace headwater {

/// What is known of the identity that a change names.
enum class head_state {
    absent,             ///< Never used.
    live,               ///< Live, under the key that the change names.
    live_as_other_key,  ///< Live, under another key.
    other_incarnation,  ///< Not live, while another incarnation of its stable_table_id is.
    tombstoned,         ///< Dropped; no other incarnation is live.
};

/// What a record's change does to it.
enum class head_event {
    registration,
    pin,       ///< Another version.
    hand_off,  ///< A pin at an equal version under another owner branch.
    rename,
    drop,
};

enum class head_verdict {
    allowed,
    not_live,
    other_key,     ///< The key is not the head's.
    live_already,  ///< This incarnation is, or another one.
    used_before,   ///< An identity has one life; a new one needs another incarnation.
};

constexpr head_verdict judge(head_state state, head_event event) noexcept
{
    bool const creates = event == head_event::registration;
    switch (state) {
    case head_state::absent: return creates ? head_verdict::allowed : head_verdict::not_live;
    case head_state::live: return creates ? head_verdict::live_already : head_verdict::allowed;
    case head_state::live_as_other_key: return creates ? head_verdict::live_already : head_verdict::other_key;
    case head_state::other_incarnation: return creates ? head_verdict::live_already : head_verdict::not_live;
    case head_state::tombstoned: return creates ? head_verdict::used_before : head_verdict::not_live;
    }
    return head_verdict::not_live;
}

}  // namespace headwater
