// Idempotency keys: the first commit answers, whoever made it, and exactly what that costs.
#include "tests/support/all.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <set>

namespace headwater::test {
namespace {

constexpr std::uint64_t key_page = 50;

publisher::plan keyed(std::string key)
{
    return [key = std::move(key)](snapshot const& now) -> result<intent> {
        auto wanted = small_graph::wish(now);
        wanted->idempotency_key = key;
        return wanted;
    };
}

intent keyed_wish(snapshot const& now, char const* key) { return *keyed(key)(now); }

TEST(idempotency, same_key_answers_with_the_first_commit_across_handles)
{
    small_graph graph;
    graph.grow(4);
    publisher first(*graph.store, "main", graph.time, *graph.chance);
    auto const made = graph.must(first.publish(keyed("k")));
    EXPECT_FALSE(made.repeated);
    graph.grow(60);
    publisher second(*graph.store, "main", graph.time, *graph.chance);
    for (publisher* each : {&first, &second}) {
        auto const again = graph.must(each->publish(keyed("k")));
        EXPECT_TRUE(again.repeated);
        EXPECT_EQ(again.at, made.at);
    }
    EXPECT_EQ(graph.read().seq(), sequence(60));
    EXPECT_FALSE(graph.must(second.publish(keyed("other"))).repeated);
    EXPECT_EQ(graph.read().seq(), sequence(61));
}

// Each record once: to the key for a retry, to the floor for a new key, and nothing when all has been seen.
TEST(idempotency, costs_each_record_once)
{
    small_graph graph;
    graph.grow(119);
    publisher rival(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(rival.publish(keyed("k")));
    (void)graph.must(rival.upkeep());

    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(writer.current());
    auto const retry = graph.must(writer.publish(keyed("k")));
    EXPECT_TRUE(retry.repeated);
    EXPECT_EQ(retry.spent.requests, key_page);
    EXPECT_EQ(retry.spent.rounds, 1u);

    constexpr std::uint64_t create = 1;
    auto const fresh = graph.must(writer.publish(keyed("new")));
    EXPECT_EQ(fresh.spent.requests, 120 - key_page + create);
    (void)graph.must(writer.upkeep());
    auto const third = graph.must(writer.publish(keyed("newer")));
    EXPECT_EQ(third.spent.requests, create);
    (void)graph.must(writer.upkeep());
    auto const repeated = graph.must(writer.publish(keyed("new")));
    EXPECT_EQ(repeated.at, fresh.at);
    EXPECT_EQ(repeated.spent.requests, 0u);
}

TEST(idempotency, intent_without_a_key_asks_for_nothing)
{
    small_graph graph;
    graph.grow(119);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(writer.current());
    EXPECT_EQ(graph.must(writer.publish(small_graph::wish)).spent.requests, 1u);
}

TEST(idempotency, race_of_one_key_makes_one_commit)
{
    small_graph graph;
    graph.grow(4);
    std::vector<std::unique_ptr<publisher>> writers;
    std::vector<boost::asio::awaitable<result<commit_receipt>>> works;
    for (int i = 0; i != 8; ++i) {
        writers.push_back(std::make_unique<publisher>(*graph.store, "main", graph.time, *graph.chance));
        works.push_back(writers.back()->publish(keyed("k")));
    }
    auto const done = run(graph.time, all(std::move(works)));
    std::set<std::string> ids;
    int made = 0;
    for (auto const& each : done) {
        ASSERT_TRUE(each) << each.error().message();
        ids.insert(each->at.id->text());
        made += each->repeated ? 0 : 1;
    }
    EXPECT_EQ(ids.size(), 1u);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(graph.read().seq(), sequence(5));
}

TEST(idempotency, strict_publish_that_was_applied_is_answered_not_refused)
{
    small_graph graph;
    graph.grow(4);
    auto const base = graph.read();
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const made = graph.must(writer.publish_on(base.id(), keyed_wish(base, "k")));
    graph.grow(9);
    publisher later(*graph.store, "main", graph.time, *graph.chance);
    EXPECT_EQ(graph.must(later.publish_on(base.id(), keyed_wish(base, "k"))).at, made.at);
    publisher stale(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(stale.current());
    EXPECT_EQ(graph.must(stale.publish_at(base, keyed_wish(base, "k"))).at, made.at);
    auto const refused = graph.must_fail(later.publish_on(base.id(), keyed_wish(base, "another")));
    EXPECT_TRUE(refused == errc::conflict);
    EXPECT_EQ(refused.why()->facts[0].second, base.id()->text());
    EXPECT_EQ(refused.why()->facts[1].second, graph.read().id()->text());
}

TEST(idempotency, key_below_the_floor_is_free_again)
{
    small_graph graph;
    graph.grow(4);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const made = graph.must(writer.publish(keyed("k")));
    (void)graph.must(writer.upkeep());
    graph.grow(23);
    graph.raise_floor(10);
    graph.time.pass(std::chrono::hours(2));  // The handle reads the metadata again.
    auto const again = graph.must(writer.publish(keyed("k")));
    EXPECT_FALSE(again.repeated);
    EXPECT_NE(again.at, made.at);
}

TEST(idempotency, hole_in_the_window_is_a_gap_not_a_new_key)
{
    small_graph graph;
    graph.grow(23);
    graph.remove(graph.record_at(12));
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const why = graph.must_fail(writer.publish(keyed("k")));
    EXPECT_TRUE(why == errc::history_gap) << why.message();
    EXPECT_EQ(why.why()->key, graph.record_at(12).text());
    EXPECT_EQ(graph.read().seq(), sequence(23));
}

// Whatever call fails, doing it again until it is acknowledged makes one commit.
TEST(idempotency, retry_after_any_fault_makes_one_commit)
{
    for (auto const what : {fault::refused, fault::unavailable, fault::unknown_applied, fault::unknown_lost,
                            fault::unknown_late, fault::cancelled, fault::cancelled_after}) {
        for (std::uint64_t number = 1;; ++number) {
            SCOPED_TRACE("fault " + std::to_string(static_cast<int>(what)) + " at call " + std::to_string(number));
            small_graph graph;
            graph.grow(7);
            bool hit = false;
            auto const plan = [&](store_call const& call) {
                hit |= call.number == number;
                return call.number == number ? what : fault::none;
            };
            auto const faulty = make_faulty_store(*graph.store, graph.time, plan, std::chrono::seconds(20));
            publisher writer(*faulty, "main", graph.time, *graph.chance);
            try {
                auto const done = run(graph.time, writer.publish(keyed("k")));
                (void)done;
            } catch (boost::system::system_error const&) {
            }
            if (!hit) break;
            publisher again(*graph.store, "main", graph.time, *graph.chance);
            (void)graph.must(again.publish(keyed("k")));
            std::size_t with_key = 0;
            reader main(*graph.store, "main", graph.time);
            auto const newest = graph.must(main.current()).seq();
            for (auto const& each : graph.must(main.history(newest, 50))) with_key += each.idempotency_key ? 1 : 0;
            EXPECT_EQ(with_key, 1u);
        }
    }
}

}  // namespace
}  // namespace headwater::test
