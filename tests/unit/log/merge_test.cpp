// Merging branches of a graph in memory: the three outcomes, what the record says, rivals, lost history, and faults.
#include "src/log/commit_search.hpp"
#include "src/log/parent_walk.hpp"
#include "tests/support/fault_enumeration.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/merge.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>

namespace headwater::test {
namespace {

using outcome = merge_receipt::outcome_type;
using ::testing::ElementsAre;

// Main has tables 1 to 4 and is at 7; `review` begins there.
class merged_graph : public branched_graph {
public:
    merged_graph()
    {
        grow(7);
        create("review");
    }

    static publisher::plan pins(std::uint64_t id, std::uint64_t version)
    {
        return [=](snapshot const& now) -> result<intent> {
            intent out;
            out.pins.push_back(a_pin(table(id), now.find(id)->table_key, version));
            return out;
        };
    }
    result<merge_receipt> try_merge(object_store& through, char const* source, char const* target,
                                    merge_resolver resolve = {})
    {
        merge_options const how;
        return run(time, merge(through, named(source), named(target), time, *chance, how, std::move(resolve)));
    }
    merge_receipt merge_into(char const* source, char const* target, merge_resolver resolve = {})
    {
        auto done = try_merge(*store, source, target, std::move(resolve));
        if (!done) throw failure(done.error());
        return *done;
    }
    error merge_fails(char const* source, char const* target)
    {
        auto const done = try_merge(*store, source, target);
        return done ? error() : done.error();
    }
    std::uint64_t version(std::string_view branch, std::uint64_t id)
    {
        return read(branch).find(id)->version->target_version;
    }
    record newest(std::string_view branch)
    {
        reader of(*store, branch, time);
        auto const seq = must(of.current()).seq();
        return must(of.record_at(seq));
    }
};

TEST(merge, up_to_date_makes_no_commit)
{
    merged_graph graph;
    auto const same = graph.merge_into("review", "main");
    EXPECT_EQ(same.outcome, outcome::already_up_to_date);
    EXPECT_EQ(same.at, graph.read().at());
    graph.commit("main", graph.pins(1, 50));
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::already_up_to_date);
    EXPECT_EQ(graph.read().seq(), sequence(8));
}

TEST(merge, fast_forward_takes_the_source_s_state)
{
    merged_graph graph;
    graph.commit("review", graph.pins(1, 50));
    graph.commit("review", graph.pins(2, 51));
    auto const source = graph.read("review");
    auto const done = graph.merge_into("review", "main");
    EXPECT_EQ(done.outcome, outcome::fast_forward);
    EXPECT_EQ(done.source, source.at());
    EXPECT_EQ(done.at, graph.read().at());
    EXPECT_EQ(done.at.seq, sequence(8));
    EXPECT_EQ(graph.version("main", 1), 50u);
    EXPECT_EQ(graph.version("main", 2), 51u);
    auto const made = graph.newest("main");
    EXPECT_EQ(made.pins.size(), 2u);
    ASSERT_TRUE(made.origin);
    EXPECT_EQ(made.origin->kind, lineage::kind_type::fast_forward);
    EXPECT_EQ(made.origin->source_stream, source.stream().text());
    EXPECT_EQ(made.origin->source_seq, source.seq().value());
    EXPECT_EQ(made.origin->merged_parent_commit_id, *source.id());
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::already_up_to_date);
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(merge, both_sides_changes_come_together_again_and_again)
{
    merged_graph graph;
    for (std::uint64_t round = 1; round != 8; ++round) {
        graph.commit("review", graph.pins(1, 100 + round));
        graph.commit("main", graph.pins(2, 200 + round));
        auto const done = graph.merge_into("review", "main");
        EXPECT_EQ(done.outcome, outcome::merged);
        EXPECT_EQ(graph.newest("main").pins.size(), 1u);
        EXPECT_EQ(graph.newest("main").origin->kind, lineage::kind_type::merge);
        EXPECT_EQ(graph.version("main", 1), 100 + round);
        EXPECT_EQ(graph.version("main", 2), 200 + round);
        if (round % 3 != 0) continue;
        EXPECT_EQ(graph.merge_into("main", "review").outcome, outcome::fast_forward);
        EXPECT_EQ(graph.version("review", 2), 200 + round);
        EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::fast_forward);
    }
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(merge, branches_of_branches)
{
    merged_graph graph;
    graph.create("review/deep", "review");  // At review's own fork.
    graph.commit("review/deep", graph.pins(1, 60));
    graph.commit("main", graph.pins(2, 61));
    EXPECT_EQ(graph.merge_into("review/deep", "main").outcome, outcome::merged);
    EXPECT_EQ(graph.merge_into("review/deep", "review").outcome, outcome::fast_forward);
    EXPECT_EQ(graph.merge_into("main", "review").outcome, outcome::merged);
    EXPECT_EQ(graph.version("review", 1), 60u);
    EXPECT_EQ(graph.version("review", 2), 61u);
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(merge, conflicts_are_listed_and_nothing_is_written)
{
    merged_graph graph;
    for (std::uint64_t id : {1, 2, 3}) graph.commit("review", graph.pins(id, 70));
    for (std::uint64_t id : {2, 3, 4}) graph.commit("main", graph.pins(id, 80));
    auto const before = graph.read().at();
    auto const refused = graph.merge_fails("review", "main");
    EXPECT_TRUE(refused == errc::merge_conflict);
    std::vector<std::pair<std::string, std::string>> const listed = {{"conflict", "2 node:T2"},
                                                                     {"conflict", "3 node:T3"}};
    EXPECT_EQ(refused.why()->facts, listed);
    EXPECT_EQ(graph.read().at(), before);

    merge_resolver const source = [](merge_question const& asked) {
        EXPECT_EQ(asked.source->version->target_version, 70u);
        EXPECT_EQ(asked.target->version->target_version, 80u);
        return asked.stable_table_id == 2 ? merge_answer::kind_type::take_source : merge_answer::kind_type::keep_target;
    };
    EXPECT_EQ(graph.merge_into("review", "main", source).outcome, outcome::merged);
    EXPECT_EQ(graph.version("main", 1), 70u);
    EXPECT_EQ(graph.version("main", 2), 70u);
    EXPECT_EQ(graph.version("main", 3), 80u);
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::already_up_to_date);
}

TEST(merge, of_or_into_an_empty_branch)
{
    branched_graph empty;
    empty.create("review");
    merge_options const how;
    auto const merge_empty = [&](char const* source, char const* target) {
        return empty
            .must(merge(*empty.store, empty.named(source), empty.named(target), empty.time, *empty.chance, how, {}))
            .outcome;
    };
    EXPECT_EQ(merge_empty("review", "main"), outcome::already_up_to_date);
    empty.commit("review");
    EXPECT_EQ(merge_empty("review", "main"), outcome::fast_forward);
    EXPECT_EQ(empty.read().heads().size(), 1u);
    EXPECT_EQ(merge_empty("main", "review"), outcome::fast_forward);
    EXPECT_EQ(merge_empty("main", "review"), outcome::already_up_to_date);
}

TEST(merge, wrong_branches_are_typed)
{
    merged_graph graph;
    EXPECT_TRUE(graph.merge_fails("main", "main") == errc::invalid_argument);
    EXPECT_TRUE(graph.merge_fails("never", "main") == errc::branch_not_found);
    EXPECT_TRUE(graph.merge_fails("main", "never") == errc::branch_not_found);
    graph.remove_branch("review");
    EXPECT_TRUE(graph.merge_fails("review", "main") == errc::branch_not_found);
}

TEST(merge, a_rival_s_commit_is_merged_into)
{
    merged_graph graph;
    graph.commit("review", graph.pins(1, 50));
    unsigned rivals = 0;
    auto const overtake = [&](store_call const& call) {
        bool const publishes =
            call.operation == "put_if_absent" && call.key.starts_with(layout::record_prefix(stream_id()));
        if (publishes && rivals < 3) {
            ++rivals;
            graph.commit("main", graph.pins(2, 90 + rivals));
            graph.commit("review", graph.pins(3, 60 + rivals));  // Captured is captured.
        }
        return fault::none;
    };
    auto const busy = make_faulty_store(*graph.store, graph.time, overtake, std::chrono::seconds(1));
    auto const done = graph.try_merge(*busy, "review", "main");
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->attempts, 4u);
    EXPECT_EQ(done->outcome, outcome::merged);
    EXPECT_EQ(done->source.seq, sequence(8));
    EXPECT_EQ(graph.version("main", 1), 50u);
    EXPECT_EQ(graph.version("main", 2), 93u);
    EXPECT_EQ(graph.version("main", 3), 7u);
}

