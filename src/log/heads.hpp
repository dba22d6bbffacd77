// heads: the live heads at one seq and the transitions that FORMAT section 5 (RFC-024) allows. Pure.
// Stands below fold; publishers refuse an intent, and readers a record, by the same rules.
#pragma once

#include "src/log/head_transition.hpp"

#include <headwater/digest.hpp>
#include <headwater/intent.hpp>
#include <headwater/record.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace headwater {

/// The changes of one record or intent, not owned.
struct head_changes {
    std::vector<drop> const& drops;
    std::vector<rename> const& renames;
    std::vector<registration> const& registrations;
    std::vector<pin_change> const& pins;

    static head_changes of(record const& from);
    static head_changes of(intent const& from);
};

/// Why `event` may not happen to `table`; `live` is the head with its stable_table_id, if there is one.
std::string refusal_text(head_event event, table_identity table, head_verdict verdict, head const* live);

/// What a change did, beside the heads themselves.
struct head_delta {
    head_delta() = default;

    std::vector<std::uint64_t> touched;  ///< Every stable_table_id that changed, dropped ones too; sorted, unique.
    std::vector<tombstone> dropped;      ///< In the order of the record.
};

/// The live heads, sorted by stable_table_id, and the sum of their digests.
class head_table {
public:
    head_table() = default;
    /// `heads` must be sorted and unique, as a decoded checkpoint's are.
    explicit head_table(std::vector<head> heads);

    std::vector<head> const& heads() const noexcept { return heads_; }
    set_digest const& digest() const noexcept { return digest_; }
    head const* find(std::uint64_t stable_table_id) const noexcept;

    /// Applies changes in the order tombstones, renames (all at once), registrations, pins, as the commit (`seq`,
    /// `id`). A change that is not allowed answers `refusal` and leaves the table unusable.
    result<head_delta> change(head_changes const& wanted, sequence seq, commit_id const& id, errc refusal);

    /// Puts a head in its place, or takes one out; what a carry does.
    void put(head value);
    void erase(std::uint64_t stable_table_id);
    /// Two live heads with one table_key, if there are any, else null.
    head const* duplicate_key() const;

private:
    friend class change_step;
    std::vector<head>::iterator lower(std::uint64_t stable_table_id) noexcept;

    std::vector<head> heads_;
    set_digest digest_;
};

}  // namespace headwater
