// Waits and when they end, as tables over handed-in time and chance.
#include "src/base/backoff.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headwater {
namespace {

using namespace std::chrono_literals;

constexpr auto greatest_draw = std::numeric_limits<std::uint64_t>::max();
constexpr backoff_limits usual{25ms, 20s, 60s, 12};

TEST(full_jitter, a_repeat_doubles_the_range_up_to_the_cap)
{
    struct row {
        std::uint32_t repeat;
        std::chrono::nanoseconds range;
    };
    constexpr row rows[] = {{0, 25ms}, {1, 50ms}, {2, 100ms},          {9, 12'800ms},
                            {10, 20s}, {63, 20s}, {4'000'000'000, 20s}};
    for (auto const& [repeat, range] : rows) {
        auto const steps = static_cast<std::uint64_t>(range.count());
        EXPECT_EQ(full_jitter(25ms, 20s, repeat, steps), range) << repeat;
        EXPECT_EQ(full_jitter(25ms, 20s, repeat, steps + 1), 0ns) << repeat;
        EXPECT_LE(full_jitter(25ms, 20s, repeat, greatest_draw), range) << repeat;
    }
}

TEST(full_jitter, a_cap_below_the_base_wins) { EXPECT_LE(full_jitter(1s, 1ms, 5, greatest_draw), 1ms); }

TEST(full_jitter, the_greatest_lengths_do_not_overflow)
{
    constexpr auto greatest = std::chrono::nanoseconds::max();
    EXPECT_GE(full_jitter(1ns, greatest, 4'000'000'000, greatest_draw), 0ns);
    EXPECT_GE(full_jitter(greatest, greatest, 3, greatest_draw), 0ns);
}

TEST(backoff, attempts_used_up_answers_nothing)
{
    auto limits = usual;
    limits.max_attempts = 3;
    backoff pace(limits, 0ns);
    EXPECT_TRUE(pace.next(0ns, 0, {}));
    EXPECT_TRUE(pace.next(0ns, 0, {}));
    EXPECT_EQ(pace.attempts(), 3u);
    EXPECT_FALSE(pace.next(0ns, 0, {}));
    EXPECT_EQ(pace.attempts(), 3u);
}

TEST(backoff, a_pursuit_ends_with_the_budget_and_not_before)
{
    auto limits = usual;
    limits.max_attempts = 1;
    backoff pace(limits, 5s);
    EXPECT_EQ(pace.pursue(5s, 7'000'000, {}), 7ms);
    EXPECT_EQ(pace.pursue(6s, 0, {}), least_pursuit_wait) << "never without a pause";
    EXPECT_EQ(pace.pursue(6s, 0, 30s), 30s);
    EXPECT_EQ(pace.pursue(64s, 0, 30s), 1s) << "cut to what is left";
    EXPECT_EQ(pace.pursue(65s - 1ns, 0, {}), 1ns);
    EXPECT_FALSE(pace.is_over(65s - 1ns));
    EXPECT_TRUE(pace.is_over(65s));
    EXPECT_FALSE(pace.pursue(65s, 0, {}));
    EXPECT_EQ(pace.attempts(), 6u);
}

TEST(backoff, the_stores_wish_is_the_least_wait_and_may_pass_the_cap)
{
    backoff pace(usual, 0ns);
    EXPECT_EQ(pace.next(0ns, 0, 30s), 30s);
    EXPECT_EQ(pace.next(0ns, 7, 1ns), 7ns);
}

TEST(backoff, an_attempt_that_would_begin_after_the_budget_is_not_made)
{
    EXPECT_TRUE(backoff(usual, 5s).next(5s, 0, 60s));
    EXPECT_FALSE(backoff(usual, 5s).next(5s, 0, 60s + 1ns));
    EXPECT_TRUE(backoff(usual, 5s).next(64s, 0, 1s));
    EXPECT_FALSE(backoff(usual, 5s).next(64s, 0, 1s + 1ns));
    EXPECT_FALSE(backoff(usual, 5s).next(64s, 0, std::chrono::nanoseconds::max()));
}

}  // namespace
}  // namespace headwater
