// The Floor rule where it protects a publisher: a stalled create in a slot that cleanup has passed is never called a
// success, by any of the three clocks.
#include "src/log/authority.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <headwater/stores.hpp>

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct clock_row {
    char const* name;
    minutes boot, wall;
    std::optional<minutes> store;
    bool fresh;
};

// How far each clock says that time has gone since the metadata was asked for.
TEST(authority, is_as_old_as_the_fastest_clock_says)
{
    clock_row const rows[] = {
        {"nothing has passed", minutes(0), minutes(0), minutes(0), true},
        {"half of min_age", minutes(30), minutes(30), minutes(30), true},
        {"the boot clock alone", minutes(31), minutes(0), minutes(0), false},
        {"the wall clock alone", minutes(0), minutes(31), minutes(0), false},
        {"the store alone", minutes(0), minutes(0), minutes(31), false},
        {"a wall clock that was set back", minutes(0), -minutes(500), minutes(0), true},
        {"set back while much passed", minutes(31), -minutes(500), {}, false},
        {"a store without a date", minutes(5), minutes(5), {}, true},
    };
    for (auto const& row : rows) {
        virtual_clock time;
        authority known;
        known.asked = moment::now(time);
        known.asked.store = time.now();
        std::optional<time_ms> date;
        if (row.store) date = time.now() + *row.store;
        time.pass(row.boot);
        time.set_skew(row.wall - row.boot);
        EXPECT_EQ(known.fresh(time, date), row.fresh) << row.name;
    }
}

// Cleanup runs while a create is on its way: `stall` is what passes before the store gets it.
struct stalled {
    small_graph graph;

    error publish(std::chrono::minutes stall)
    {
        graph.grow(4);
        bool done = false;
        auto const overtake = [&](store_call const& call) {
            if (call.operation == "put_if_absent" && !done) {
                done = true;
                graph.time.pass(stall);
                graph.grow(23);
                graph.raise_floor(20);
                for (std::uint64_t seq = 1; seq <= 20; ++seq) graph.remove(graph.record_at(seq));
            }
            return fault::none;
        };
        auto const slow = make_faulty_store(*graph.store, graph.time, overtake, seconds(1));
        publisher writer(*slow, "main", graph.time, *graph.chance);
        auto const answer = run(graph.time, writer.publish_at(graph.read(), *small_graph::wish(graph.read())));
        EXPECT_FALSE(answer) << "a void slot was called a commit";
        return answer ? error() : answer.error();
    }
};

TEST(publisher, create_in_a_void_slot_is_never_a_success)
{
    stalled within;
    EXPECT_TRUE(within.publish(minutes(40)) == errc::conflict) << "sent less than min_age before the metadata";
    stalled beyond;
    auto const why = beyond.publish(minutes(90));
    EXPECT_TRUE(why == errc::outcome_unknown) << why.message();
    EXPECT_TRUE(why.why()->facts.empty()) << "its history is gone: there is nothing to resume";
    EXPECT_EQ(beyond.graph.read().seq(), sequence(23));
}

// The same in a branch that is deleted and swept meanwhile, which raises no floor.
TEST(publisher, create_in_a_swept_branch_is_never_a_success)
{
    small_graph graph;
    graph.grow(4);
    bool done = false;
    auto const overtake = [&](store_call const& call) {
        if (call.operation != "put_if_absent" || done) return fault::none;
        done = true;
        graph.time.pass(minutes(90));
        graph.grow(11);
        graph.retire(12);
        for (std::uint64_t seq = 1; seq <= 11; ++seq) graph.remove(graph.record_at(seq));
        return fault::none;
    };
    auto const slow = make_faulty_store(*graph.store, graph.time, overtake, seconds(1));
    publisher writer(*slow, "main", graph.time, *graph.chance);
    auto const why = graph.must_fail(writer.publish_at(graph.read(), *small_graph::wish(graph.read())));
    EXPECT_TRUE(done);
    EXPECT_TRUE(why == errc::outcome_unknown) << why.message();
    EXPECT_TRUE(!why.why() || why.why()->facts.empty()) << "there is nothing to resume";
}

// The first create may have been a commit, pruned since; a stalled writer's then came to its slot.
struct refilled {
    small_graph graph;

