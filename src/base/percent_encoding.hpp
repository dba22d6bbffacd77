// Percent-encoding as names in keys have it: every byte outside `A-Z a-z 0-9 _ - .`, upper-case hex. Pure.
#pragma once

#include <string>
#include <string_view>

namespace headwater {

constexpr bool is_plain_in_key(char c) noexcept
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
           || c == '.';
}

inline std::string percent_encoded(std::string_view text)
{
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (char const c : text) {
        if (is_plain_in_key(c)) {
            out += c;
            continue;
        }
        auto const byte = static_cast<unsigned char>(c);
        out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return out;
}

}  // namespace headwater
