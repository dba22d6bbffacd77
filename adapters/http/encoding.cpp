// Percent-encoding and UTF-8 by table.
#include "adapters/http/encoding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace headwater::http {

namespace {

constexpr std::array<bool, 256> unreserved = [] {
    std::array<bool, 256> table{};
    for (char const c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}();

constexpr int digit(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// The length of a UTF-8 sequence and the range of its second byte, by its first byte (Unicode, table 3-7).
struct sequence_form {
    std::size_t length = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
};

constexpr sequence_form form_of(unsigned char first) noexcept
{
    if (first < 0x80) return {1};
    if (first < 0xC2) return {0};
    if (first < 0xE0) return {2};
    if (first == 0xE0) return {3, 0xA0, 0xBF};
    if (first == 0xED) return {3, 0x80, 0x9F};
    if (first < 0xF0) return {3};
    if (first == 0xF0) return {4, 0x90, 0xBF};
    if (first < 0xF4) return {4};
    if (first == 0xF4) return {4, 0x80, 0x8F};
    return {0};
}

}  // namespace

std::string percent_encode(std::string_view text, keep what)
{
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (unreserved[byte] || (c == '/' && what == keep::slashes)) {
            out += c;
        } else {
            out += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return out;
}

std::optional<std::string> percent_decode(std::string_view text, plus sign)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '+' && sign == plus::space) {
            out += ' ';
        } else if (text[at] != '%') {
            out += text[at];
        } else {
            if (text.size() - at < 3) return std::nullopt;
            int const high = digit(text[at + 1]), low = digit(text[at + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            out += static_cast<char>(high * 16 + low);
            at += 2;
        }
    }
    return out;
}

std::string hex(std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out(bytes.size() * 2, '\0');
    auto next = out.begin();
    for (char const c : bytes) {
        auto const byte = static_cast<unsigned char>(c);
        *next++ = digits[byte >> 4];
        *next++ = digits[byte & 15];
    }
    return out;
}

std::string base64(std::string_view bytes)
{
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        auto const group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t each = 0; each < 3; ++each) {
            bits = bits << 8 | (each < group.size() ? static_cast<unsigned char>(group[each]) : 0u);
        }
        for (std::size_t each = 0; each < 4; ++each) {
            out += each <= group.size() ? digits[bits >> (18 - 6 * each) & 63] : '=';
        }
    }
    return out;
}

bool is_utf8(std::string_view text) noexcept
{
    auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    for (std::size_t at = 0; at < text.size();) {
        auto const form = form_of(byte(at));
        if (form.length == 0 || text.size() - at < form.length) return false;
        if (form.length > 1 && (byte(at + 1) < form.low || byte(at + 1) > form.high)) return false;
        for (std::size_t rest = 2; rest < form.length; ++rest) {
            if ((byte(at + rest) & 0xC0) != 0x80) return false;
        }
        at += form.length;
    }
    return true;
}

}  // namespace headwater::http
