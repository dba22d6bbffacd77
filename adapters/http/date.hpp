// The two spellings of time on the wire: HTTP's date and ISO 8601 in UTC. Pure.
#pragma once

#include <headwater/clock.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace headwater::http {

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, IMF-fixdate), whole seconds.
std::string format_http_date(time_ms when);
/// Reads IMF-fixdate; anything else is nothing.
std::optional<time_ms> parse_http_date(std::string_view text) noexcept;

/// `20130524T000000Z` (ISO 8601, basic form), whole seconds.
std::string format_basic_date(time_ms when);
/// `2009-10-12T17:50:30Z` (ISO 8601), whole seconds.
std::string format_iso_date(time_ms when);
/// Reads `2009-10-12T17:50:30Z`, with or without a fraction, or with an offset from UTC (`+02:00`) for the `Z`;
/// anything else is nothing.
std::optional<time_ms> parse_iso_date(std::string_view text) noexcept;

}  // namespace headwater::http
