// Dependencies point one way. Each rule is proved to catch its violation before the real files are judged.
#include "tests/architecture/layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headwater::architecture {
namespace {

struct include_case {
    std::string_view path;
    std::string_view line;
    std::string_view complaint;  // Empty: the line is fine.
};

std::string complaints(std::string_view path, std::string_view text)
{
    std::string out;
    for (auto const& found : check_layers(make_source(std::string(path), text))) out += found.what + '\n';
    return out;
}

TEST(layers, an_include_is_judged_by_both_ends)
{
    constexpr include_case cases[] = {
        {"src/format/a.cpp", "#include \"src/format/b.hpp\"", ""},
        {"src/format/a.cpp", "#include \"src/base/b.hpp\"", ""},
        {"src/format/a.cpp", "#include <headwater/record.hpp>", ""},
        {"src/format/a.cpp", "#include <vector>", ""},
        {"src/format/a.cpp", "#include \"src/log/tail.hpp\"", "src/format may not include src/log"},
        {"src/format/a.cpp", "  #  include  <src/log/tail.hpp>", "src/format may not include src/log"},
        {"src/format/a.cpp", "#include \"record_codec.hpp\"", "from the source root"},
        {"src/base/a.cpp", "#include \"src/format/b.hpp\"", "src/base may not include src/format"},
        {"src/store/a.cpp", "#include \"src/format/b.hpp\"", "src/store may not include src/format"},
        {"src/log/a.cpp", "#include \"src/upkeep/b.hpp\"", "src/log may not include src/upkeep"},
        {"src/log/a.cpp", "#include \"adapters/http/message.hpp\"", "src/log may not include adapters/http"},
        {"src/log/a.cpp", "#include <headwater/adapters/s3.hpp>", "may not include include/headwater/adapters"},
        {"adapters/s3/a.cpp", "#include \"adapters/http/message.hpp\"", ""},
        {"adapters/s3/a.cpp", "#include \"adapters/azure/b.hpp\"", "adapters/s3 may not include adapters/azure"},
        {"adapters/s3/a.cpp", "#include \"src/base/sha256.hpp\"", "adapters/s3 may not include src/base"},
        {"adapters/http/a.cpp", "#include \"adapters/s3/b.hpp\"", "adapters/http may not include adapters/s3"},
        {"adapters/file/a.cpp", "#include \"adapters/http/message.hpp\"", "adapters/file may not include"},
        {"tools/headwater/main.cpp", "#include <headwater/adapters/s3.hpp>", ""},
        {"tools/headwater/main.cpp", "#include \"src/format/a.hpp\"", "tools may not include src/format"},
        {"tests/conformance/a.cpp", "#include \"adapters/s3/b.hpp\"", "may not include adapters/s3"},
        {"bench/a.cpp", "#include \"src/log/a.hpp\"", "bench may not include src/log"},
        {"include/headwater/a.hpp", "#include <headwater/adapters/s3.hpp>", "may not include"},
        {"include/headwater/a.hpp", "#include <boost/asio/awaitable.hpp>", ""},
        {"include/headwater/a.hpp", "#include <boost/json.hpp>", "a public header may not show boost/json.hpp"},
    };
    for (auto const& [path, line, complaint] : cases) {
        auto const found = complaints(path, line);
        EXPECT_EQ(found.empty(), complaint.empty()) << path << " with " << line << ": " << found;
        EXPECT_NE(found.find(complaint), found.npos) << path << " with " << line << ": " << found;
    }
}

TEST(layers, a_file_in_no_layer_is_found) { EXPECT_EQ(complaints("src/misc/a.cpp", "int x;\n"), "is in no layer\n"); }

TEST(layers, a_finding_names_its_line)
{
    auto const found = check_layers(make_source("src/base/a.cpp", "// why\n\n#include \"src/log/tail.hpp\"\n"));

    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].line, 3u);
}

TEST(bans, every_token_is_found_outside_its_home_only)
{
    for (auto const& [token, home, instead] : bans()) {
        auto const line = "auto x = " + std::string(token) + ";";
        EXPECT_NE(complaints("src/log/tail.cpp", line).find(token), std::string::npos) << token;
        if (home.empty()) continue;
        EXPECT_EQ(complaints(std::string(home) + (home.ends_with('/') ? "a/b.cpp" : ".cpp"), line), "") << token;
    }
}

TEST(bans, comments_and_tests_may_name_a_token)
{
    EXPECT_EQ(complaints("src/log/tail.cpp", "// Never steady_timer.\nint x;  // nor std::thread\n"), "");
    EXPECT_EQ(complaints("tests/support/run.cpp", "auto t = std::chrono::steady_clock::now();\n"), "");
}

TEST(layers, the_table_points_one_way)
{
    for (auto const& [folder, below] : layers()) {
        for (auto const& other : below) {
            auto const known = [&](layer const& candidate) { return candidate.folder == other; };
            auto const at = std::ranges::find_if(layers(), known);
            ASSERT_NE(at, layers().end()) << folder << " names the unknown folder " << other;
            EXPECT_EQ(std::ranges::find(at->below, folder), at->below.end()) << folder << " <-> " << other;
        }
    }
}

TEST(layers, every_file_keeps_them)
{
    for (auto const* const top : {"include", "src", "adapters", "tools"}) {
        auto const files = read_sources(top);
        EXPECT_FALSE(files.empty()) << "no files below " << top << ": the check would pass by looking at nothing";
        for (auto const& file : files) {
            for (auto const& found : check_layers(file)) ADD_FAILURE() << found;
        }
    }
}

TEST(layers, tests_and_benchmarks_that_stand_outside_keep_them)
{
    for (auto const* const top : {"bench", "tests/conformance", "tests/simulation", "tests/support"}) {
        for (auto const& file : read_sources(top)) {
            for (auto const& found : check_layers(file)) ADD_FAILURE() << found;
        }
    }
}

}  // namespace
}  // namespace headwater::architecture
