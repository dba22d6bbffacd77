// base64url without padding (RFC 4648 section 5), and only its one canonical spelling. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headwater {

std::string to_base64url(std::string_view content);
/// Nothing for other characters, padding, or bits that the encoder would not have set.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace headwater
