// The public face of a shared, immutable state.
#include <headwater/snapshot.hpp>

#include "src/log/fold.hpp"

#include <algorithm>

namespace headwater {

snapshot::snapshot() : content_(std::make_shared<state const>()) {}

snapshot::snapshot(stream_id stream, std::shared_ptr<state const> content, bool degraded, cost spent)
    : stream_(std::move(stream)), content_(std::move(content)), degraded_(degraded), spent_(spent)
{
}

sequence snapshot::seq() const noexcept { return content_->header().seq; }

std::optional<commit_id> const& snapshot::id() const noexcept { return content_->header().head_commit_id; }

position snapshot::at() const
{
    position out;
    out.stream = stream_;
    out.seq = seq();
    out.id = id();
    return out;
}

std::uint64_t snapshot::created_at() const noexcept { return content_->header().created_at; }

std::optional<schema_identity> const& snapshot::schema() const noexcept { return content_->header().schema; }

std::span<head const> snapshot::heads() const noexcept { return content_->table().heads(); }

head const* snapshot::find(std::uint64_t stable_table_id) const noexcept
{
    return content_->table().find(stable_table_id);
}

head const* snapshot::find(std::string_view table_key) const noexcept
{
    auto const all = heads();
    auto const at = std::ranges::find(all, table_key, &head::table_key);
    return at == all.end() ? nullptr : &*at;
}

std::uint64_t snapshot::tombstone_count() const noexcept { return content_->tombstone_count(); }

set_digest snapshot::state_digest() const { return content_->digest(); }

}  // namespace headwater