TEST(merge, history_that_is_gone_matters_only_where_the_base_is)
{
    merged_graph graph;
    graph.commit("review", graph.pins(1, 50));
    for (std::uint64_t seq = 8; seq <= 13; ++seq) graph.commit("main", graph.pins(4, seq));
    graph.raise_floor(5);
    for (std::uint64_t seq = 1; seq <= 5; ++seq) graph.remove(graph.record_at(seq));
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::merged);

    graph.commit("review", graph.pins(2, 51));
    graph.raise_floor(10);
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::merged) << "the base is review's own commit";

    // What is between the floor and the fork of a branch that forked below it cannot be known any more.
    graph.create("late", graph.read_at("main", 12));
    graph.commit("late", graph.pins(3, 52));
    for (std::uint64_t seq = 16; seq <= 21; ++seq) graph.commit("main", graph.pins(4, seq));
    graph.raise_floor(20);
    for (std::uint64_t seq = 6; seq <= 20; ++seq) graph.remove(graph.record_at(seq));
    auto const gone = graph.merge_fails("late", "main");
    EXPECT_TRUE(gone == errc::history_gap) << gone.message();
    EXPECT_EQ(gone.why()->facts.at(0).first, "missing_commit") << "nothing is corrupt";
}

// The pages that the search reads grow, so that one of them has records that nobody needs.
TEST(merge, only_the_commits_that_are_needed_must_be_readable)
{
    auto const make = [] {
        auto graph = std::make_unique<merged_graph>();
        graph->commit("review", graph->pins(1, 50));
        for (std::uint64_t seq = 8; seq <= 20; ++seq) graph->commit("main", graph->pins(4, seq));
        return graph;
    };
    for (std::uint64_t const seq : {4, 6}) {
        auto const torn = make();
        torn->put(torn->record_at(seq), "{");
        EXPECT_EQ(torn->merge_into("review", "main").outcome, outcome::merged) << seq;
        auto const missing = make();
        missing->remove(missing->record_at(seq));
        EXPECT_EQ(missing->merge_into("review", "main").outcome, outcome::merged) << seq;
    }
    auto const torn = make();
    torn->put(torn->record_at(10), "{");
    EXPECT_TRUE(torn->merge_fails("review", "main") == errc::corrupt);
    auto const missing = make();
    missing->remove(missing->record_at(10));
    auto const hole = missing->merge_fails("review", "main");
    EXPECT_TRUE(hole == errc::history_gap);
    EXPECT_EQ(hole.why()->key, missing->record_at(10).text());
    EXPECT_TRUE(hole.why()->facts.empty()) << "that is corruption, not a cleanup's doing";
}

