// The demo's history is accepted by the library itself, keeps its limits, and depends on nothing but its seed.
#include "tools/headwater/demo_graph.hpp"

#include "tests/support/virtual_clock.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>

#include <gtest/gtest.h>

#include <map>

namespace headwater::cli {
namespace {

constexpr char const* domain = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

struct history {
    std::uint64_t seed;
    std::uint64_t tables;
    std::uint64_t commits;
};

/// A memory store to which a demo is published.
class demo_world {
public:
    void init()
    {
        test::run(time, [](demo_world& in) -> boost::asio::awaitable<void> {
            init_options const settings;
            (co_await init_graph(*in.store, in.time, *in.chance, settings)).value();
        }(*this));
    }

    snapshot publish(demo_graph& graph, publisher& to)
    {
        intent const wanted = graph.next();
        return test::run(time, [](intent const& one, publisher& on) -> boost::asio::awaitable<snapshot> {
            publisher::plan same = [&one](snapshot const&) -> result<intent> { return one; };
            (co_await on.publish(std::move(same))).value();
            (co_await on.upkeep()).value();
            co_return (co_await on.current()).value();
        }(wanted, to));
    }

    record read(std::uint64_t seq)
    {
        reader from(*store, "main", time);
        return test::run(time, [](reader& in, sequence at) -> boost::asio::awaitable<record> {
            co_return (co_await in.record_at(at)).value();
        }(from, sequence(seq)));
    }

    test::virtual_clock time;
    std::unique_ptr<random> chance = make_seeded_random(7);
    std::unique_ptr<object_store> store = make_memory_store(time);
};

std::size_t carried_bytes(record const& from)
{
    std::size_t sum = 0;
    for (auto const& each : from.carried->heads) sum += canonical_bytes(each).size();
    for (auto const& each : from.carried->tombstones) sum += canonical_bytes(each).size();
    return sum;
}

class demo_history : public testing::TestWithParam<history> {};

TEST_P(demo_history, is_valid_keeps_its_limits_and_needs_no_early_checkpoint)
{
    auto const [seed, tables, commits] = GetParam();
    demo_world world;
    world.init();
    demo_graph graph(seed, tables, commits, domain);
    publisher to(*world.store, "main", world.time, *world.chance);
    for (std::uint64_t seq = 1; seq <= commits; ++seq) {
        auto const now = world.publish(graph, to);
        ASSERT_EQ(now.seq(), sequence(seq));
        ASSERT_LE(now.heads().size(), tables);
        ASSERT_EQ(now.heads().size(), graph.live_tables());
        auto const last = world.read(seq);
        ASSERT_TRUE(last.carried) << "no carry at seq " << seq;
        // Well under: a quarter of the limit is left for tables with long names.
        ASSERT_LE(carried_bytes(last), default_carry_limit * 3 / 4) << "at seq " << seq;
    }
}

INSTANTIATE_TEST_SUITE_P(sizes, demo_history,
                         testing::Values(history{1, 217, 1000}, history{2, 217, 300}, history{3, 217, 60},
                                         history{4, 217, 10}, history{5, 1, 30}, history{6, 3, 200},
                                         history{7, 2000, 120}, history{8, 5, 1}),
                         [](auto const& each) {
                             return std::to_string(each.param.tables) + "_tables_" + std::to_string(each.param.commits)
                                    + "_commits";
                         });

TEST(demo_graph, reaches_its_size_and_stays_near_it)
{
    demo_graph graph(1, 217, 1000, domain);
    for (int seq = 1; seq <= 400; ++seq) (void)graph.next();
    EXPECT_GE(graph.live_tables(), 200u);
    for (int seq = 401; seq <= 1000; ++seq) {
        (void)graph.next();
        EXPECT_GE(graph.live_tables(), 200u);
    }
}

TEST(demo_graph, same_seed_gives_the_same_history)
{
    demo_graph one(11, 50, 200, domain);
    demo_graph same(11, 50, 200, domain);
    demo_graph other(12, 50, 200, domain);
    bool differs = false;
    for (int seq = 1; seq <= 200; ++seq) {
        auto const wanted = one.next();
        EXPECT_EQ(wanted, same.next());
        differs |= !(wanted == other.next());
    }
    EXPECT_TRUE(differs);
}

TEST(demo_graph, everything_that_a_record_can_say_happens)
{
    demo_graph graph(1, 217, 1000, domain);
    std::map<std::string, int> seen;
    std::set<std::string> dropped;
    for (int seq = 1; seq <= 1000; ++seq) {
        auto const one = graph.next();
        seen["schema"] += one.schema.has_value();
        seen["actor"] += one.actor.has_value();
        seen["idempotency_key"] += one.idempotency_key.has_value();
        seen["rename"] += !one.renames.empty();
        for (auto const& each : one.tombstones) dropped.insert(each.table_key), ++seen["drop"];
        for (auto const& each : one.registrations) {
            ++seen[each.table_key.substr(0, 5)];
            seen["again"] += static_cast<int>(dropped.contains(each.table_key));
        }
        for (auto const& each : one.pins) {
            seen["metadata"] += each.version.metadata.has_value();
            seen["staged"] += each.version.staged_version.has_value();
            EXPECT_GE(each.version.staged_version.value_or(1ull << 63), 1ull << 63);
        }
    }
    for (auto const* what :
         {"schema", "actor", "idempotency_key", "rename", "drop", "node:", "edge:", "again", "metadata", "staged"}) {
        EXPECT_GT(seen[what], 0) << what;
    }
}

}  // namespace
}  // namespace headwater::cli
