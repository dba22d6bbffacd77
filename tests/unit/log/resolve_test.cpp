// What became of a create: every slot beside every metadata, and the tokens that name it.
#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"
#include "src/log/resolve_step.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/resolve.hpp>
#include <headwater/stores.hpp>

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

using verdict = resolution::verdict_type;

struct verdict_row {
    slot_content slot;
    std::uint64_t seq;
    std::optional<sequence> final_seq;
    verdict expected;
};

// The floor is 10.
TEST(resolve_step, each_slot_beside_each_metadata_has_one_verdict)
{
    auto const ended = [](std::uint64_t seq) { return std::optional(sequence(seq)); };
    verdict_row const rows[] = {
        {slot_content::ours, 11, {}, verdict::committed},
        {slot_content::another, 11, {}, verdict::not_committed},
        {slot_content::nothing, 11, {}, verdict::unknown},
        {slot_content::ours, 10, {}, verdict::lost},
        {slot_content::another, 10, {}, verdict::lost},
        {slot_content::nothing, 10, {}, verdict::lost},
        {slot_content::ours, 1, {}, verdict::lost},
        {slot_content::ours, 11, ended(12), verdict::committed},
        {slot_content::another, 11, ended(12), verdict::not_committed},
        {slot_content::nothing, 11, ended(12), verdict::lost},
        {slot_content::another, 12, ended(12), verdict::not_committed},
        {slot_content::nothing, 12, ended(12), verdict::not_committed},
        {slot_content::ours, 13, ended(12), verdict::not_committed},
        {slot_content::nothing, 13, ended(12), verdict::not_committed},
        {slot_content::ours, 10, ended(12), verdict::lost},
        {slot_content::ours, 12, ended(12), verdict::committed},  // The retire record itself.
    };
    for (auto const& row : rows) {
        EXPECT_EQ(judge(row.slot, sequence(row.seq), sequence(10), row.final_seq), row.expected)
            << static_cast<int>(row.slot) << " at " << row.seq;
    }
}

std::string const good_token =
    "4.01ARZ3NDEKTSV4RRFFQ69G5FAV." + std::string(64, 'a') + ".a.b/c.01ARZ3NDEKTSV4RRFFQ69G5FAV";

TEST(resume_token, reads_what_it_writes)
{
    auto const token = resume_token::parse(good_token);
    ASSERT_TRUE(token) << token.error().message();
    EXPECT_EQ(token->at().seq, sequence(4));
    EXPECT_EQ(token->at().stream.logical().text(), "a.b/c");
    EXPECT_EQ(token->text(), good_token);
}

TEST(resume_token, anything_else_is_refused)
{
    std::string const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    std::string const digest(64, 'a');
    for (auto const& text :
         {std::string(), std::string("4"), "4." + id, "4." + id + '.' + digest, "4." + id + '.' + digest + '.',
          "0." + id + '.' + digest + ".main", "04." + id + '.' + digest + ".main", "-4." + id + '.' + digest + ".main",
          "18446744073709551614." + id + '.' + digest + ".main", "4.x." + digest + ".main", "4." + id + ".aa.main",
          "4." + id + '.' + std::string(64, 'A') + ".main", "4." + id + '.' + digest + ".nobody", ' ' + good_token}) {
        auto const token = resume_token::parse(text);
        ASSERT_FALSE(token) << text;
        EXPECT_TRUE(token.error() == errc::invalid_argument) << text;
    }
}

// A publish whose creates end as `what` for as long as the publisher tries.
resume_token token_of_doubt(small_graph& graph, fault what)
{
    auto const no_creates = [what](store_call const& call) {
        return call.operation == "put_if_absent" ? what : fault::none;
    };
    auto const faulty = make_faulty_store(*graph.store, graph.time, no_creates, std::chrono::hours(1));
    publisher_options hasty;
    hasty.outcome_budget = std::chrono::milliseconds(0);
    publisher writer(*faulty, "main", graph.time, *graph.chance, hasty);
    auto const why = graph.must_fail(writer.publish(small_graph::wish));
    EXPECT_TRUE(why == errc::outcome_unknown) << why.message();
    return *resume_token::parse(why.why()->facts[0].second);
}

