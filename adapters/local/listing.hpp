// What a server would do, for the adapters that have none (memory, file): cut a page out of sorted keys by prefix,
// start-after and delimiter, and hold keys, ranges and options to the port's rules. Pure.
#pragma once

#include <headwater/object_store.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater::local {

/// The longest key.
inline constexpr std::size_t max_key_bytes = 1024;

/// A row of a page, before it is an answer: an object's key, or a common prefix.
struct listing_row {
    std::string name;
    bool is_prefix = false;
};

/// A page of rows, and the continuation if there are more: the last row's name.
struct listing_rows {
    std::vector<listing_row> rows;
    std::optional<std::string> next;
};

/// The common prefix that `key` falls under, or nothing.
inline std::optional<std::string_view> group_of(std::string_view key, std::string_view prefix,
                                                std::string_view delimiter)
{
    if (delimiter.empty()) return {};
    auto const cut = key.find(delimiter, prefix.size());
    if (cut == key.npos) return {};
    return key.substr(0, cut + delimiter.size());
}

/// The first key above all that begin with `prefix`; nothing if there is no greater string.
inline std::optional<std::string> after_all_of(std::string_view prefix)
{
    std::string bound(prefix);
    while (!bound.empty() && static_cast<unsigned char>(bound.back()) == 0xff) bound.pop_back();
    if (bound.empty()) return {};
    bound.back() = static_cast<char>(static_cast<unsigned char>(bound.back()) + 1);
    return bound;
}

/// Up to `limit` rows in byte order of `keys`, a sorted map or set with transparent comparison; `key_of` names an
/// element's key.
template <class Keys, class KeyOf>
std::vector<listing_row> rows_of(Keys const& keys, KeyOf key_of, std::string_view prefix, list_options const& options,
                                 std::size_t limit)
{
    std::vector<listing_row> rows;
    auto const floor = std::max(options.start_after, options.continuation);
    auto at = floor < prefix ? keys.lower_bound(prefix) : keys.upper_bound(floor);
    while (rows.size() < limit && at != keys.end() && std::string_view(key_of(*at)).starts_with(prefix)) {
        std::string_view const key = key_of(*at);
        auto const group = group_of(key, prefix, options.delimiter);
        if (!group) {
            rows.push_back({std::string(key), false});
            ++at;
            continue;
        }
        // A continuation that is this very prefix has been answered with it already.
        if (*group != options.continuation) rows.push_back({std::string(*group), true});
        auto const beyond = after_all_of(*group);
        at = beyond ? keys.lower_bound(*beyond) : keys.end();
    }
    return rows;
}

/// The first `max_keys` of `rows`, and where to go on if there are more.
inline listing_rows cut_page(std::vector<listing_row> rows, std::size_t max_keys)
{
    listing_rows page;
    if (rows.size() > max_keys) {
        rows.resize(max_keys);
        page.next = rows.back().name;
    }
    page.rows = std::move(rows);
    return page;
}

/// What is wrong with a listing's options; nothing if they keep the port's rules.
inline std::optional<error> refuse(list_options const& options)
{
    if (options.max_keys < 1 || options.max_keys > default_max_keys) {
        return error(errc::invalid_argument, "max_keys must be 1 to 1,000");
    }
    if (options.delimiter.size() > 1) return error(errc::invalid_argument, "a delimiter is one character");
    return {};
}

/// What is wrong with a key; nothing if it keeps the port's rules.
inline std::optional<error> refuse(object_key const& key)
{
    if (key.text().empty() || key.text().size() > max_key_bytes) {
        return error(errc::invalid_argument, diagnostics("", key.text(), "a key has 1 to 1,024 bytes"));
    }
    return {};
}

/// The part of `size` bytes that `range` names; `invalid_argument` if it begins at or after the end, as a server's 416.
inline result<byte_range> clip(byte_range range, std::uint64_t size)
{
    if (range.first >= size || range.first > range.last) {
        return error(errc::invalid_argument, "the range begins after the object's end");
    }
    return byte_range{range.first, std::min(range.last, size - 1)};
}

}  // namespace headwater::local