// The commit that is looked for everywhere is gone, and what another stream has at its seq cannot be read.
TEST(merge, record_that_may_be_anything_matters_only_where_the_base_is)
{
    merged_graph graph;
    auto const gone = *stream_id::parse(graph.create("gone").stream);
    auto const other = *stream_id::parse(graph.create("other").stream);
    for (auto const* branch : {"gone", "other", "main", "review"}) graph.commit(branch, graph.pins(1, 50));
    EXPECT_EQ(graph.merge_into("gone", "main").outcome, outcome::merged);
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::merged);
    graph.change_record(9, [&](record& one) { one.origin->source_stream.reset(), one.origin->source_seq.reset(); });
    graph.remove(layout::record(gone, sequence(8)));
    graph.put(layout::record(other, sequence(8)), "{");
    graph.commit("review", graph.pins(2, 51));
    graph.commit("main", graph.pins(3, 52));
    reader review(*graph.store, "review", graph.time);
    auto const base = graph.must(review.record_at(sequence(8))).id;
    auto const done = graph.try_merge(*graph.store, "review", "main");
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->base, base);
}

TEST(merge, record_that_may_be_the_base_is_told)
{
    merged_graph graph;
    auto const gone = *stream_id::parse(graph.create("gone").stream);
    auto const other = *stream_id::parse(graph.create("other").stream);
    for (auto const* branch : {"gone", "other", "main", "review"}) graph.commit(branch, graph.pins(1, 50));
    EXPECT_EQ(graph.merge_into("gone", "main").outcome, outcome::merged);
    graph.change_record(9, [&](record& one) { one.origin->source_stream.reset(), one.origin->source_seq.reset(); });
    graph.remove(layout::record(gone, sequence(8)));
    graph.put(layout::record(other, sequence(8)), "{");
    auto const why = graph.merge_fails("review", "main");
    EXPECT_TRUE(why == errc::corrupt);
    EXPECT_THAT(why.message(), ::testing::HasSubstr("it may be commit "
                                                    + graph.newest("main").origin->merged_parent_commit_id.text()));
}