    error publish(fault first, bool retired)
    {
        graph.grow(5);
        auto const late = graph.get(graph.record_at(5));
        graph.remove(graph.record_at(5));
        graph.remove(graph.checkpoint_at(5));
        graph.put(graph.hint_key(), R"({"seq":4})");
        unsigned creates = 0;
        auto const overtake = [&](store_call const& call) {
            if (call.operation != "put_if_absent" || ++creates > 2) return fault::none;
            if (creates == 1) return first;
            graph.time.pass(minutes(90));
            graph.grow(11);
            retired ? graph.retire(12) : graph.raise_floor(10);
            for (std::uint64_t seq = 1; seq <= 10; ++seq) graph.remove(graph.record_at(seq));
            graph.put(graph.record_at(5), std::string(late.view()));
            return fault::none;
        };
        auto const slow = make_faulty_store(*graph.store, graph.time, overtake, seconds(1));
        publisher writer(*slow, "main", graph.time, *graph.chance);
        return graph.must_fail(writer.publish_at(graph.read(), *small_graph::wish(graph.read())));
    }
};

TEST(publisher, void_slot_of_another_is_no_answer_for_a_create_that_had_none)
{
    for (bool const retired : {false, true}) {
        for (auto const first : {fault::unknown_applied, fault::unknown_lost}) {
            refilled doubtful;
            auto const why = doubtful.publish(first, retired);
            EXPECT_TRUE(why == errc::outcome_unknown) << why.message();
            EXPECT_TRUE(!why.why() || why.why()->facts.empty()) << "there is nothing to resume";
        }
        refilled refused;
        auto const why = refused.publish(fault::unavailable, retired);
        EXPECT_TRUE(why == (retired ? errc::branch_retired : errc::conflict)) << why.message();
    }
}

TEST(publisher, snapshot_below_the_floor_is_a_conflict_before_anything_is_sent)
{
    small_graph graph;
    graph.grow(4);
    auto const old = graph.read();
    graph.grow(23);
    graph.raise_floor(20);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(writer.current());
    auto const why = graph.must_fail(writer.publish_at(old, *small_graph::wish(old)));
    EXPECT_TRUE(why == errc::conflict) << why.message();
    std::vector<std::pair<std::string, std::string>> const facts = {
        {"expected", old.id()->text()}, {"actual", graph.read().id()->text()}, {"floor", "20"}};
    EXPECT_EQ(why.why()->facts, facts);
}

TEST(publisher, snapshot_of_another_life_is_a_conflict_that_names_both)
{
    small_graph graph;
    graph.grow(4);
    snapshot const base(*stream_id::parse("other.01ARZ3NDEKTSV4RRFFQ69G5FAV"), graph.read().share(), false, cost());
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const why = graph.must_fail(writer.publish_at(base, *small_graph::wish(base)));
    EXPECT_TRUE(why == errc::conflict) << why.message();
    EXPECT_EQ(why.why()->facts.size(), 2u);
    // A key looks back over the life that the snapshot is of, and not over another.
    auto keyed = *small_graph::wish(base);
    keyed.idempotency_key = "k";
    (void)graph.must(writer.publish_at(graph.read(), keyed));
    auto const still = graph.must_fail(writer.publish_at(base, keyed));
    EXPECT_TRUE(still == errc::conflict) << still.message();
}

TEST(publisher, no_attempt_at_all_is_refused)
{
    small_graph graph;
    publisher_options never;
    never.max_prepares = 0;
    publisher writer(*graph.store, "main", graph.time, *graph.chance, never);
    EXPECT_TRUE(graph.must_fail(writer.publish(small_graph::wish)) == errc::invalid_argument);
}

TEST(reader, floor_is_known_once_a_call_has_opened_the_branch)
{
    small_graph graph;
    graph.grow(23);
    graph.raise_floor(20);
    reader main(*graph.store, "main", graph.time);
    EXPECT_EQ(main.floor(), std::nullopt);
    reader none(*graph.store, "none", graph.time);
    EXPECT_TRUE(graph.must_fail(none.current()) == errc::branch_not_found);
    EXPECT_EQ(none.floor(), std::nullopt);
    (void)graph.must(main.current());
    EXPECT_EQ(main.floor(), sequence(20));
}

TEST(publisher, hints_keep_their_distance_on_demand)
{
    small_graph graph;
    publisher_options calm;
    calm.hint_interval = seconds(1);
    publisher writer(*graph.store, "main", graph.time, *graph.chance, calm);
    (void)graph.must(writer.publish(small_graph::wish));
    EXPECT_EQ(graph.must(writer.upkeep()).requests, 1u);
    (void)graph.must(writer.publish(small_graph::wish));
    EXPECT_EQ(graph.must(writer.upkeep()).requests, 0u);
    graph.time.pass(seconds(1));
    (void)graph.must(writer.publish(small_graph::wish));
    EXPECT_EQ(graph.must(writer.upkeep()).requests, 1u);
    EXPECT_EQ(graph.get(graph.hint_key()).view(), R"({"seq":3,"checkpoint":0})");
}

}  // namespace
}  // namespace headwater::test
