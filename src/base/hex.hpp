// Lower-case hex, the only spelling of digests. Pure.
#pragma once

#include <string>
#include <string_view>

namespace headwater {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

/// The value of a lower-case hex digit; -1 for anything else.
constexpr int hex_value(char digit) noexcept
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
}

template <class Bytes>
std::string to_hex(Bytes const& content)
{
    std::string out;
    out.reserve(2 * content.size());
    for (auto const byte : content) {
        out += hex_digits[static_cast<unsigned char>(byte) >> 4];
        out += hex_digits[static_cast<unsigned char>(byte) & 15];
    }
    return out;
}

}  // namespace headwater
