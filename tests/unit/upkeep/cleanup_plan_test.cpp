// How far a floor may rise, and when.
#include "src/upkeep/cleanup_plan.hpp"
#include "src/upkeep/seq_runs.hpp"

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

struct cut_row {
    char const* name;
    std::uint64_t floor, newest;
    std::optional<std::uint64_t> keep, oldest_kept, oldest_young, fork;
    std::uint64_t cut;
};

TEST(cut, is_the_greatest_boundary_below_what_is_kept)
{
    cut_row const rows[] = {
        {"FORMAT's example", 0, 1000, 10, {}, {}, {}, 950},
        {"the oldest kept is the one after a boundary", 0, 1000, 50, {}, {}, {}, 950},
        {"the oldest kept is a boundary", 0, 1000, 51, {}, {}, {}, 900},
        {"the newest is always kept", 0, 1000, 1, {}, {}, {}, 950},
        {"more than there is", 0, 1000, 5000, {}, {}, {}, 0},
        {"never down", 900, 1000, 500, {}, {}, {}, 900},
        {"no rule, no cut", 0, 1000, {}, {}, {}, {}, 0},
        {"by count, but younger ones stay too", 0, 1000, 10, 437, {}, {}, 400},
        {"by count, and older ones stay too", 0, 1000, 600, 437, {}, {}, 400},
        {"the young are left alone", 0, 1000, 10, {}, 120, {}, 100},
        {"all are young", 0, 1000, 10, {}, 1, {}, 0},
        {"a live child holds its fork", 0, 1000, 10, {}, {}, 437, 400},
        {"a live child at a boundary", 0, 1000, 10, {}, {}, 400, 400},
        {"a child forked below the floor", 900, 1000, 10, {}, {}, 437, 900},
        {"nothing above the floor", 950, 950, 10, {}, {}, {}, 950},
    };
    auto const seq = [](std::optional<std::uint64_t> value) {
        return value ? std::optional(sequence(*value)) : std::nullopt;
    };
    for (auto const& row : rows) {
        cut_facts facts;
        facts.floor = sequence(row.floor);
        facts.newest = sequence(row.newest);
        facts.interval = 50;
        facts.keep = row.keep;
        facts.by_age = row.oldest_kept.has_value();
        facts.oldest_kept = seq(row.oldest_kept);
        facts.oldest_young = seq(row.oldest_young);
        facts.least_live_fork = seq(row.fork);
        EXPECT_EQ(cut_of(facts).value(), row.cut) << row.name;
    }
}

TEST(floor, stands_for_min_age_before_anything_under_it_goes)
{
    time_ms const now{hours(1000)};
    struct step_row {
        char const* name;
        std::uint64_t floor, cut;
        bool covered;
        std::optional<minutes> stood;
        minutes min_age;
        bool sweep, raise;
        std::optional<minutes> due_in;
    };
    step_row const rows[] = {
        {"the first raise", 0, 950, false, minutes(5), minutes(60), false, true, minutes(60)},
        {"a raise that is too young to sweep", 900, 950, true, minutes(59), minutes(60), false, false, minutes(1)},
        {"it has stood: sweep, then raise again", 900, 950, true, minutes(60), minutes(60), true, true, minutes(60)},
        {"it has stood and nothing more may go", 950, 950, true, minutes(60), minutes(60), true, false, {}},
        {"swept: raised at any age", 900, 950, false, minutes(1), minutes(60), false, true, minutes(60)},
        {"of unknown age", 900, 950, true, {}, minutes(60), false, false, minutes(60)},
        {"quiesced", 0, 950, true, minutes(0), minutes(0), true, true, {}},
        {"nothing to do", 950, 950, false, minutes(60), minutes(60), false, false, {}},
    };
    for (auto const& row : rows) {
        std::optional<time_ms> since;
        if (row.stood) since = now - *row.stood;
        auto const step = step_of(sequence(row.floor), sequence(row.cut), row.covered, since, now, row.min_age);
        EXPECT_EQ(step.sweep, row.sweep) << row.name;
        EXPECT_EQ(step.raise, row.raise) << row.name;
        auto const due = row.due_in ? std::optional<time_ms>(now + *row.due_in) : std::nullopt;
        EXPECT_EQ(step.due, due) << row.name;
    }
}

TEST(floor, is_waited_for_by_what_remains_and_never_for_nothing_or_for_days)
{
    time_ms const now{hours(1000)};
    std::chrono::seconds const slack{2};
    EXPECT_EQ(wait_for(now + minutes(10), now), minutes(10) + slack);
    EXPECT_EQ(wait_for(now, now), slack);
    EXPECT_EQ(wait_for(now - hours(3), now), slack);
    EXPECT_EQ(wait_for(now + hours(300), now), minutes(60) + slack);
}

TEST(seq_runs, join_in_any_order)
{
    seq_runs runs;
    for (std::uint64_t const seq : {5, 9, 3, 4, 10, 4, 1, 8}) runs.add(sequence(seq));
    EXPECT_FALSE(runs.contains(sequence(2)));
    EXPECT_TRUE(runs.contains(sequence(4)));
    EXPECT_EQ(runs.first_from(sequence(6)), sequence(8));
    EXPECT_EQ(runs.last_to(sequence(7)), sequence(5));
    EXPECT_EQ(runs.newest(), sequence(10));
    EXPECT_EQ(runs.count_to(sequence(9)), 6u);
    EXPECT_EQ(runs.first_from(sequence(11)), std::nullopt);
    EXPECT_EQ(runs.last_to(sequence(0)), std::nullopt);
}

}  // namespace
}  // namespace headwater::test
