// The escapes: `%!`, then each byte outside `A-Z a-z 0-9 _ -` as `%` and two hex digits. The dot is escaped too, so
// that no `..` survives. `%!` never begins what FORMAT's enc() writes. A temporary name is a key like any other, so
// that what a stopped write left is listed, and can be removed.
#include "adapters/file/key_path.hpp"

#include <algorithm>

namespace headwater::file {

namespace {

constexpr std::string_view mark = "%!";

bool is_plain(unsigned char byte) noexcept
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_'
           || byte == '-';
}

bool needs_escape(std::string_view segment) noexcept
{
    return segment.empty() || segment == "." || segment == ".." || segment.starts_with(mark)
           || segment.find('\0') != segment.npos;
}

// 0 to 15, or 16 for what is no upper-case hex digit.
unsigned value_of(char digit) noexcept
{
    if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
    if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A') + 10;
    return 16;
}

std::optional<std::string> unescape(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        if (at + 2 >= text.size()) return {};
        auto const high = value_of(text[at + 1]);
        auto const low = value_of(text[at + 2]);
        if (high > 15 || low > 15) return {};
        out += static_cast<char>(high << 4 | low);
        at += 2;
    }
    return out;
}

}  // namespace

std::string name_of(std::string_view segment)
{
    if (!needs_escape(segment)) return std::string(segment);
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out(mark);
    for (unsigned char const byte : segment) {
        if (is_plain(byte)) {
            out += static_cast<char>(byte);
        } else {
            out += '%';
            out += digits[byte >> 4];
            out += digits[byte & 15];
        }
    }
    return out;
}

std::optional<std::string> segment_of(std::string_view name)
{
    if (!name.starts_with(mark)) return needs_escape(name) ? std::nullopt : std::optional<std::string>(name);
    auto segment = unescape(name.substr(mark.size()));
    // Another spelling of an escape is not ours, and would be a second name of one key.
    if (!segment || name_of(*segment) != name) return {};
    return segment;
}

key_path path_of(std::string_view key)
{
    key_path path;
    for (auto cut = key.find('/'); cut != key.npos; cut = key.find('/')) {
        path.directories.push_back(name_of(key.substr(0, cut)));
        key.remove_prefix(cut + 1);
    }
    path.name = name_of(key);
    return path;
}

std::string join(key_path const& path)
{
    std::string out;
    for (auto const& directory : path.directories) out += directory + '/';
    return out + path.name;
}

}  // namespace headwater::file
