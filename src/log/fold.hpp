// fold: checkpoint + carry + records → the state at one seq, with what a writer needs beside it: the digest kept in
// O(touched), the newest known checkpoint (base) and what changed since. Pure: no I/O.
#pragma once

#include "src/log/heads.hpp"

#include <headwater/checkpoint.hpp>
#include <headwater/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headwater {

/// The newest multiple of `interval` at or below `seq`.
constexpr sequence boundary_at(sequence seq, std::uint64_t interval) noexcept
{
    return sequence(seq.value() - seq.value() % interval);
}

class state {
public:
    /// The empty state at seq 0.
    state() = default;

    /// A checkpoint's state, once its digests have been recomputed and found right; else `corrupt`.
    static result<state> from(checkpoint value);

    state_header const& header() const noexcept { return header_; }
    head_table const& table() const noexcept { return table_; }
    std::uint64_t tombstone_count() const noexcept { return tombstone_count_; }
    /// The newest checkpoint known to exist; 0: none but the empty state.
    sequence base() const noexcept { return base_; }
    set_digest digest() const;
    /// Over all tombstones: at a boundary, the name of the set that its checkpoint has.
    set_digest const& tombstone_digest() const noexcept { return tombstones_; }
    /// The tombstone set of the base, by name; nothing: the empty set.
    std::optional<std::string> base_set() const;
    /// Tombstones that are not in the base's set, sorted by identity.
    std::vector<tombstone> const& recent() const noexcept { return recent_; }

    /// Applies the record after this state. Its parent must be this state's commit, else `history_gap` naming both; a
    /// transition that is not allowed is `corrupt`. The state is unusable after an error.
    result<void> apply(record const& next);
    /// Applies the changes of an intent as the commit `next` would have them; refused with `invalid_argument`.
    result<void> apply(intent const& wanted, state_header next);
    /// Makes of the state at `carrier`'s base the state at its seq: carry, then record, then the digest, which is
    /// compared.
    result<void> leap(record const& carrier);

    /// What the next record carries.
    carry since_base() const;
    /// The checkpoint of this state; its set is that of the last multiple of `interval`.
    checkpoint to_checkpoint(std::string stream, std::uint64_t interval) const;
    /// What the set of `to_checkpoint` has beyond the base's set, sorted by identity.
    std::vector<tombstone> beyond_base_set(std::uint64_t interval) const;
    /// The checkpoint of this state is now known to exist.
    void rebase(std::uint64_t interval);
    /// `last`, the record just applied, may know a newer checkpoint than this state did: then that becomes the base.
    /// Without this a writer beside others would carry ever more.
    void adopt_base(record const& last, std::uint64_t interval);

private:
    result<void> advance(head_changes const& wanted, state_header next, errc refusal);
    void bury(std::vector<tombstone> const& stones);
    void touch(std::vector<std::uint64_t> const& ids);
    void move_set(sequence boundary);

    state_header header_;
    head_table table_;
    std::uint64_t tombstone_count_ = 0;
    set_digest tombstones_;          // Of all tombstones.
    set_digest base_set_;            // Of those in the base's set.
    std::vector<tombstone> recent_;  // The others, sorted by identity.
    sequence base_;
    std::vector<std::uint64_t> touched_;  // Ids whose heads changed since base, sorted.
};

}  // namespace headwater
