// json_text: looks at JSON text without reading it: where a string has something else than plain characters (found
// eight bytes at a time), how deep a value is nested. Pure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace headwater {

/// Whether a string cannot have `c` as it is: a quote, a backslash, a control character.
constexpr bool needs_escape(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

constexpr bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

enum class beyond_ascii { is_plain, is_special };

/// Sets the highest bit of the first byte of eight that is special. Bytes after that may be marked wrongly, as
/// subtraction borrows from them.
template <beyond_ascii Rule>
constexpr std::uint64_t mark_special(std::uint64_t eight) noexcept
{
    constexpr std::uint64_t each = 0x0101010101010101;
    constexpr auto below = [](std::uint64_t bytes, unsigned limit) { return (bytes - each * limit) & ~bytes; };
    auto const escapes = below(eight, 0x20) | below(eight ^ each * '"', 1) | below(eight ^ each * '\\', 1);
    return (Rule == beyond_ascii::is_special ? escapes | eight : escapes) & each * 0x80;
}

/// Where the first special byte of `text` from `at` on stands; its size if there is none.
template <beyond_ascii Rule>
std::size_t find_special(std::string_view text, std::size_t at) noexcept
{
    if constexpr (std::endian::native == std::endian::little) {
        for (; text.size() - at >= 8; at += 8) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, text.data() + at, sizeof eight);
            if (auto const marks = mark_special<Rule>(eight))
                return at + static_cast<std::size_t>(std::countr_zero(marks)) / 8;
        }
    }
    auto const is_plain = [](char c) { return !needs_escape(c) && (Rule == beyond_ascii::is_plain || is_ascii(c)); };
    while (at < text.size() && is_plain(text[at])) ++at;
    return at;
}

/// How deep objects and arrays stand inside each other in `json`, which must be valid.
constexpr std::size_t nesting(std::string_view json) noexcept
{
    std::size_t depth = 0;
    std::size_t deepest = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < json.size(); ++at) {
        char const c = json[at];
        if (in_string && c == '\\')
            ++at;
        else if (c == '"')
            in_string = !in_string;
        else if (in_string)
            continue;
        else if (c == '{' || c == '[')
            deepest = deepest > ++depth ? deepest : depth;
        else if (c == '}' || c == ']')
            --depth;
    }
    return deepest;
}

}  // namespace headwater
