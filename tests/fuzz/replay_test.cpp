// Every fuzz target on its corpus, and on damaged copies of it: the same ones in each run.
#include "tests/fuzz/targets.hpp"
#include "tests/support/generated_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace headwater::fuzz {
namespace {

std::filesystem::path const corpus = HEADWATER_SOURCE_DIR "/tests/fuzz/corpus";
constexpr int mutations_of_each = 200;

/// In the order of their names, so that a seed gives the same run everywhere.
std::vector<std::filesystem::path> files_of(target const& each)
{
    std::vector<std::filesystem::path> out;
    for (auto const& entry : std::filesystem::directory_iterator(corpus / each.name)) out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

std::string content(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class replay : public testing::TestWithParam<target> {};

TEST_P(replay, corpus_and_damaged_copies_keep_every_promise)
{
    auto const& [name, run] = GetParam();
    auto const files = files_of(GetParam());
    ASSERT_FALSE(files.empty()) << "no corpus";
    value_generator generate(1);
    for (auto const& file : files) {
        auto const original = content(file);
        ASSERT_NO_THROW(run(original)) << file;
        for (int round = 0; round < mutations_of_each; ++round) {
            auto const damaged = generate.mutated(original);
            ASSERT_NO_THROW(run(damaged)) << file << ": " << testing::PrintToString(damaged);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(fuzz, replay, testing::ValuesIn(targets().begin(), targets().end()),
                         [](auto const& each) { return std::string(each.param.name); });

TEST(replay_corpus, every_folder_has_a_target)
{
    for (auto const& entry : std::filesystem::directory_iterator(corpus)) {
        auto const name = entry.path().filename().string();
        EXPECT_NE(std::ranges::find(targets(), name, &target::name), targets().end()) << name;
    }
}

}  // namespace
}  // namespace headwater::fuzz
