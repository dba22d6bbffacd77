// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace headwater {

/// The length of the well-formed sequence that `text` starts with, 1 to 4; 0 if it starts with none.
constexpr std::size_t utf8_length(std::string_view text) noexcept
{
    auto const byte = [text](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    auto const continues = [&](std::size_t at) { return (byte(at) & 0xC0u) == 0x80u; };
    if (text.empty()) return 0;
    unsigned const lead = byte(0);
    unsigned const second = byte(1);
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return 0;
    if (lead < 0xE0) return 2;
    if (lead < 0xF0) {
        bool const overlong = lead == 0xE0 && second < 0xA0;
        bool const surrogate = lead == 0xED && second > 0x9F;
        return overlong || surrogate || !continues(2) ? 0 : 3;
    }
    bool const overlong = lead == 0xF0 && second < 0x90;
    bool const too_great = lead == 0xF4 && second > 0x8F;
    return overlong || too_great || !continues(2) || !continues(3) ? 0 : 4;
}

}  // namespace headwater
