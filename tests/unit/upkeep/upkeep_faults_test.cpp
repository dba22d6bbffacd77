// The n-th store call fails, for every n and each kind of fault: cleanup and repair leave nothing that the protocol
// does not allow, lose nothing that is retained, and the next run finishes.
#include "tests/support/fault_enumeration.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

using std::chrono::hours;

void expect_retained(branched_graph& graph, std::uint64_t from)
{
    ASSERT_EQ(graph.read().seq(), sequence(8));
    for (std::uint64_t seq = from; seq <= 8; ++seq) EXPECT_EQ(graph.read_at("main", seq).seq(), sequence(seq));
    EXPECT_EQ(graph.read("review").seq(), sequence(9));
}

void expect_usable(branched_graph& graph)
{
    EXPECT_EQ(graph.commit("main").at.seq, sequence(9));
    EXPECT_EQ(graph.commit("review", [](snapshot const&) { return result<intent>(intent()); }).at.seq, sequence(10));
    graph.create("next", "review");
    EXPECT_EQ(graph.read("next").seq(), sequence(10));
}

// 8 commits, the fourth drops a table; a branch with a commit of its own.
std::unique_ptr<branched_graph> branched()
{
    auto graph = std::make_unique<branched_graph>();
    graph->grow(3);
    graph->commit("main", [](snapshot const&) -> result<intent> {
        intent out;
        out.tombstones.push_back(a_drop(table(3), "node:T3"));
        return out;
    });
    publisher::plan const pins = [](snapshot const& now) -> result<intent> {
        intent out;
        out.pins.push_back(a_pin(table(1), "node:T1", now.seq().value() + 1));
        return out;
    };
    for (std::uint64_t seq = 5; seq <= 8; ++seq) graph->commit("main", pins);
    graph->create("review");
    graph->commit("review", pins);
    return graph;
}

TEST(cleanup, any_call_may_fail_and_the_next_run_finishes)
{
    auto const stopped = *stream_id::parse("stopped.01ARZ3NDEKTSV4RRFFQ69G5FAV");
    object_key const schema = layout::schema(std::string(64, 'a'));
    object_key const left(layout::format().text() + ".tmp.0123abcd-0123-4567-89ab-0123456789ab");
    auto const make = [&] {
        auto graph = branched();
        graph->create("ended");
        graph->remove_branch("ended");
        auto first = *decode_checkpoint(graph->get(graph->checkpoint_at(5)).view(), stream_id(), sequence(5));
        first.stream = stopped.text();
        graph->put(layout::checkpoint(stopped, sequence(5)), std::string(encode(first)->view()));
        graph->put(schema, "{}");
        graph->put(left, "{");
        graph->put(graph->hint_key(), "garbage");
        graph->put(graph->checkpoint_at(5), "{");
        return graph;
    };
    auto const act = [](branched_graph& graph, object_store& faulty) {
        root_sink const ignore = [](root const&) { return result<void>(); };
        return end_of(run(graph.time, cleanup(faulty, graph.time, graph.keep(1, true), ignore)));
    };
    auto const check = [&](branched_graph& graph, act_end) {
        expect_retained(graph, 5);
        (void)graph.clean(graph.keep(1, true));
        EXPECT_EQ(graph.floor(), 5u);
        for (auto const& key : {graph.record_at(5), schema, left, layout::checkpoint(stopped, sequence(5))}) {
            EXPECT_FALSE(graph.has(key)) << key.text();
        }
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
        expect_retained(graph, 5);
        expect_usable(graph);
    };
    enumerate_faults(make, act, check, 40);
}

// Beside others: what it raises stands for an hour, which `wait` waits for, then goes.
TEST(cleanup, any_call_may_fail_while_others_are_at_work)
{
    object_key const schema = layout::schema(std::string(64, 'a'));
    stream_id ended;
    auto const make = [&] {
        auto graph = branched();
        ended = *stream_id::parse(graph->create("ended").stream);
        graph->remove_branch("ended");
        graph->put(schema, "{}");
        graph->put(graph->hint_key(), "garbage");
        graph->put(graph->checkpoint_at(5), "{");
        graph->time.pass(hours(2));
        return graph;
    };
    auto how = branched_graph::keep(1);
    how.wait = true;
    auto const act = [&](branched_graph& graph, object_store& faulty) {
        root_sink const ignore = [](root const&) { return result<void>(); };
        return end_of(run(graph.time, cleanup(faulty, graph.time, how, ignore)));
    };
    auto const check = [&](branched_graph& graph, act_end) {
        expect_retained(graph, 5);
        graph.time.pass(hours(2));
        (void)graph.clean(how);
        EXPECT_EQ(graph.floor(), 5u);
        for (auto const& key : {graph.record_at(5), schema, layout::record(ended, sequence(9))}) {
            EXPECT_FALSE(graph.has(key)) << key.text();
        }
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
        expect_retained(graph, 5);
        expect_usable(graph);
    };
    enumerate_faults(make, act, check, 60);
}

TEST(repair, any_call_may_fail_and_the_next_run_finishes)
{
    bytes right;
    bytes fork;
    object_key fork_key;
    auto const make = [&] {
        auto graph = branched();
        right = graph->get(graph->checkpoint_at(5));
        auto const named = decode_checkpoint(right.view(), stream_id(), sequence(5))->tombstoned.set;
        auto const review =
            graph->must(branches(*graph->store, graph->time, *graph->chance).find(graph->named("review")));
        fork_key = layout::checkpoint(*stream_id::parse(review.stream), sequence(8));
        fork = graph->get(fork_key);
        graph->remove(fork_key);
        graph->remove(layout::tombstones(*named));
        graph->put(graph->hint_key(), "garbage");
        graph->put(graph->checkpoint_at(5), "{");
        return graph;
    };
    auto const act = [](branched_graph& graph, object_store& faulty) {
        repair_options how;
        how.confirm = true;
        return end_of(run(graph.time, repair(faulty, graph.time, how)));
    };
    auto const check = [&](branched_graph& graph, act_end) {
        EXPECT_EQ(graph.read().seq(), sequence(8));
        EXPECT_FALSE(graph.mend().corrupt());
        expect_retained(graph, 1);
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
        EXPECT_EQ(graph.get(graph.checkpoint_at(5)), right);
        EXPECT_EQ(graph.get(fork_key), fork);
        expect_usable(graph);
    };
    enumerate_faults(make, act, check, 30);
}

}  // namespace
}  // namespace headwater::test
