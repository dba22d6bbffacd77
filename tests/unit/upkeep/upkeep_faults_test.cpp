// The n-th store call fails, for every n and each kind of fault: cleanup and repair leave nothing that the protocol
// does not allow, lose nothing that is retained, and the next run finishes.
#include "tests/support/fault_enumeration.hpp"
#include "tests/unit/upkeep/kept_graph.hpp"

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

void expect_retained(kept_graph& graph, std::uint64_t from)
{
    reader main(*graph.store, "main", graph.time);
    ASSERT_EQ(graph.must(main.current()).seq(), sequence(13));
    for (std::uint64_t seq = from; seq <= 13; ++seq) {
        auto const then = graph.must(main.at(sequence(seq)));
        EXPECT_EQ(then.seq(), sequence(seq));
    }
}

TEST(cleanup, any_call_may_fail_and_the_next_run_finishes)
{
    auto const make = [] {
        auto graph = std::make_unique<kept_graph>();
        graph->grow(13);
        graph->put(graph->hint_key(), "garbage");
        graph->put(graph->checkpoint_at(10), "{");
        return graph;
    };
    auto const act = [](kept_graph& graph, object_store& faulty) {
        root_sink const ignore = [](root const&) { return result<void>(); };
        return end_of(run(graph.time, cleanup(faulty, graph.time, graph.keep(1, true), ignore)));
    };
    auto const check = [](kept_graph& graph, act_end) {
        expect_retained(graph, 10);
        (void)graph.clean(graph.keep(1, true));
        EXPECT_EQ(graph.floor(), 10u);
        EXPECT_FALSE(graph.has(graph.record_at(10)));
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
        expect_retained(graph, 10);
    };
    enumerate_faults(make, act, check, 10);
}

TEST(repair, any_call_may_fail_and_the_next_run_finishes)
{
    bytes right;
    auto const make = [&right] {
        auto graph = std::make_unique<kept_graph>();
        graph->grow(13);
        right = graph->get(graph->checkpoint_at(10));
        graph->put(graph->hint_key(), "garbage");
        graph->put(graph->checkpoint_at(10), "{");
        graph->remove(graph->checkpoint_at(5));
        return graph;
    };
    auto const act = [](kept_graph& graph, object_store& faulty) {
        repair_options how;
        how.confirm = true;
        return end_of(run(graph.time, repair(faulty, graph.time, how)));
    };
    auto const check = [&right](kept_graph& graph, act_end) {
        expect_retained(graph, 1);
        (void)graph.mend();
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
        EXPECT_EQ(graph.get(graph.checkpoint_at(10)), right);
    };
    enumerate_faults(make, act, check, 10);
}

}  // namespace
}  // namespace headwater::test
