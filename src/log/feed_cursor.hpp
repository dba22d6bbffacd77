// feed_cursor: where a feed stands, as text that its holder cannot read, and cannot use elsewhere: base64url of JSON
// and its SHA-256 (FORMAT section 4, "Change feed"). Pure.
#pragma once

#include <headwater/error.hpp>
#include <headwater/names.hpp>
#include <headwater/snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// The longest text that is looked at.
inline constexpr std::size_t max_cursor_length = 4096;

struct feed_cursor {
    feed_cursor() = default;

    std::string domain;  ///< The graph's identity domain.
    position at;         ///< The last commit told of; at seq 0 without an id.
    std::string filter;  ///< `filter_digest`.

    friend bool operator==(feed_cursor const&, feed_cursor const&) = default;
};

std::string encode(feed_cursor const& value);
/// `cursor_rejected`, saying why, for anything that `encode` does not give.
result<feed_cursor> decode_feed_cursor(std::string_view text);

/// Names a filter: empty for all tables, else the SHA-256 of the sorted, unique ids.
std::string filter_digest(std::vector<std::uint64_t> tables);

error cursor_rejected(std::string why);

}  // namespace headwater
