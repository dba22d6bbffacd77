// schema_archive: a schema contract's content, kept under its SHA-256 before the record that names it (FORMAT sections
// 2 and 4): no record ever names a schema that cannot be read.
#pragma once

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

class schema_archive {
public:
    /// Creates the object, unless this handle has. One that is there already must have the same bytes, else `corrupt`.
    task<void> keep(fetched& through, std::string digest, bytes content);

private:
    std::string kept_;
};

}  // namespace headwater
