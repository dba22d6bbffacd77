// A thousand seeds; a failing one runs once more, tells what it did, and says how to run it alone.
#include "tests/simulation/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace headwater::simulation {
namespace {

/// How much of a failing seed's trace is printed; by itself, all of it.
constexpr std::size_t replayed_lines = 200;
constexpr std::size_t all_lines = std::numeric_limits<std::size_t>::max();

// A number from the environment; tests/run asks for fewer seeds where everything is slower.
std::uint64_t setting(char const* name, std::uint64_t otherwise)
{
    auto const* const text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

simulation_options of(std::uint64_t seed)
{
    simulation_options out;
    out.seed = seed;
    return out;
}

bool alone() { return std::getenv("HEADWATER_SIMULATION_SEED") != nullptr; }

/// The command that runs one seed alone, and tells all of it.
std::string command_for(simulation_options const& options)
{
    auto const program = std::filesystem::read_symlink("/proc/self/exe").string();
    return std::string(options.lies ? "HEADWATER_SIMULATION_LIES=1 " : "") + "HEADWATER_SIMULATION_SEED="
           + std::to_string(options.seed) + ' ' + program + " --gtest_filter=simulation.keeps_every_promise";
}

// What a failing seed did. It runs once more with the trace kept: a run that does not repeat itself says so.
std::string story(simulation_options options, outcome const& run)
{
    options.kept_lines = alone() ? all_lines : replayed_lines;
    auto const again = simulate(options);
    bool const same = again.digest == run.digest && again.lines == run.lines && again.broken == run.broken;
    return "seed " + std::to_string(options.seed) + ": " + *run.broken + "\nto run it alone: " + command_for(options)
           + (same ? "\nrun once more it gave the same trace:\n"
                   : "\nRUN ONCE MORE IT GAVE ANOTHER TRACE, so that something in it is no part of the seed:\n")
           + again.last_lines;
}

/// What a command says, on both of its outputs.
std::string said_by(std::string const& command)
{
    std::string out;
    std::array<char, 4096> part{};
    FILE* const from = popen((command + " 2>&1").c_str(), "r");
    if (!from) return out;
    for (std::size_t got = 1; got != 0;) {
        got = std::fread(part.data(), 1, part.size(), from);
        out.append(part.data(), got);
    }
    pclose(from);
    return out;
}

TEST(simulation, keeps_every_promise)
{
    auto const first = setting("HEADWATER_SIMULATION_SEED", 1);
    auto const count = alone() ? 1 : setting("HEADWATER_SIMULATION_SEEDS", 1'000);
    std::uint64_t commits = 0, pruned = 0, merges = 0, commits_fed = 0;
    for (auto seed = first; seed < first + count; ++seed) {
        auto options = of(seed);
        options.lies = setting("HEADWATER_SIMULATION_LIES", 0) != 0;
        auto const run = simulate(options);
        ASSERT_FALSE(run.broken) << story(options, run);
        commits += run.commits;
        merges += run.merges;
        commits_fed += run.commits_fed;
        pruned += run.floor > 0 ? 1 : 0;
    }
    RecordProperty("commits", std::to_string(commits));
    RecordProperty("merges", std::to_string(merges));
    RecordProperty("commits_fed", std::to_string(commits_fed));
    if (alone()) return;
    // It would be easy to keep promises if nothing happened.
    EXPECT_GE(commits, 20 * count);
    EXPECT_GE(pruned, count / 4);
    EXPECT_GE(merges, count / 2);
    EXPECT_GE(commits_fed, 10 * count);
}

TEST(simulation, same_seed_gives_the_same_trace)
{
    for (std::uint64_t seed : {3, 4, 5}) {
        auto const once = simulate(of(seed));
        auto const again = simulate(of(seed));
        EXPECT_GT(once.lines, 100u);
        EXPECT_EQ(once.digest, again.digest) << seed;
        EXPECT_EQ(once.lines, again.lines) << seed;
    }
    EXPECT_NE(simulate(of(3)).digest, simulate(of(4)).digest);
}

// By a run that must fail.
TEST(simulation, failing_seed_prints_the_command_that_repeats_it)
{
    if (alone()) return;
    simulation_options options;
    options.lies = true;
    std::optional<outcome> failed;
    while (!failed && options.seed != 100) {
        ++options.seed;
        auto run = simulate(options);
        if (run.broken) failed = std::move(run);
    }
    ASSERT_TRUE(failed);
    auto const printed = story(options, *failed);
    EXPECT_THAT(printed, ::testing::HasSubstr("it gave the same trace"));
    auto const last = "oracle: " + *failed->broken + '\n';
    EXPECT_THAT(printed, ::testing::EndsWith(last));
    EXPECT_LE(static_cast<std::size_t>(std::ranges::count(printed, '\n')), replayed_lines + 4);
    auto const repeated = said_by(command_for(options));
    EXPECT_THAT(repeated, ::testing::HasSubstr(last));
    EXPECT_THAT(repeated, ::testing::HasSubstr("it gave the same trace"));
    EXPECT_GT(std::ranges::count(repeated, '\n'), std::ranges::count(printed, '\n')) << "the whole trace";
}

// A run with chance of its own would give another trace.
TEST(simulation, run_that_does_not_repeat_itself_says_so)
{
    simulation_options options;
    options.seed = 1;
    auto other = simulate(options);
    other.broken = "something";
    EXPECT_THAT(story(options, other), ::testing::HasSubstr("ANOTHER TRACE"));
}

TEST(simulation, a_store_that_ignores_conditions_is_found_out)
{
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto options = of(seed);
        options.lies = true;
        auto const run = simulate(options);
        found += run.broken ? 1 : 0;
    }
    EXPECT_GE(found, 10);
}

}  // namespace
}  // namespace headwater::simulation
