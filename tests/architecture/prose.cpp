// The rules of prose. Pure: they judge text and never touch the disk.
#include "tests/architecture/prose.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace headwater::architecture {

namespace {

// Written in two halves, so that this file keeps its own rule.
constexpr std::array<std::string_view, 3> leftovers = {"TO"
                                                       "DO",
                                                       "FIX"
                                                       "ME",
                                                       "XX"
                                                       "X"};

// Columns, not bytes: a byte that continues a UTF-8 character takes none.
std::size_t columns(std::string_view line)
{
    auto const starts = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; };
    return static_cast<std::size_t>(std::ranges::count_if(line, starts));
}

}  // namespace

std::vector<finding> check_prose(source_file const& file)
{
    std::vector<finding> out;
    auto const end = std::ranges::find_if(file.lines, [](auto const& line) { return !line.starts_with("//"); });
    auto const opening = static_cast<std::size_t>(end - file.lines.begin());
    if (opening == 0) out.push_back({file.path, 1, "opens without saying what it is for"});
    if (opening > max_opening_lines) out.push_back({file.path, opening, "opens with too many lines"});
    bool const header = file.path.ends_with(".hpp");
    if (header && (end == file.lines.end() || *end != "#pragma once")) {
        out.push_back({file.path, opening + 1, "`#pragma once` follows the opening"});
    }
    bool const may_be_long = file.path.starts_with("tests/");  // A wire message reads best in one piece.
    for (std::size_t at = 0; at < file.lines.size(); ++at) {
        std::string_view const line = file.lines[at];
        if (!may_be_long && columns(line) > max_columns) out.push_back({file.path, at + 1, "is too long"});
        for (auto const word : leftovers) {
            if (line.find(word) != line.npos) out.push_back({file.path, at + 1, "is unfinished: " + std::string(word)});
        }
    }
    return out;
}

}  // namespace headwater::architecture
