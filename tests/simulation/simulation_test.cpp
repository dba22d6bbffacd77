// A thousand seeds; a failing one says how to run it alone.
#include "tests/simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headwater::simulation {
namespace {

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

std::string story(std::uint64_t seed, outcome const& run)
{
    return "seed " + std::to_string(seed) + ": " + *run.broken
           + "\nto run it alone: HEADWATER_SIMULATION_SEED=" + std::to_string(seed) + " simulation\n" + run.last_lines;
}

TEST(simulation, keeps_every_promise)
{
    auto const alone = std::getenv("HEADWATER_SIMULATION_SEED") != nullptr;
    auto const first = setting("HEADWATER_SIMULATION_SEED", 1);
    auto const count = alone ? 1 : setting("HEADWATER_SIMULATION_SEEDS", 1'000);
    std::uint64_t commits = 0, pruned = 0, merges = 0, commits_fed = 0;
    for (auto seed = first; seed < first + count; ++seed) {
        auto options = of(seed);
        options.whole_trace = alone;
        auto const run = simulate(options);
        ASSERT_FALSE(run.broken) << story(seed, run);
        commits += run.commits;
        merges += run.merges;
        commits_fed += run.commits_fed;
        pruned += run.floor > 0 ? 1 : 0;
    }
    RecordProperty("commits", std::to_string(commits));
    RecordProperty("merges", std::to_string(merges));
    RecordProperty("commits_fed", std::to_string(commits_fed));
    if (alone) return;
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
