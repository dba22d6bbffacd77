// ULIDs: 26 characters of Crockford base 32 for 48 bits of milliseconds and 80 more bits.
// https://github.com/ulid/spec, and FORMAT section 3 for what a commit id puts into the 80.
#pragma once

#include <headwater/export.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

/// One ULID. The canonical spelling is upper case and has 26 characters, the first at most `7`.
struct ulid {
    std::uint64_t time_ms = 0;            ///< Milliseconds since 1970, below 2^48.
    std::array<std::uint8_t, 10> rest{};  ///< The 80 bits after the time, big-endian.

    friend bool operator==(ulid const&, ulid const&) = default;
};

/// Reads the canonical spelling only; anything else is nothing.
HEADWATER_EXPORT std::optional<ulid> parse_ulid(std::string_view text) noexcept;
/// The canonical spelling. `time_ms` must be below 2^48.
HEADWATER_EXPORT std::string to_string(ulid const& id);

}  // namespace headwater
