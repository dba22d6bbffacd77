// Who holds a state over a base below the floor, whose tombstone set a cleanup has taken, goes on from a newer base.
#include "src/log/fold.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/merge.hpp>

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

intent a_pin_of_one(snapshot const& now)
{
    intent out;
    out.pins.push_back(a_pin(table(1), "node:T1", now.seq().value() + 1));
    return out;
}

publisher::plan drop_late(std::uint64_t id)
{
    return [id](snapshot const&) -> result<intent> {
        intent out;
        out.tombstones.push_back(a_drop(table(id), "node:T" + std::to_string(id)));
        return out;
    };
}

// Drops at 5 and 17; nobody wrote the checkpoint of 20, so that the newest state, 21, has its base at 15.
class late_graph : public branched_graph {
public:
    late_graph()
    {
        grow(4);
        commit("main", drop_late(2));
        for (std::uint64_t seq = 6; seq <= 19; ++seq) commit("main", seq == 17 ? drop_late(3) : plain());
        for (int i = 0; i != 2; ++i) {
            publisher writer(*store, "main", time, *chance);
            (void)must(writer.publish(plain()));
        }
    }

    static publisher::plan plain()
    {
        return [](snapshot const& now) -> result<intent> { return a_pin_of_one(now); };
    }
    /// The set of 15.
    object_key set_key()
    {
        auto const at_15 = decode_checkpoint(get(checkpoint_at(15)).view(), stream_id(), sequence(15));
        return layout::tombstones(*at_15->tombstoned.set);
    }
    /// Takes it.
    void take_set()
    {
        auto const set = set_key();
        time.pass(std::chrono::hours(2));
        (void)clean(keep(1, true));
        ASSERT_EQ(floor(), 20u);
        ASSERT_FALSE(has(set));
    }
};

TEST(renewal, publisher_registers_over_a_newer_base)
{
    late_graph graph;
    publisher held(*graph.store, "main", graph.time, *graph.chance);
    auto const now = graph.must(held.current());
    ASSERT_EQ(now.content().base(), sequence(15));
    graph.take_set();
    auto const used = graph.must_fail(held.publish_at(now, a_first_version(table(2), "node:T2")));
    EXPECT_TRUE(used == errc::invalid_argument) << used.message();
    (void)graph.must(held.publish_at(now, a_first_version(table(9), "node:T9")));
    (void)graph.must(held.upkeep());
    (void)graph.must(
        held.publish([](snapshot const&) { return result<intent>(a_first_version(table(10), "node:T10")); }));
    (void)graph.must(held.upkeep());
    EXPECT_EQ(graph.read().heads().size(), 4u);
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(renewal, upkeep_writes_a_checkpoint_over_a_newer_base)
{
    late_graph graph;
    publisher held(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(held.current());
    graph.take_set();
    (void)graph.must(held.publish(graph.plain()));
    (void)graph.must(held.upkeep());
    EXPECT_TRUE(graph.has(graph.checkpoint_at(22)));
    (void)graph.must(held.publish(graph.plain()));
    (void)graph.must(held.upkeep());
    EXPECT_EQ(graph.read().seq(), sequence(23));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(renewal, reader_tells_what_was_dropped_and_a_branch_begins_there)
{
    late_graph graph;
    reader held(*graph.store, "main", graph.time);
    auto const now = graph.must(held.current());
    graph.take_set();
    EXPECT_EQ(graph.must(held.tombstones(now)).size(), 2u);
    (void)graph.create("review", now);
    EXPECT_EQ(graph.read("review").seq(), sequence(21));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(renewal, state_below_the_floor_is_planned_again)
{
    late_graph graph;
    publisher held(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(held.current());
    for (std::uint64_t seq = 22; seq <= 26; ++seq) graph.commit("main", graph.plain());
    graph.time.pass(std::chrono::hours(2));
    (void)graph.clean(graph.keep(1, true));
    (void)graph.must(
        held.publish([](snapshot const&) { return result<intent>(a_first_version(table(9), "node:T9")); }));
    EXPECT_EQ(graph.read().seq(), sequence(27));
}

// A branch that brings a table of its own; the set that its checkpoint names is that of 20.
void begin_review(late_graph& graph)
{
    (void)graph.create("review");
    graph.commit("review", [](snapshot const&) { return result<intent>(a_first_version(table(9), "node:T9")); });
}

TEST(renewal, merge_goes_on_over_a_newer_base)
{
    late_graph graph;
    begin_review(graph);
    auto const set = graph.set_key();
    bool overtaken = false;
    auto const overtake = [&](store_call const& call) {
        if (call.key == set.text() && !overtaken) {
            overtaken = true;
            graph.take_set();
        }
        return fault::none;
    };
    auto const busy = make_faulty_store(*graph.store, graph.time, overtake, std::chrono::seconds(1));
    merge_options const how;
    auto const done = graph.must(
        merge(*busy, graph.named("review"), graph.named("main"), graph.time, *graph.chance, how, merge_resolver()));
    EXPECT_TRUE(overtaken);
    EXPECT_EQ(done.at.seq, sequence(22));
    EXPECT_NE(graph.read().find(9), nullptr);
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(lost_set, is_a_gap_to_all_who_ask_what_had_been_dropped_until_it_is_repaired)
{
    late_graph graph;
    begin_review(graph);
    auto const set = graph.set_key();
    graph.remove(set);
    auto const expect_gap = [&](error const& why) {
        EXPECT_TRUE(why == errc::history_gap) << why.message();
        EXPECT_EQ(why.why() ? why.why()->key : "", set.text());
    };
    auto const now = graph.read();
    reader main(*graph.store, "main", graph.time);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    branches all(*graph.store, graph.time, *graph.chance);
    merge_options const how;
    auto const into_main = [&] {
        return merge(*graph.store, graph.named("review"), graph.named("main"), graph.time, *graph.chance, how,
                     merge_resolver());
    };
    expect_gap(graph.must_fail(main.tombstones(now)));
    expect_gap(graph.must_fail(writer.publish_at(now, a_first_version(table(8), "node:T8"))));
    expect_gap(graph.must_fail(all.create(graph.named("late"), now)));
    expect_gap(graph.must_fail(into_main()));
    EXPECT_FALSE(graph.mend().corrupt());
    EXPECT_EQ(graph.must(main.tombstones(now)).size(), 2u);
    (void)graph.must(into_main());
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

}  // namespace
}  // namespace headwater::test
