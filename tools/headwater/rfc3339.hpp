// rfc3339: a time as people and scripts write it, `2026-01-02T03:04:05Z`, to milliseconds. Pure. print.hpp has the way
// back.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/error.hpp>

#include <string_view>

namespace headwater::cli {

/// Whether `text` begins as a date does, so that it can be nothing else.
bool looks_dated(std::string_view text) noexcept;

/// Reads RFC 3339: a date, `T` or a blank, a time of day with or without a fraction, and `Z` or an offset. What is
/// finer than a millisecond is cut off. `invalid_argument` for anything else.
result<time_ms> parse_rfc3339(std::string_view text);

}  // namespace headwater::cli
