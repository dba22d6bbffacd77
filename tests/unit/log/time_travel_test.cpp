// Time travel by time: which commit a time means, and exactly what the search asks for.
#include "src/log/time_search.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <bit>

namespace headwater::test {
namespace {

TEST(time_search, finds_every_position_in_few_steps)
{
    for (std::uint64_t low : {0, 5}) {
        for (std::uint64_t count = 1; count != 70; ++count) {
            for (std::uint64_t answer = low; answer != low + count; ++answer) {
                time_search search{sequence(low), sequence(low + count)};
                unsigned steps = 0;
                while (auto const next = search.next()) {
                    search.seen(*next, next->value() > answer);
                    ++steps;
                }
                EXPECT_EQ(search.found(), sequence(answer));
                EXPECT_LE(steps, std::bit_width(count - 1)) << count;
            }
        }
    }
}

time_ms at_ms(std::uint64_t created_at) { return time_ms(std::chrono::milliseconds(created_at)); }

TEST(reader, time_means_the_last_commit_that_is_not_later)
{
    small_graph graph;
    std::vector<snapshot> then;
    for (std::uint64_t seq = 1; seq <= 23; ++seq) {
        graph.time.pass(std::chrono::seconds(seq));
        graph.grow(seq);
        then.push_back(graph.read());
    }
    for (auto const& each : then) {
        reader main(*graph.store, "main", graph.time);
        for (auto const later : {0, 1, 999}) {
            auto const found = graph.must(main.at(at_ms(each.created_at() + later)));
            EXPECT_EQ(found.at(), each.at());
            EXPECT_EQ(found.state_digest(), each.state_digest());
        }
        EXPECT_EQ(graph.must(main.at(at_ms(each.created_at() - 1))).seq().value(), each.seq().value() - 1);
    }
    reader main(*graph.store, "main", graph.time);
    EXPECT_EQ(graph.must(main.at(time_ms::max())).seq(), sequence(23));
    EXPECT_EQ(graph.must(main.at(time_ms::min())).seq(), sequence(0));
}

// One `current`, one record for each halving, one `at`: and nothing else.
TEST(reader, time_costs_one_request_for_each_halving)
{
    small_graph graph;
    for (std::uint64_t seq = 1; seq <= 100; ++seq) {
        graph.time.pass(std::chrono::seconds(1));
        graph.grow(seq);
    }
    reader main(*graph.store, "main", graph.time);
    auto const newest = graph.must(main.current());
    EXPECT_EQ(graph.must(main.at(at_ms(newest.created_at()))).spent().requests, 1u) << "the newest: one poll";
    auto const middle = graph.must(main.at(sequence(63)));
    auto const found = graph.must(main.at(at_ms(middle.created_at())));
    EXPECT_EQ(found.seq(), sequence(63));
    constexpr std::uint64_t poll = 1, halvings = 7, state = 2;
    EXPECT_EQ(found.spent().requests, poll + halvings + state);
}

TEST(reader, time_before_the_floor_is_pruned)
{
    small_graph graph;
    for (std::uint64_t seq = 1; seq <= 23; ++seq) {
        graph.time.pass(std::chrono::seconds(1));
        graph.grow(seq);
    }
    auto const floor = graph.must(reader(*graph.store, "main", graph.time).at(sequence(10)));
    graph.raise_floor(10);
    for (std::uint64_t seq = 1; seq <= 10; ++seq) graph.remove(graph.record_at(seq));
    reader main(*graph.store, "main", graph.time);
    EXPECT_EQ(graph.must(main.at(at_ms(floor.created_at()))).seq(), sequence(10));
    auto const why = graph.must_fail(main.at(at_ms(floor.created_at() - 1)));
    EXPECT_TRUE(why == errc::pruned) << why.message();
    EXPECT_EQ(why.why()->facts[0], std::pair(std::string("floor"), std::string("10")));
}

}  // namespace
}  // namespace headwater::test
