// diff: what separates two states, table by table, paired by immutable identity: a rename is no drop and re-creation,
// and a drop and re-creation under one name is two lives. Pure.
#pragma once

#include <headwater/export.hpp>
#include <headwater/record.hpp>

#include <optional>
#include <span>
#include <vector>

namespace headwater {

/// One identity whose head differs.
struct table_change {
    table_change() = default;

    table_identity table;
    std::optional<head> before;  ///< Nothing: the identity was not live.
    std::optional<head> after;   ///< Nothing: the identity is not live.

    bool added() const noexcept { return !before; }
    bool removed() const noexcept { return !after; }
    bool renamed() const noexcept { return before && after && before->table_key != after->table_key; }
    /// Another version of the data.
    bool repinned() const noexcept;
    /// The same version under another owner branch.
    bool handed_off() const noexcept;
    bool schema_changed() const noexcept { return before && after && before->schema_hash != after->schema_hash; }

    friend bool operator==(table_change const&, table_change const&) = default;
};

/// The changes that lead from `before` to `after`, both sorted by stable_table_id as a snapshot's heads are; sorted by
/// identity. Heads that differ only in which commit touched them last are equal: what they say is the same.
HEADWATER_EXPORT std::vector<table_change> diff(std::span<head const> before, std::span<head const> after);

}  // namespace headwater
