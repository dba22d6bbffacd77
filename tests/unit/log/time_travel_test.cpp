// Time travel by time: which commit a time means, and exactly what the search asks for.
#include "src/log/time_search.hpp"
#include "tests/unit/log/branched_graph.hpp"

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

// Every set of unreadable records: either the answer is that of the readable ones, and nothing hides a better, or it is
// doubted.
TEST(time_search, passes_what_cannot_be_read_and_doubts_only_what_it_may_hide)
{
    constexpr unsigned count = 9;
    for (unsigned torn = 0; torn != 1u << count; ++torn) {
        auto const is_torn = [&](std::uint64_t seq) { return seq != 0 && (torn >> (seq - 1) & 1) != 0; };
        for (std::uint64_t answer = 0; answer <= count; ++answer) {
            time_search search{sequence(), sequence(count + 1)};
            unsigned steps = 0;
            while (auto const next = search.next()) {
                ASSERT_LT(++steps, 2 * count);
                is_torn(next->value()) ? search.unreadable(*next) : search.seen(*next, next->value() > answer);
            }
            auto best = answer;
            while (is_torn(best)) --best;
            EXPECT_EQ(search.found(), sequence(best)) << torn << ' ' << answer;
            std::optional<sequence> doubt;
            if (best != count && is_torn(best + 1)) doubt = sequence(best + 1);
            EXPECT_EQ(search.doubted(), doubt) << torn << ' ' << answer;
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

TEST(reader, torn_record_hides_no_other_time)
{
    for (std::uint64_t const broken : {9, 18}) {
        for (bool const lost : {false, true}) {
            small_graph graph;
            std::vector<snapshot> then;
            for (std::uint64_t seq = 1; seq <= 18; ++seq) {
                graph.time.pass(std::chrono::seconds(1));
                graph.grow(seq);
                then.push_back(graph.read());
            }
            lost ? graph.remove(graph.record_at(broken)) : graph.put(graph.record_at(broken), "");
            for (auto const& each : then) {
                auto const seq = each.seq().value();
                bool const hidden = !(lost && broken == 18) && (seq == broken || seq + 1 == broken);
                SCOPED_TRACE(std::to_string(seq) + " beside " + std::to_string(broken) + (lost ? " lost" : " torn"));
                reader main(*graph.store, "main", graph.time);
                if (hidden) {
                    auto const why = graph.must_fail(main.at(at_ms(each.created_at())));
                    EXPECT_TRUE(why == errc::corrupt || why == errc::history_gap) << why.message();
                    EXPECT_EQ(why.why()->key, graph.record_at(broken).text());
                } else if (seq != broken) {
                    EXPECT_EQ(graph.must(main.at(at_ms(each.created_at()))).at(), each.at());
                }
            }
        }
    }
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

TEST(reader, time_in_what_a_child_forked_from_is_pruned_when_the_floor_has_passed_the_fork)
{
    branched_graph graph;
    auto const later = [&] { graph.time.pass(std::chrono::seconds(1)); };
    graph.grow(9);
    auto const child = graph.create("b");
    later();
    graph.grow(10);
    auto const beside = graph.read_at("main", 10);
    later();
    graph.grow(12);
    for (int i = 0; i != 3; ++i) {
        later();
        (void)graph.commit("b");
    }
    graph.raise_floor(10);
    auto raised = child;
    raised.floor = sequence(10);
    graph.put_metadata(raised);
    reader b(*graph.store, "b", graph.time);
    auto const why = graph.must_fail(b.at(at_ms(beside.created_at())));
    EXPECT_TRUE(why == errc::pruned) << why.message();
}

TEST(reader, boundary_of_a_branch_is_read_from_its_checkpoint)
{
    branched_graph graph;
    graph.grow(3);
    auto const stream = *stream_id::parse(graph.create("b").stream);
    for (std::uint64_t seq = 4; seq <= 13; ++seq) (void)graph.commit("b");
    auto const expected = graph.read_at("b", 10);
    graph.put(layout::record(stream, sequence(10)), "");
    auto const again = graph.read_at("b", 10);
    EXPECT_EQ(again.at(), expected.at());
    EXPECT_FALSE(again.degraded());
}

}  // namespace
}  // namespace headwater::test
