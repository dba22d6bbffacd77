// A brancher or a publisher beside a cleanup, in every interleaving with one switch each way: it does m calls, the
// cleanup n, it does the rest, the cleanup the rest. Whatever was acknowledged is whole, and every pin of a branch is a
// root.
#include "tests/support/pausing_store.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <gtest/gtest.h>

#include <set>

namespace headwater::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

using pins = std::set<std::pair<std::uint64_t, std::uint64_t>>;

struct race_end {
    bool cleaned = false;
    bool other_done = false;
    error other_why;
    bool more_calls_of_other = false;
    bool more_calls_of_cleaner = false;
    pins roots;
};

publisher::plan dropping(std::uint64_t id)
{
    return [id](snapshot const&) -> result<intent> {
        intent out;
        out.tombstones.push_back(a_drop(table(id), "node:T" + std::to_string(id)));
        return out;
    };
}

// 16 commits. The one at 12 drops a table; who wrote the set of 15 stopped before the checkpoint.
std::unique_ptr<branched_graph> raced_graph()
{
    auto graph = std::make_unique<branched_graph>();
    graph->grow(3);
    graph->commit("main", [](snapshot const&) { return result<intent>(a_first_version(table(9), "node:T9")); });
    graph->commit("main", dropping(9));
    publisher writer(*graph->store, "main", graph->time, *graph->chance);
    for (std::uint64_t seq = 6; seq <= 16; ++seq) {
        (void)graph->must(writer.publish([&](snapshot const&) -> result<intent> {
            if (seq == 12) return *dropping(3)(snapshot());
            intent out;
            auto const id = seq % 2 + 1;
            out.pins.push_back(a_pin(table(id), "node:T" + std::to_string(id), seq));
            return out;
        }));
        (void)graph->must(writer.upkeep());
    }
    graph->remove(graph->checkpoint_at(15));
    graph->put(graph->hint_key(), R"({"seq":16,"checkpoint":10})");
    graph->time.pass(hours(2));
    return graph;
}

template <class Act>
race_end race(branched_graph& graph, std::uint64_t m, std::uint64_t n, cleanup_options how, Act act)
{
    race_end out;
    boost::asio::io_context io(1);
    pausing_store other_store(*graph.store, graph.time, m + 1, milliseconds(10));
    pausing_store cleaner_store(*graph.store, graph.time, n + 1, milliseconds(20));
    auto const run_other = [&]() -> boost::asio::awaitable<void> {
        auto const done = co_await act(other_store);
        out.other_done = done.has_value();
        if (!done) out.other_why = done.error();
    };
    auto const run_cleaner = [&]() -> boost::asio::awaitable<void> {
        root_sink const take = [&](root const& one) {
            out.roots.emplace(one.table.stable_table_id, one.version.target_version);
            return result<void>();
        };
        auto const done = co_await cleanup(cleaner_store, graph.time, how, take);
        out.cleaned = done.has_value();
    };
    boost::asio::co_spawn(io, run_other(), boost::asio::detached);
    while (io.poll() != 0) {}
    io.restart();
    boost::asio::co_spawn(io, run_cleaner(), boost::asio::detached);
    drive(io, graph.time);
    out.more_calls_of_other = other_store.calls() > m;
    out.more_calls_of_cleaner = cleaner_store.calls() > n;
    return out;
}

/// `act(graph, store)` answers a task; `check(graph, end)` expects.
template <class Act, class Check>
void enumerate_races(cleanup_options how, Act act, Check check)
{
    std::uint64_t races = 0;
    for (std::uint64_t m = 0, more_of_other = 1; more_of_other != 0; ++m) {
        more_of_other = 0;
        for (std::uint64_t n = 0, more = 1; more != 0; ++n) {
            SCOPED_TRACE("the other stops after " + std::to_string(m) + " calls, the cleanup after "
                         + std::to_string(n));
            auto const graph = raced_graph();
            auto const act_here = [&](object_store& store) { return act(*graph, store); };
            auto const end = race(*graph, m, n, how, act_here);
            more = end.more_calls_of_cleaner ? 1 : 0;
            more_of_other |= end.more_calls_of_other ? 1 : 0;
            ++races;
            check(*graph, end);
            if (::testing::Test::HasFailure()) return;
        }
    }
    EXPECT_GT(races, 100u);
}

void expect_sound(branched_graph& graph)
{
    verify_options how;
    how.deep = true;
    for (auto const& each : graph.must(verify(*graph.store, graph.time, how)).findings) {
        EXPECT_FALSE(each.corrupt) << each.key << ": " << each.detail;
    }
}

void expect_rooted(snapshot const& content, pins const& roots)
{
    for (auto const& each : content.heads()) {
        if (!each.version) continue;
        auto const one = std::pair(each.table.stable_table_id, each.version->target_version);
        EXPECT_TRUE(roots.contains(one)) << "table " << one.first << " version " << one.second;
    }
}

task<stream_metadata> fork_at(branched_graph& graph, object_store& store, std::uint64_t fork)
{
    reader from(*graph.store, "main", graph.time);
    auto then = co_await from.at(sequence(fork));
    if (!then) co_return then.error();
    branches all(store, graph.time, *graph.chance);
    co_return co_await all.create(graph.named("review"), std::move(*then));
}

task<cost> publish_one(branched_graph& graph, object_store& store)
{
    publisher writer(store, "main", graph.time, *graph.chance);
    publisher::plan again = [](snapshot const&) -> result<intent> {
        intent out;
        out.pins.push_back(a_pin(table(1), "node:T1", 100));
        return out;
    };
    auto const done = co_await writer.publish(std::move(again));
    if (!done) co_return done.error();
    co_return co_await writer.upkeep();
}

void race_with_brancher(std::uint64_t fork, bool quiesced)
{
    auto const act = [fork](branched_graph& graph, object_store& store) { return fork_at(graph, store, fork); };
    auto const check = [&](branched_graph& graph, race_end const& end) {
        expect_sound(graph);
        EXPECT_TRUE(end.cleaned || end.other_done);
        if (!end.other_done) {
            EXPECT_TRUE(end.other_why == errc::pruned || end.other_why == errc::unavailable) << end.other_why.message();
            return;
        }
        auto const child = graph.read("review");
        EXPECT_EQ(child.seq(), sequence(fork));
        graph.commit("review", [](snapshot const&) { return result<intent>(intent()); });
        if (end.cleaned) expect_rooted(child, end.roots);
    };
    enumerate_races(kept_graph::keep(6, quiesced), act, check);
}

TEST(cleanup, branch_of_the_newest_state_races_it) { race_with_brancher(16, true); }

TEST(cleanup, branch_of_a_state_that_it_prunes_races_it) { race_with_brancher(8, true); }

TEST(cleanup, branch_of_a_state_that_it_prunes_later_races_it) { race_with_brancher(8, false); }

TEST(cleanup, publisher_races_it)
{
    auto const check = [](branched_graph& graph, race_end const& end) {
        expect_sound(graph);
        EXPECT_TRUE(end.other_done) << end.other_why.message();
        auto const now = graph.read();
        EXPECT_EQ(now.seq(), sequence(17));
        EXPECT_EQ(now.heads().front().version->target_version, 100u);
    };
    enumerate_races(kept_graph::keep(6, true), publish_one, check);
}

}  // namespace
}  // namespace headwater::test
