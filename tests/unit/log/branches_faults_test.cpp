// The n-th store call fails, for every n and each kind of fault: a branch whose creation was acknowledged is there, one
// whose creation failed is not, a deleted one is gone, and the next operation works.
#include "tests/support/fault_enumeration.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

using std::chrono::minutes;

std::unique_ptr<branched_graph> grown_graph()
{
    auto graph = std::make_unique<branched_graph>();
    graph->grow(4);
    publisher::plan const dropping = [](snapshot const&) -> result<intent> {
        intent out;
        out.tombstones.push_back(a_drop(table(4), "node:T4"));
        return out;
    };
    graph->commit("main", dropping);
    graph->grow(7);
    return graph;
}

bool exists(branched_graph& graph)
{
    auto const names = graph.names();
    return std::ranges::find(names, "review") != names.end();
}

void expect_usable(branched_graph& graph)
{
    auto const before = graph.read("review").seq().value();
    EXPECT_EQ(graph.read("review").id(), graph.read_at("main", 7).id());
    publisher::plan const nothing = [](snapshot const&) -> result<intent> { return intent(); };
    EXPECT_EQ(graph.commit("review", nothing).at.seq, sequence(before + 1));
    EXPECT_EQ(graph.read_at("review", 3).stream(), stream_id());
    graph.remove_branch("review");
    EXPECT_FALSE(exists(graph));
    graph.time.pass(minutes(61));
    (void)graph.clean(graph.keep(100));
    graph.time.pass(minutes(61));
    (void)graph.clean(graph.keep(100));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

act_end create_through(branched_graph& graph, object_store& faulty)
{
    auto const from = graph.read();
    branches all(faulty, graph.time, *graph.chance);
    return end_of(run(graph.time, all.create(graph.named("review"), from)));
}

void check_created(branched_graph& graph, act_end end)
{
    bool const there = exists(graph);
    if (end == act_end::acknowledged) {
        EXPECT_TRUE(there);
    }
    if (end == act_end::refused) {
        EXPECT_FALSE(there);
    }
    if (!there) {
        graph.time.pass(minutes(1));
        graph.create("review");
    }
    expect_usable(graph);
}

TEST(branches, creation_may_fail_at_any_call_and_the_next_one_works)
{
    enumerate_faults(grown_graph, create_through, check_created, 5);
}

TEST(branches, creation_over_a_deleted_name_may_fail_at_any_call)
{
    auto const make = [] {
        auto graph = grown_graph();
        graph->create("review");
        graph->remove_branch("review");
        return graph;
    };
    enumerate_faults(make, create_through, check_created, 8);
}

TEST(branches, creation_over_an_unfinished_one_may_fail_at_any_call)
{
    auto const make = [] {
        auto graph = grown_graph();
        auto const stop = [](store_call const& call) {
            return call.writes && call.key.starts_with(layout::metadata_prefix()) ? fault::refused : fault::none;
        };
        auto const stopped = make_faulty_store(*graph->store, graph->time, stop, minutes(1));
        EXPECT_EQ(create_through(*graph, *stopped), act_end::refused);
        EXPECT_EQ(create_through(*graph, *graph->store), act_end::refused) << "younger than a minute";
        graph->time.pass(minutes(1));
        return graph;
    };
    enumerate_faults(make, create_through, check_created, 9);
}

TEST(branches, deletion_may_fail_at_any_call_and_the_next_one_works)
{
    auto const make = [] {
        auto graph = grown_graph();
        graph->create("review");
        return graph;
    };
    auto const act = [](branched_graph& graph, object_store& faulty) {
        branches all(faulty, graph.time, *graph.chance);
        return end_of(run(graph.time, all.remove(graph.named("review"))));
    };
    auto const check = [](branched_graph& graph, act_end end) {
        if (end == act_end::acknowledged) {
            EXPECT_FALSE(exists(graph));
        }
        branches all(*graph.store, graph.time, *graph.chance);
        auto const again = run(graph.time, all.remove(graph.named("review")));
        if (!again) {
            EXPECT_TRUE(again.error() == errc::branch_not_found) << again.error().message();
        }
        EXPECT_EQ(graph.findings(), std::vector<std::string>());
        graph.create("review");
        expect_usable(graph);
    };
    enumerate_faults(make, act, check, 5);
}

// The newest record of `review`, at 8, is torn.
TEST(branches, deletion_by_force_may_fail_at_any_call_and_the_next_one_works)
{
    auto const make = [] {
        auto graph = grown_graph();
        auto const stream = *stream_id::parse(graph->create("review").stream);
        graph->commit("review", [](snapshot const&) { return result<intent>(intent()); });
        graph->put(layout::record(stream, sequence(8)), "");
        return graph;
    };
    auto const act = [](branched_graph& graph, object_store& faulty) {
        branches all(faulty, graph.time, *graph.chance);
        return end_of(run(graph.time, all.remove_unreadable(graph.named("review"))));
    };
    auto const check = [](branched_graph& graph, act_end end) {
        if (end == act_end::acknowledged) {
            EXPECT_FALSE(exists(graph));
        }
        branches all(*graph.store, graph.time, *graph.chance);
        auto const again = run(graph.time, all.remove_unreadable(graph.named("review")));
        if (!again) {
            EXPECT_TRUE(again.error() == errc::branch_not_found) << again.error().message();
        }
        EXPECT_FALSE(exists(graph));
        EXPECT_EQ(graph.findings(), std::vector<std::string>{"record_torn!"});
        graph.time.pass(minutes(61));
        EXPECT_FALSE(graph.clean(graph.keep(100)).corrupt());
        EXPECT_EQ(graph.findings(), std::vector<std::string>());
        graph.create("review");
        expect_usable(graph);
    };
    enumerate_faults(make, act, check, 5);
}

}  // namespace
}  // namespace headwater::test