TEST(merge, other_parents_are_found_wherever_they_are)
{
    using edit = std::function<void(lineage&)>;
    std::vector<std::pair<char const*, edit>> const edits = {
        {"no place", [](lineage& of) { of.source_stream.reset(), of.source_seq.reset(); }},
        {"no seq", [](lineage& of) { of.source_seq.reset(); }},
        {"another commit's place", [](lineage& of) { of.source_stream = "main", of.source_seq = 3; }},
        {"a place beyond the end", [](lineage& of) { of.source_seq = 1'000; }},
        {"no seq at all", [](lineage& of) { of.source_seq = std::numeric_limits<std::uint64_t>::max(); }},
        {"a stream that is not", [](lineage& of) { of.source_stream = "no.01ARZ3NDEKTSV4RRFFQ69G5FAV"; }},
        {"no stream's name", [](lineage& of) { of.source_stream = "no//stream"; }}};
    for (auto const& [name, change] : edits) {
        merged_graph graph;
        graph.create("other");
        graph.commit("review", graph.pins(1, 50));
        auto const base = graph.read("review").id();
        graph.commit("main", graph.pins(2, 60));
        EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::merged);
        graph.change_record(9, [&](record& one) { change(*one.origin); });
        graph.commit("review", graph.pins(1, 51));
        auto const done = graph.merge_into("review", "main");
        EXPECT_EQ(done.base, base) << name;
        EXPECT_EQ(graph.version("main", 1), 51u) << name;
    }
}

TEST(merge, other_parent_that_no_stream_has_is_named)
{
    merged_graph graph;
    graph.commit("review", graph.pins(1, 50));
    graph.commit("main", graph.pins(2, 60));
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::merged);
    for (std::string const id : {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "not one of ours"}) {
        graph.change_record(9, [&](record& one) {
            one.origin->source_stream.reset();
            one.origin->source_seq.reset();
            one.origin->merged_parent_commit_id = commit_id(id);
        });
        auto const gone = graph.merge_fails("review", "main");
        EXPECT_TRUE(gone == errc::history_gap);
        EXPECT_THAT(gone.message(), ::testing::HasSubstr("commit " + id + " names no place"));
    }
}

// A lineage on the way says that main's seq 7 stands elsewhere; the record after it knows better.
TEST(merge, wrong_place_of_an_other_parent_gives_way_to_a_first_parent_s)
{
    merged_graph graph;
    auto const seventh = *graph.read().id();
    graph.commit("review", graph.pins(1, 50));
    graph.commit("main", graph.pins(2, 60));
    EXPECT_EQ(graph.merge_into("review", "main").outcome, outcome::merged);
    graph.change_record(9, [&](record& one) {
        one.origin->source_seq = 2;
        one.origin->merged_parent_commit_id = seventh;
    });
    auto const done = graph.merge_into("review", "main");
    EXPECT_EQ(done.base, seventh);
}

TEST(merge, source_is_looked_at_again_when_the_merge_took_long)
{
    merged_graph graph;
    graph.commit("review", graph.pins(1, 50));
    graph.commit("main", graph.pins(1, 60));
    merge_resolver const slow = [&](merge_question const&) {
        graph.time.pass(std::chrono::minutes(31));
        graph.remove_branch("review");
        return merge_answer::kind_type::take_source;
    };
    auto const ended = graph.try_merge(*graph.store, "review", "main", slow);
    ASSERT_FALSE(ended);
    EXPECT_TRUE(ended.error() == errc::branch_retired) << ended.error().message();
    EXPECT_EQ(graph.read().seq(), sequence(8));
}

