// Percent-encoding, hex and base64, as the signatures of S3 and Azure want them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headwater::http {

/// What stays as it is beside the unreserved characters `A-Za-z0-9-._~`.
enum class keep { nothing, slashes };

/// Encodes each other byte as `%XX`, upper-case hex, once. Nothing is normalised.
std::string percent_encode(std::string_view text, keep what = keep::nothing);

/// How `+` is read back.
enum class plus { literal, space };

/// Decodes `%XX`; an incomplete or wrong escape is nothing.
std::optional<std::string> percent_decode(std::string_view text, plus sign = plus::literal);

/// Lower-case hex, two digits a byte.
std::string hex(std::string_view bytes);

/// Base64 with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

/// Whether `text` is valid UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;

}  // namespace headwater::http
