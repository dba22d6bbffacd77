// snapshot: the state of one stream at one seq, immutable. What a read answers, and what a commit is prepared against.
#pragma once

#include <headwater/checkpoint.hpp>
#include <headwater/cost.hpp>
#include <headwater/export.hpp>
#include <headwater/record.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace headwater {

class state;

/// The authority token of one reconstruction: what a commit is arbitrated against. Seq alone is never compared.
struct position {
    position() = default;

    stream_id stream;
    sequence seq;
    std::optional<commit_id> id;  ///< Nothing at seq 0.

    friend bool operator==(position const&, position const&) = default;
};

/// The live heads at one position. Cheap to copy; safe to read from any thread; valid for as long as it is kept; one
/// that was moved from may only be assigned to or destroyed.
class HEADWATER_EXPORT snapshot {
public:
    /// The empty state at seq 0 of `main`.
    snapshot();
    snapshot(stream_id stream, std::shared_ptr<state const> content, bool degraded, cost spent);

    stream_id const& stream() const noexcept { return stream_; }
    sequence seq() const noexcept;
    std::optional<commit_id> const& id() const noexcept;
    position at() const;
    /// Milliseconds since 1970; 0 at seq 0.
    std::uint64_t created_at() const noexcept;
    std::optional<schema_identity> const& schema() const noexcept;
    /// Sorted by stable_table_id.
    std::span<head const> heads() const noexcept;
    /// The head of that stable_table_id, or null.
    head const* find(std::uint64_t stable_table_id) const noexcept;
    /// The live head with that public name, or null. Linear in the number of tables.
    head const* find(std::string_view table_key) const noexcept;
    /// How many identities have been dropped.
    std::uint64_t tombstone_count() const noexcept;
    set_digest state_digest() const;
    /// A checkpoint was missing or wrong, and the state came the long way.
    bool degraded() const noexcept { return degraded_; }
    /// What the operation that made this snapshot asked of the store.
    cost const& spent() const noexcept { return spent_; }

    state const& content() const noexcept { return *content_; }
    std::shared_ptr<state const> const& share() const noexcept { return content_; }

private:
    stream_id stream_;
    std::shared_ptr<state const> content_;
    bool degraded_ = false;
    cost spent_;
};

}  // namespace headwater
