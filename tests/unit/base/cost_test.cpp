// The meter's rounds: what followed what, from begins and ends alone.
#include <headwater/cost.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(meter, calls_one_after_another_are_rounds)
{
    meter counts;
    for (int call = 0; call < 3; ++call) counts.end(counts.begin(cost_kind::work), 1, 10, 0);
    EXPECT_EQ(counts.total().rounds, 3u);
    EXPECT_EQ(counts.total().requests, 3u);
    EXPECT_EQ(counts.total().bytes_read, 30u);
}

TEST(meter, calls_that_overlap_are_one_round)
{
    meter counts;
    auto const first = counts.begin(cost_kind::work);
    auto const second = counts.begin(cost_kind::work);
    counts.end(first, 1, 0, 5);
    counts.end(second, 3, 0, 7);
    EXPECT_EQ(counts.total().rounds, 1u);
    EXPECT_EQ(counts.total().attempts, 4u);
    EXPECT_EQ(counts.total().bytes_written, 12u);
}

TEST(meter, a_slow_call_of_the_first_round_does_not_lengthen_the_chain)
{
    meter counts;
    auto const slow = counts.begin(cost_kind::work);
    counts.end(counts.begin(cost_kind::work), 1, 0, 0);
    auto const second = counts.begin(cost_kind::work);
    counts.end(slow, 1, 0, 0);
    counts.end(second, 1, 0, 0);
    EXPECT_EQ(counts.total().rounds, 2u);
}

TEST(meter, opening_is_counted_apart_but_in_the_same_rounds)
{
    meter counts;
    counts.end(counts.begin(cost_kind::open), 1, 100, 0);
    counts.end(counts.begin(cost_kind::work), 1, 10, 0);
    EXPECT_EQ(counts.total().open_requests, 1u);
    EXPECT_EQ(counts.total().requests, 1u);
    EXPECT_EQ(counts.total().attempts, 2u);
    EXPECT_EQ(counts.total().rounds, 2u);
}

}  // namespace
}  // namespace headwater
