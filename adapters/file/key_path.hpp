// Keys as paths and back, one segment between slashes at a time. Pure; the only place that knows the escapes.
// Every key that the log uses is its own path. A segment that cannot be a file name, or that would leave the
// directory, or that would be taken for something else, is written as `%!` and percent-encoded bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::file {

/// What temporary names add: `.tmp.` and a UUID.
inline constexpr std::size_t temporary_suffix_bytes = 5 + 36;
/// The longest file name that leaves room for a temporary one.
inline constexpr std::size_t max_name_bytes = 255 - temporary_suffix_bytes;

/// The file name of one segment. No two segments share one; none is empty, `.` or `..`.
std::string name_of(std::string_view segment);
/// The segment that has this file name; nothing if no segment has: a foreign file.
std::optional<std::string> segment_of(std::string_view name);

/// Where a key's file is, below the root: directories from the root on, then the file's name.
struct key_path {
    std::vector<std::string> directories;
    std::string name;
};

/// Splits at each slash: `a//b/` has the segments `a`, ``, `b`, ``.
key_path path_of(std::string_view key);
/// As one relative path, for messages and for stat.
std::string join(key_path const& path);

}  // namespace headwater::file