TEST(merge, source_that_was_pruned_meanwhile_is_told)
{
    merged_graph graph;
    for (std::uint64_t seq = 8; seq <= 10; ++seq) graph.commit("review", graph.pins(1, seq));
    graph.commit("main", graph.pins(1, 60));
    merge_resolver const slow = [&](merge_question const& asked) {
        graph.time.pass(std::chrono::minutes(31));
        auto metadata = graph.metadata_of(graph.read("review").stream());
        metadata.floor = sequence(11);
        graph.put_metadata(metadata);
        (void)asked;
        return merge_answer::kind_type::take_source;
    };
    auto const void_by_now = graph.try_merge(*graph.store, "review", "main", slow);
    ASSERT_FALSE(void_by_now);
    EXPECT_TRUE(void_by_now.error() == errc::pruned) << void_by_now.error().message();
    EXPECT_EQ(graph.read().seq(), sequence(8));
}

TEST(merge, parents_that_lead_back_are_corrupt)
{
    merged_graph graph;
    auto first = graph.create("a", "review");
    auto const second = graph.create("b", "a");
    graph.create("c", "a");
    for (auto const* name : {"b", "c"}) graph.commit(name, graph.pins(1, 50));
    first.parent->stream = second.stream;
    graph.put_metadata(first);
    EXPECT_EQ(graph.merge_into("b", "c").base, graph.read().id()) << "the checkpoint at their forks is enough";
    reader of(*graph.store, "b", graph.time);
    EXPECT_TRUE(graph.must_fail(of.at(sequence(3))) == errc::corrupt);
    EXPECT_TRUE(graph.must_fail(of.record_at(sequence(3))) == errc::corrupt);
    EXPECT_TRUE(graph.must_fail(of.at(time_ms())) == errc::corrupt);
}

// Each way in which the second try may find a source that the first has merged and begun to delete, or deleted.
TEST(merge, source_that_has_ended_counts_as_merged_if_the_target_has_its_last_state)
{
    merge_options again;
    again.ended_is_merged = true;
    auto const merge_again = [&](merged_graph& graph) {
        return run(graph.time, merge(*graph.store, graph.named("review"), graph.named("main"), graph.time,
                                     *graph.chance, again, {}));
    };
    for (bool const half : {false, true}) {
        merged_graph graph;
        graph.commit("review", graph.pins(1, 50));
        auto const done = graph.merge_into("review", "main");
        branches all(*graph.store, graph.time, *graph.chance);
        auto const live = graph.must(all.find(graph.named("review")));
        (void)graph.must(all.remove_at(graph.named("review"), done.source));
        if (half) graph.put_metadata(live);
        auto const told = merge_again(graph);
        ASSERT_TRUE(told) << told.error().message();
        EXPECT_EQ(told->outcome, outcome::already_up_to_date);
        EXPECT_TRUE(told->source_ended);
        EXPECT_EQ(told->source, done.source);
        EXPECT_EQ(told->at, done.at);
        EXPECT_TRUE(graph.metadata_of(done.source.stream).retired) << "the delete is finished";
        EXPECT_TRUE(graph.merge_fails("review", "main") == errc::branch_not_found) << "without the option";
    }
    for (bool const half : {false, true}) {
        merged_graph graph;
        graph.commit("review", graph.pins(1, 50));
        branches all(*graph.store, graph.time, *graph.chance);
        auto const live = graph.must(all.find(graph.named("review")));
        (void)graph.must(all.remove(graph.named("review")));
        if (half) graph.put_metadata(live);
        auto const lost = merge_again(graph);
        ASSERT_FALSE(lost) << "nobody has merged it";
        EXPECT_TRUE(lost.error() == (half ? errc::branch_retired : errc::branch_not_found));
    }
    merged_graph graph;
    graph.remove_branch("review");
    EXPECT_TRUE(merge_again(graph)) << "nothing to merge";
}

// --- lineages that callers give
// ---------------------------------------------------------------------------------------

