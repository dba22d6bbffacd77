// What is missing from a stream that ended, while somebody still reads it: verify names it and whom that hurts, cleanup
// goes on beside it.
#include "src/log/open_stream.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/merge.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::test {
namespace {

using std::chrono::hours;
using kinds = std::vector<std::string>;
using ::testing::HasSubstr;

// `review` forks at 7, ends at 15; `later` forks from it at 11.
class ended_graph : public branched_graph {
public:
    ended_graph()
    {
        grow(7);
        review = stream_of(create("review"));
        for (int i = 0; i != 4; ++i) (void)commit("review");
        later = stream_of(create("later", "review"));
        for (int i = 0; i != 3; ++i) (void)commit("review");
    }

    static stream_id stream_of(stream_metadata const& of) { return *stream_id::parse(of.stream); }
    object_key of_review(std::uint64_t seq) const { return layout::record(review, sequence(seq)); }
    void lose(std::uint64_t first, std::uint64_t last)
    {
        for (auto seq = first; seq <= last; ++seq) remove(of_review(seq));
    }
    finding only_finding()
    {
        verify_options const how;
        auto const found = must(verify(*store, time, how)).findings;
        EXPECT_EQ(found.size(), 1u);
        return found.empty() ? finding() : found.front();
    }
    void end_review() { (void)remove_branch("review"); }
    void end_later() { (void)remove_branch("later"); }
    merge_receipt merge_review()
    {
        merge_options const how;
        return must(merge(*store, named("review"), named("main"), time, *chance, how, {}));
    }
    /// As a cleanup leaves it that was killed in its sweep of `review`.
    void half_sweep(std::uint64_t last)
    {
        remove(layout::hint(review));
        lose(8, last);
    }
    /// An hour twice over, so that what can go is gone.
    void clean_up(std::uint64_t newest = 100)
    {
        for (int i = 0; i != 3; ++i) {
            time.pass(hours(2));
            (void)clean(keep(newest));
        }
    }

