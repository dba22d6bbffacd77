// The n-th store call fails, for every n and each kind of fault: cleanup and repair leave nothing that the protocol
// does not allow, lose nothing that is retained, and the next run finishes.
#include "tests/unit/upkeep/kept_graph.hpp"

#include <boost/system/system_error.hpp>

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

constexpr fault all_faults[] = {fault::refused,      fault::unavailable,    fault::unknown_applied,
                                fault::unknown_lost, fault::unknown_late,   fault::torn,
                                fault::cancelled,    fault::cancelled_after};

// Runs `work` on a store whose n-th call fails; answers whether there was an n-th call.
template <class Work>
bool run_with_fault(kept_graph& graph, std::uint64_t number, fault kind, Work work)
{
    bool reached = false;
    auto const plan = [&](store_call const& call) {
        if (call.number != number) return fault::none;
        reached = true;
        return kind;
    };
    auto const faulty = make_faulty_store(*graph.store, graph.time, plan, std::chrono::milliseconds(5));
    try {
        work(*faulty);
    } catch (boost::system::system_error const&) {
        // Cancelled.
    }
    graph.time.pass(std::chrono::seconds(1));
    return reached;
}

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
    for (auto const kind : all_faults) {
        std::uint64_t number = 0;
        for (bool reached = true; reached;) {
            SCOPED_TRACE("call " + std::to_string(++number) + ", fault " + std::to_string(static_cast<int>(kind)));
            kept_graph graph;
            graph.grow(13);
            graph.put(graph.hint_key(), "garbage");
            graph.put(graph.checkpoint_at(10), "{");
            root_sink const ignore = [](root const&) { return result<void>(); };
            reached = run_with_fault(graph, number, kind, [&](object_store& faulty) {
                (void)run(graph.time, cleanup(faulty, graph.time, graph.keep(1, true), ignore));
            });
            expect_retained(graph, 10);
            (void)graph.clean(graph.keep(1, true));
            EXPECT_EQ(graph.floor(), 10u);
            EXPECT_FALSE(graph.has(graph.record_at(10)));
            EXPECT_EQ(graph.findings(true), std::vector<std::string>());
            expect_retained(graph, 10);
        }
        EXPECT_GT(number, 10u);
    }
}

TEST(repair, any_call_may_fail_and_the_next_run_finishes)
{
    for (auto const kind : all_faults) {
        std::uint64_t number = 0;
        for (bool reached = true; reached;) {
            SCOPED_TRACE("call " + std::to_string(++number) + ", fault " + std::to_string(static_cast<int>(kind)));
            kept_graph graph;
            graph.grow(13);
            auto const right = graph.get(graph.checkpoint_at(10));
            graph.put(graph.hint_key(), "garbage");
            graph.put(graph.checkpoint_at(10), "{");
            graph.remove(graph.checkpoint_at(5));
            repair_options how;
            how.confirm = true;
            reached = run_with_fault(graph, number, kind, [&](object_store& faulty) {
                (void)run(graph.time, repair(faulty, graph.time, how));
            });
            expect_retained(graph, 1);
            (void)graph.mend();
            EXPECT_EQ(graph.findings(true), std::vector<std::string>());
            EXPECT_EQ(graph.get(graph.checkpoint_at(10)), right);
        }
        EXPECT_GT(number, 10u);
    }
}

}  // namespace
}  // namespace headwater::test