class lineage_graph : public merged_graph {
public:
    lineage_graph()
    {
        commit("review", pins(1, 50));
        source = read("review").at();
        good.source_stream = source.stream.text();
        good.source_seq = source.seq.value();
        good.merged_parent_commit_id = *source.id;
    }

    result<commit_receipt> publish(lineage origin)
    {
        publisher main(*store, "main", time, *chance);
        return run(time, main.publish([&](snapshot const&) -> result<intent> {
            intent out;
            out.origin = origin;
            return out;
        }));
    }

    position source;
    lineage good;
};

TEST(lineage, that_no_commit_can_have_is_refused_before_anything_is_written)
{
    using edit = std::function<void(lineage&, lineage_graph&)>;
    struct row {
        char const* name;
        errc code;
        edit change;
    };
    row const rows[] = {
        {"no commit", errc::invalid_argument, [](lineage& of, auto&) { of.merged_parent_commit_id = commit_id(); }},
        {"the first parent", errc::invalid_argument,
         [](lineage& of, lineage_graph& in) { of.merged_parent_commit_id = *in.read().id(); }},
        {"half a place", errc::invalid_argument, [](lineage& of, auto&) { of.source_seq.reset(); }},
        {"the other half", errc::invalid_argument, [](lineage& of, auto&) { of.source_stream.reset(); }},
        {"no stream's name", errc::invalid_argument, [](lineage& of, auto&) { of.source_stream = "a//b"; }},
        {"seq 0", errc::invalid_argument, [](lineage& of, auto&) { of.source_seq = 0; }},
        {"beyond every seq", errc::invalid_argument,
         [](lineage& of, auto&) { of.source_seq = std::numeric_limits<std::uint64_t>::max(); }},
        {"a later commit of the branch", errc::invalid_argument,
         [](lineage& of, auto&) { of.source_stream = "main", of.source_seq = 8; }},
        {"no stream", errc::precondition_failed,
         [](lineage& of, auto&) { of.source_stream = "no.01ARZ3NDEKTSV4RRFFQ69G5FAV"; }},
        {"no record", errc::precondition_failed, [](lineage& of, auto&) { of.source_seq = 9; }},
        {"another commit", errc::precondition_failed, [](lineage& of, auto&) { of.source_seq = 7; }},
        {"a commit that is nowhere", errc::precondition_failed,
         [](lineage& of, auto&) {
             of = lineage();
             of.merged_parent_commit_id = commit_id(std::string("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
         }},
        {"no id of ours", errc::precondition_failed,
         [](lineage& of, auto&) {
             of = lineage();
             of.merged_parent_commit_id = commit_id(std::string("x"));
         }},
        {"a pruned commit", errc::precondition_failed,
         [](lineage& of, lineage_graph& in) {
             of.source_stream = "main";
             of.source_seq = 3;
             of.merged_parent_commit_id = *in.read_at("main", 3).id();
             in.raise_floor(5);
         }},
    };
    for (auto const& [name, code, change] : rows) {
        lineage_graph graph;
        auto origin = graph.good;
        change(origin, graph);
        auto const refused = graph.publish(origin);
        ASSERT_FALSE(refused) << name;
        EXPECT_TRUE(refused.error() == code) << name << ": " << refused.error().message();
        EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("lineage")) << name;
        EXPECT_EQ(graph.read().seq(), sequence(7)) << name;
    }
}

TEST(lineage, of_a_commit_that_is_there_is_taken_and_gets_its_place)
{
    lineage_graph graph;
    EXPECT_TRUE(graph.publish(graph.good));
    lineage bare;
    bare.merged_parent_commit_id = *graph.source.id;
    EXPECT_TRUE(graph.publish(bare));
    EXPECT_EQ(graph.newest("main").origin, graph.good);
    graph.remove_branch("review");
    EXPECT_TRUE(graph.publish(graph.good)) << "a life that has ended can be read";
    lineage floor;
    floor.source_stream = "main";
    floor.source_seq = 5;
    floor.merged_parent_commit_id = *graph.read_at("main", 5).id();
    graph.raise_floor(5);
    EXPECT_TRUE(graph.publish(floor)) << "a floor's checkpoint knows its commit";
}

TEST(parent_walk, has_an_end)
{
    parent_walk way;
    for (std::size_t i = 0; i != parent_walk::max_parents; ++i) EXPECT_TRUE(way.leave("s" + std::to_string(i)));
    EXPECT_TRUE(way.leave("one more").error() == errc::limit_exceeded);
    EXPECT_TRUE(way.leave("s7").error() == errc::corrupt);
}

TEST(commit_search, streams_that_began_before_the_commit_come_first)
{
    auto const stream = [](std::uint64_t began) {
        ulid life;
        life.time_ms = began;
        return stream_id::of(*branch_name::parse("b"), life);
    };
    auto const sorted = by_likelihood({stream(30), stream(10), stream(20), stream_id(), stream(40)}, 20);
    EXPECT_THAT(sorted, ElementsAre(stream(20), stream(10), stream_id(), stream(30), stream(40)));
}

TEST(merge, fork_at_the_parent_s_floor_gives_the_base)
{
    branched_graph graph;
    graph.grow(10);
    graph.create("review");
    graph.commit("review");
    graph.grow(12);
    graph.time.pass(std::chrono::minutes(61));
    (void)graph.clean(graph.keep(1, true));
    EXPECT_EQ(graph.floor(), 10u);
    merge_options const how;
    auto const done =
        graph.must(merge(*graph.store, graph.named("review"), graph.named("main"), graph.time, *graph.chance, how,
                         [](merge_question const&) { return merge_answer::kind_type::take_source; }));
    EXPECT_EQ(done.outcome, outcome::merged);
}

TEST(merge, source_is_deleted_only_at_what_was_merged)
{
    merged_graph graph;
    graph.commit("review", graph.pins(1, 50));
    auto const done = graph.merge_into("review", "main");
    graph.commit("review", graph.pins(1, 51));
    branches all(*graph.store, graph.time, *graph.chance);
    EXPECT_TRUE(graph.must_fail(all.remove_at(graph.named("review"), done.source)) == errc::conflict);
    auto const again = graph.merge_into("review", "main");
    EXPECT_TRUE(graph.must(all.remove_at(graph.named("review"), again.source)).retired);
    EXPECT_EQ(graph.version("main", 1), 51u);
    graph.time.pass(std::chrono::minutes(61));
    (void)graph.clean(graph.keep(100));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(merge, source_that_went_on_before_it_was_half_deleted_is_ended_and_told)
{
    merged_graph graph;
    graph.commit("review", graph.pins(1, 50));
    auto const done = graph.merge_into("review", "main");
    graph.commit("review", graph.pins(1, 51));
    branches all(*graph.store, graph.time, *graph.chance);
    auto const live = graph.must(all.find(graph.named("review")));
    (void)graph.must(all.remove(graph.named("review")));
    graph.put_metadata(live);
    EXPECT_TRUE(graph.must_fail(all.remove_at(graph.named("review"), done.source)) == errc::conflict);
    EXPECT_TRUE(graph.metadata_of(done.source.stream).retired);
}

TEST(merge, any_call_may_fail_and_the_next_merge_finishes)
{
    auto const make = [] {
        auto graph = std::make_unique<merged_graph>();
        graph->commit("review", graph->pins(1, 50));
        graph->commit("main", graph->pins(2, 60));
        graph->commit("main", graph->pins(2, 61));  // The merge will be at a boundary.
        return graph;
    };
    auto const act = [](merged_graph& graph, object_store& faulty) {
        return end_of(graph.try_merge(faulty, "review", "main"));
    };
    auto const check = [](merged_graph& graph, act_end end) {
        auto const seq = graph.read().seq();
        if (end == act_end::acknowledged) {
            EXPECT_EQ(seq, sequence(10));
        }
        if (end == act_end::refused) {
            EXPECT_EQ(seq, sequence(9));
        }
        auto const again = graph.merge_into("review", "main");
        EXPECT_EQ(again.outcome, seq == sequence(10) ? outcome::already_up_to_date : outcome::merged);
        EXPECT_EQ(graph.read().seq(), sequence(10)) << "once";
        EXPECT_EQ(graph.version("main", 1), 50u);
        EXPECT_EQ(graph.version("main", 2), 61u);
        (void)graph.mend();
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
    };
    enumerate_faults(make, act, check, 10);
}

}  // namespace
}  // namespace headwater::test