    stream_id review;
    stream_id later;
};

TEST(verify, hole_in_an_ended_stream_is_told_as_long_as_a_live_child_reads_it)
{
    ended_graph graph;
    graph.end_review();
    graph.lose(9, 10);
    auto const told = graph.only_finding();
    EXPECT_EQ(told.kind, finding::kind_type::gap);
    EXPECT_TRUE(told.corrupt);
    EXPECT_EQ(told.key, graph.of_review(9).text());
    EXPECT_EQ(told.stream, graph.review.text());
    EXPECT_EQ(told.seq, sequence(9));
    EXPECT_THAT(told.detail, HasSubstr("up to seq 10"));
    EXPECT_THAT(told.detail, HasSubstr("the live stream " + graph.later.text() + ", which began at seq 11"));
    EXPECT_EQ(graph.findings(true), kinds{"gap!"});
    graph.end_later();
    EXPECT_EQ(graph.findings(true), kinds());
}

TEST(verify, hole_in_an_ended_stream_that_nobody_reads_is_none)
{
    ended_graph graph;
    graph.end_review();
    graph.lose(12, 13);
    EXPECT_EQ(graph.findings(true), kinds()) << "the child began below";
}

TEST(verify, lost_end_of_an_ended_stream_is_a_hole_too)
{
    ended_graph graph;
    graph.end_review();
    graph.lose(11, 15);
    EXPECT_EQ(graph.findings(), kinds{"gap!"});
    graph.lose(8, 10);
    EXPECT_EQ(graph.findings(), kinds{"gap!"}) << "all of it";
}

TEST(verify, torn_record_beside_a_hole_is_told)
{
    ended_graph graph;
    graph.end_review();
    graph.lose(8, 8);
    graph.put(graph.of_review(10), "{");
    EXPECT_EQ(graph.findings(), (kinds{"gap!", "record_torn!"}));
    graph.time.pass(hours(2));
    auto const done = graph.clean(graph.keep(100));
    auto const is_left = [](stream_cleanup const& each) { return each.fault.has_value(); };
    auto const left = std::ranges::find_if(done.streams, is_left);
    ASSERT_NE(left, done.streams.end());
    EXPECT_TRUE(*left->fault == errc::corrupt);
    EXPECT_THAT(left->fault->message(), HasSubstr("all that it may name stays"));
    EXPECT_EQ(left->fault->why()->key, graph.of_review(10).text());
}

TEST(verify, long_hole_is_one_finding_of_few_requests)
{
    kept_graph graph;
    graph.grow(603);
    for (std::uint64_t seq = 7; seq <= 598; ++seq) graph.remove(graph.record_at(seq));
    verify_options const how;
    auto const found = graph.must(verify(*graph.store, graph.time, how));
    ASSERT_EQ(found.findings.size(), 1u) << to_string(found.findings.at(1).kind) << found.findings[1].detail;
    EXPECT_THAT(found.findings[0].detail, HasSubstr("up to seq 598"));
    // Of the 592 only the first page is asked for, twice; the checkpoints stand.
    EXPECT_LT(found.spent.requests, 300u);
}

// A commit may name what is left of a stream while its sweep is on.
TEST(verify, what_a_stopped_sweep_left_of_a_merged_stream_is_told_and_is_no_corruption)
{
    ended_graph graph;
    auto const merged = graph.merge_review();
    graph.end_later();
    graph.end_review();
    EXPECT_EQ(graph.findings(true), kinds());
    graph.half_sweep(9);
    auto const told = graph.only_finding();
    EXPECT_FALSE(told.corrupt);
    EXPECT_EQ(told.key, graph.of_review(8).text());
    EXPECT_THAT(told.detail, HasSubstr("commit " + merged.at.id->text() + " (seq 8 of main), which merged its seq 14"));
}

TEST(verify, hole_of_no_sweep_in_a_merged_stream_is_corruption)
{
    ended_graph graph;
    (void)graph.merge_review();
    graph.end_later();
    graph.end_review();
    graph.lose(9, 9);
    EXPECT_EQ(graph.findings(), kinds{"gap!"}) << "a sweep takes the hint first";
}

TEST(verify, need_goes_on_from_an_ended_child_to_its_parent)
{
    ended_graph graph;
    for (int i = 0; i != 2; ++i) (void)graph.commit("later");
    graph.end_review();
    (void)graph.create("last", "later");
    graph.end_later();
    graph.lose(9, 9);
    auto const told = graph.only_finding();
    EXPECT_TRUE(told.corrupt) << "a live stream descends from it";
    EXPECT_THAT(told.detail, HasSubstr("the stream " + graph.later.text() + ", which began at seq 11"));
}

TEST(cleanup, hole_in_an_ended_parent_keeps_nothing_else)
{
    ended_graph graph;
    graph.end_review();
    graph.lose(9, 10);
    graph.grow(40);
    graph.clean_up(5);
    EXPECT_EQ(graph.floor(), 5u) << "below the fork";
    EXPECT_FALSE(graph.has(graph.record_at(5)));
    EXPECT_TRUE(graph.has(graph.of_review(8))) << "all that is left of it stays";
    EXPECT_TRUE(graph.has(graph.of_review(15)));
    EXPECT_EQ(graph.findings(true), kinds{"gap!"});
    graph.end_later();
    graph.clean_up(5);
    EXPECT_FALSE(graph.has(graph.of_review(8))) << "nobody reads it any more";
    EXPECT_EQ(graph.floor(), 35u);
    EXPECT_EQ(graph.findings(true), kinds());
}

TEST(cleanup, sweep_that_was_stopped_before_a_commit_named_the_stream_stops_no_cleanup)
{
    for (std::uint64_t const swept : {9, 14, 15}) {
        ended_graph graph;
        (void)graph.merge_review();
        graph.end_later();
        graph.end_review();
        graph.half_sweep(swept);
        graph.clean_up();
        EXPECT_EQ(graph.has(graph.of_review(15)), swept != 15);
        EXPECT_EQ(graph.findings(), kinds{"gap"}) << swept;
        graph.grow(40);
        graph.clean_up(5);
        EXPECT_EQ(graph.floor(), 35u);
        EXPECT_FALSE(graph.has(graph.of_review(15))) << "the merge is below the floor";
        EXPECT_EQ(graph.findings(), kinds());
    }
}

// The states after a hole are readable, by carry: what they name is a root.
TEST(cleanup, roots_after_a_hole_are_complete)
{
    ended_graph graph;
    graph.end_review();
    auto const roots = [&] {
        std::set<std::uint64_t> out;
        (void)graph.clean(graph.keep(100), [&](root const& one) {
            out.insert(one.version.target_version);
            return result<void>();
        });
        return out;
    };
    auto const all = roots();
    graph.lose(12, 12);
    open_stream ended(*graph.store, graph.review, graph.time, ended_lives::readable);
    auto const after = graph.must(ended.at(sequence(13)));
    EXPECT_EQ(roots(), all);
    for (auto const& each : after.heads()) EXPECT_TRUE(all.contains(each.version->target_version));
}

TEST(lineage, of_a_stream_that_is_being_swept_is_refused)
{
    ended_graph graph;
    auto const tip = graph.read("review").at();
    graph.end_later();
    graph.end_review();
    auto const publish = [&] {
        publisher main(*graph.store, "main", graph.time, *graph.chance);
        return run(graph.time, main.publish([&](snapshot const&) -> result<intent> {
            intent out;
            out.origin.emplace();
            out.origin->source_stream = tip.stream.text();
            out.origin->source_seq = tip.seq.value();
            out.origin->merged_parent_commit_id = *tip.id;
            return out;
        }));
    };
    graph.half_sweep(9);
    auto const refused = publish();
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error() == errc::precondition_failed) << refused.error().message();
    EXPECT_THAT(refused.error().message(), HasSubstr("cleanup is taking it away"));
    EXPECT_EQ(graph.read().seq(), sequence(7));
}

}  // namespace
}  // namespace headwater::test
