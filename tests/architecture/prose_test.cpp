// Each rule of prose is proved to catch its violation before the real files are judged.
#include "tests/architecture/prose.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headwater::architecture {
namespace {

std::string prose_complaints(std::string const& path, std::string const& text)
{
    std::string out;
    for (auto const& found : check_prose(make_source(path, text))) out += found.what + '\n';
    return out;
}

TEST(prose, a_good_file_has_no_finding)
{
    EXPECT_EQ(prose_complaints("src/base/a.hpp", "// What for.\n#pragma once\n\nint x;\n"), "");
    EXPECT_EQ(prose_complaints("src/base/a.cpp", "// What for.\n#include <a>\n"), "");
    EXPECT_EQ(prose_complaints("src/base/a.cpp", "// " + std::string(max_columns - 4, 'x') + "\u2192\n"), "");
}

TEST(prose, each_violation_is_found)
{
    std::string long_opening;
    for (std::size_t n = 0; n <= max_opening_lines; ++n) long_opening += "// More.\n";

    EXPECT_EQ(prose_complaints("src/base/a.cpp", "#include <a>\n"), "opens without saying what it is for\n");
    EXPECT_EQ(prose_complaints("src/base/a.cpp", long_opening), "opens with too many lines\n");
    EXPECT_EQ(prose_complaints("src/base/a.hpp", "// What for.\nint x;\n"), "`#pragma once` follows the opening\n");
    EXPECT_EQ(prose_complaints("src/base/a.cpp", "// " + std::string(max_columns, 'x') + "\n"), "is too long\n");
    EXPECT_EQ(prose_complaints("src/base/a.cpp", "// A.\nint x;  // TO"
                                                 "DO\n"),
              "is unfinished: TO"
              "DO\n");
}

TEST(prose, every_file_keeps_the_rules)
{
    for (auto const* const top : {"include", "src", "adapters", "tools", "tests", "bench"}) {
        auto const files = read_sources(top);
        EXPECT_TRUE(!files.empty() || std::string(top) == "bench") << "no files below " << top;
        for (auto const& file : files) {
            for (auto const& found : check_prose(file)) ADD_FAILURE() << found;
        }
    }
}

}  // namespace
}  // namespace headwater::architecture
