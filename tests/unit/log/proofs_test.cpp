// Writers that are given a prover write nothing to a store that has not proved what they need.
#include "tests/support/lying_store.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/merge.hpp>
#include <headwater/probe.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headwater::test {
namespace {

constexpr std::uint64_t proof_of_creates = 14;
constexpr std::uint64_t proof_of_updates = 17;

/// A graph in a store that lies about conditions, and everything that can write to it.
struct doubted_graph : branched_graph {
    explicit doubted_graph(lie how) : liar(*store, how), counted(make_metered_store(liar, counts))
    {
        grow(3);
        create("ended");
        remove_branch("ended");
        create("review");
        (void)commit("review");
    }

    result<commit_receipt> publish()
    {
        publisher writer(*counted, "main", time, *chance, {.proofs = &proofs});
        return run(time, writer.publish(wish));
    }
    result<stream_metadata> create_from_main(std::string_view name)
    {
        branches all(*counted, time, *chance, {.proofs = &proofs});
        return run(time, all.create(named(name), read()));
    }
    result<stream_metadata> end(std::string_view name)
    {
        branches all(*counted, time, *chance, {.proofs = &proofs});
        return run(time, all.remove(named(name)));
    }
    result<merge_receipt> merge_review(bool deletes)
    {
        merge_options how;
        how.proofs = &proofs;
        how.ended_is_merged = deletes;
        return run(time, merge(*counted, named("review"), named("main"), time, *chance, how, {}));
    }
    result<cleanup_report> clean_up(bool confirm)
    {
        auto how = keep(1);
        how.confirm = confirm;
        how.proofs = &proofs;
        return run(time, cleanup(*counted, time, how, {}));
    }
    result<repair_report> repaired(bool confirm)
    {
        repair_options const how{.confirm = confirm, .proofs = &proofs};
        return run(time, repair(*counted, time, how));
    }

    /// Every object of the store with its content.
    std::vector<std::string> everything()
    {
        std::vector<std::string> out;
        std::string const all;
        for (auto const& each : must(store->list(all, list_options())).objects) {
            out.push_back(each.key.text() + ' ' + std::string(get(each.key).view()));
        }
        return out;
    }

    meter counts;
    lying_store liar;
    std::unique_ptr<object_store> counted;
    prover proofs{time, *chance};
};

template <class T>
bool is_unsupported(result<T> const& answer)
{
    return !answer && answer.error() == errc::unsupported;
}

TEST(proofs, store_without_conditional_creates_gets_nothing)
{
    doubted_graph graph(lie::ignores_if_none_match);
    auto const before = graph.everything();
    EXPECT_TRUE(is_unsupported(graph.publish()));
    EXPECT_TRUE(is_unsupported(graph.create_from_main("new")));
    EXPECT_TRUE(is_unsupported(graph.create_from_main("ended")));
    EXPECT_TRUE(is_unsupported(graph.end("review")));
    EXPECT_TRUE(is_unsupported(graph.merge_review(false)));
    EXPECT_TRUE(is_unsupported(graph.clean_up(true)));
    EXPECT_TRUE(is_unsupported(graph.repaired(true)));
    EXPECT_EQ(graph.everything(), before);
}

TEST(proofs, store_without_conditional_updates_keeps_names_floors_and_lives)
{
    doubted_graph graph(lie::ignores_if_match);
    auto const before = graph.everything();
    EXPECT_TRUE(is_unsupported(graph.create_from_main("ended"))) << "its name would be replaced under a condition";
    EXPECT_TRUE(is_unsupported(graph.end("review")));
    EXPECT_TRUE(is_unsupported(graph.merge_review(true))) << "a deletion follows";
    EXPECT_TRUE(is_unsupported(graph.clean_up(true)));
    EXPECT_TRUE(is_unsupported(graph.repaired(true)));
    EXPECT_EQ(graph.everything(), before);
    EXPECT_TRUE(graph.publish());
    EXPECT_TRUE(graph.create_from_main("new"));
    EXPECT_TRUE(graph.merge_review(false));
}

TEST(proofs, what_only_looks_asks_for_none)
{
    doubted_graph graph(lie::ignores_if_none_match);
    EXPECT_TRUE(graph.clean_up(false));
    EXPECT_TRUE(graph.repaired(false));
}

TEST(proofs, first_publish_pays_for_the_proof_and_the_next_ones_nothing)
{
    doubted_graph graph(lie::none);
    graph.grow(6);
    prover once(graph.time, *graph.chance);
    auto const warm = [&] {
        publisher writer(*graph.counted, "main", graph.time, *graph.chance, {.proofs = &once});
        (void)graph.must(writer.current());
        return writer;
    };
    auto first = warm();
    auto const spent = graph.must(first.publish(doubted_graph::wish)).spent;
    EXPECT_EQ(spent.requests, 1 + proof_of_creates);
    EXPECT_EQ(spent.rounds, 1u + 6u);
    EXPECT_EQ(graph.must(first.publish(doubted_graph::wish)).spent.requests, 1u);
    auto second = warm();
    EXPECT_EQ(graph.must(second.publish(doubted_graph::wish)).spent.requests, 1u) << "of the same prover";
}

TEST(proofs, name_that_is_used_again_needs_the_proof_of_updates_alone)
{
    doubted_graph graph(lie::none);
    auto const spent = [&](std::string_view name) {
        auto const before = graph.counts.total().requests;
        EXPECT_TRUE(graph.create_from_main(name));
        return graph.counts.total().requests - before;
    };
    auto const again = spent("ended");
    graph.remove_branch("ended");
    EXPECT_EQ(again, spent("ended") + proof_of_updates);
    auto const before = graph.counts.total().requests;
    EXPECT_TRUE(graph.publish());
    EXPECT_LT(graph.counts.total().requests - before, proof_of_creates) << "updates are proved beside creates";
}

TEST(proofs, nothing_is_tried_where_there_is_no_graph)
{
    virtual_clock time;
    auto const chance = make_seeded_random(1);
    auto const empty = make_memory_store(time);
    prover proofs(time, *chance);
    bool wrote = false;
    auto const note = [&](store_call const& call) {
        wrote |= call.writes;
        return fault::none;
    };
    auto const watched = make_faulty_store(*empty, time, note, std::chrono::seconds(1));
    publisher writer(*watched, "main", time, *chance, {.proofs = &proofs});
    EXPECT_FALSE(run(time, writer.publish(small_graph::wish)));
    branches all(*watched, time, *chance, {.proofs = &proofs});
    EXPECT_FALSE(run(time, all.remove(branched_graph::named("review"))));
    cleanup_options how;
    how.confirm = true;
    how.proofs = &proofs;
    EXPECT_FALSE(run(time, cleanup(*watched, time, how, {})));
    EXPECT_FALSE(wrote);
}

}  // namespace
}  // namespace headwater::test
