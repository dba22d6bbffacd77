// schema_archive: a schema contract's content, kept under its SHA-256 before the record that names it (FORMAT sections
// 2 and 4): no record ever names a schema that cannot be read.
#pragma once

#include "src/log/authority.hpp"
#include "src/log/fetched.hpp"

#include <headwater/bytes.hpp>
#include <headwater/record.hpp>
#include <headwater/task.hpp>

#include <optional>
#include <string>

namespace headwater {

/// The name of `content` in the archive, 64 hex digits. `invalid_argument`: there is no schema, or its content_hash
/// (with or without `sha256:`) is not that of `content`; `limit_exceeded` above `max_schema_bytes`. Pure.
result<std::string> check_schema_content(std::optional<schema_identity> const& schema, bytes const& content);

/// What nothing names is cleanup's, once it is an hour old: an archive that a commit names again may be on its way out.
/// So one that was there is made sure of once more when the commit stands, since from then on cleanup leaves it.
class schema_archive {
public:
    /// Creates the object, unless this handle has made sure of it within min_age/2. One that is there already must have
    /// the same bytes, else `corrupt`. `named`: the state that the commit follows names it, so that it stays.
    task<void> keep(fetched& through, clock const& time, std::string digest, bytes content, bool named);
    /// Once the commit that names it stands: creates it again if it was there already, or if that took long.
    task<void> settle(fetched& through, clock const& time);

private:
    bool is_safe(clock const& time) const { return !was_there_ && kept_at_.until(moment::now(time)) <= min_age / 2; }

    std::string kept_;
    moment kept_at_;  // When it was created, or last named by a commit.
    bool was_there_ = false;
    std::optional<bytes> content_;  // Until it is settled.
};

}  // namespace headwater
