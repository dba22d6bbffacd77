// Six bits a character, the last ones zero.
#include "src/base/base64url.hpp"

#include <cstdint>

namespace headwater {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string to_base64url(std::string_view content)
{
    std::string out;
    out.reserve(content.size() * 4 / 3 + 2);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (char const c : content) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        for (held += 8; held >= 6; held -= 6) out += alphabet[bits >> (held - 6) & 63];
    }
    if (held > 0) out += alphabet[bits << (6 - held) & 63];
    return out;
}

std::optional<std::string> from_base64url(std::string_view text)
{
    std::string out;
    out.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (char const c : text) {
        auto const value = alphabet.find(c);
        if (value == alphabet.npos) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out += static_cast<char>(bits >> held & 255);
        }
    }
    bool const canonical = held < 6 && (bits & ((1u << held) - 1)) == 0;
    if (!canonical) return std::nullopt;
    return out;
}

}  // namespace headwater