resolution ask(small_graph& graph, resume_token const& token) { return graph.must(resolve(*graph.store, token)); }

TEST(resolve, applied_create_is_committed)
{
    small_graph graph;
    graph.grow(3);
    auto const token = token_of_doubt(graph, fault::unknown_applied);
    auto const answer = ask(graph, token);
    EXPECT_EQ(answer.verdict, verdict::committed);
    EXPECT_EQ(answer.spent.requests, 2u);
    graph.grow(9);
    EXPECT_EQ(ask(graph, token).verdict, verdict::committed);
}

TEST(resolve, empty_slot_is_unknown_until_another_commit_has_it)
{
    small_graph graph;
    graph.grow(3);
    auto const token = token_of_doubt(graph, fault::unknown_lost);
    EXPECT_EQ(ask(graph, token).verdict, verdict::unknown);
    graph.grow(4);
    auto const answer = ask(graph, token);
    EXPECT_EQ(answer.verdict, verdict::not_committed);
    EXPECT_EQ(answer.actual, graph.read().id());
}

TEST(resolve, below_the_floor_nothing_can_be_known)
{
    small_graph graph;
    graph.grow(3);
    auto const token = token_of_doubt(graph, fault::unknown_applied);
    graph.grow(9);
    graph.raise_floor(5);
    EXPECT_EQ(ask(graph, token).verdict, verdict::lost);
    graph.put(graph.record_at(4), "anything");
    EXPECT_EQ(ask(graph, token).verdict, verdict::lost);
}

TEST(resolve, in_a_branch_that_was_deleted_only_what_is_followed_was_committed)
{
    small_graph graph;
    graph.grow(3);
    auto const token = token_of_doubt(graph, fault::unknown_applied);
    graph.grow(9);
    graph.retire(10);
    EXPECT_EQ(ask(graph, token).verdict, verdict::committed);
    auto const late = std::string(graph.get(graph.record_at(4)).view());
    for (std::uint64_t seq = 1; seq <= 9; ++seq) graph.remove(graph.record_at(seq));
    EXPECT_EQ(ask(graph, token).verdict, verdict::lost) << "swept";
    graph.put(graph.record_at(4), late);
    EXPECT_EQ(ask(graph, token).verdict, verdict::lost) << "landed after the sweep";
}

TEST(resolve, record_that_ended_the_branch_is_committed)
{
    branched_graph graph;
    graph.grow(3);
    auto const life = graph.create("b");
    auto const ended = graph.remove_branch("b");
    auto const stream = *stream_id::parse(life.stream);
    auto const last = graph.get(layout::record(stream, ended.retired->final_seq));
    auto const id = decode_record(last.view(), stream, ended.retired->final_seq)->id;
    auto const token = resume_token::parse(std::to_string(ended.retired->final_seq.value()) + '.' + id.text() + '.'
                                           + to_hex(sha256(last.view())) + '.' + stream.text());
    ASSERT_TRUE(token) << token.error().message();
    EXPECT_EQ(ask(graph, *token).verdict, verdict::committed);
}

TEST(resolve, branch_that_ended_before_it_never_has_it)
{
    small_graph graph;
    graph.grow(3);
    auto const token = token_of_doubt(graph, fault::unknown_lost);
    graph.retire(4);
    EXPECT_EQ(ask(graph, token).verdict, verdict::not_committed);
    graph.remove(layout::metadata(stream_id()));
    EXPECT_TRUE(graph.must_fail(resolve(*graph.store, token)) == errc::branch_not_found);
}

TEST(resolve, slot_that_cannot_be_read_is_an_error)
{
    small_graph graph;
    graph.grow(3);
    auto const token = token_of_doubt(graph, fault::unknown_lost);
    graph.put(graph.record_at(4), "{");
    EXPECT_TRUE(graph.must_fail(resolve(*graph.store, token)) == errc::corrupt);
    auto const denied = [](store_call const&) { return fault::refused; };
    auto const faulty = make_faulty_store(*graph.store, graph.time, denied, std::chrono::seconds(1));
    EXPECT_TRUE(graph.must_fail(resolve(*faulty, token)) == errc::access_denied);
}

}  // namespace
}  // namespace headwater::test
