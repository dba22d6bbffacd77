// Branches: what a child sees, what ends with a life and what does not, and who wins a name.
#include "src/log/branch_step.hpp"
#include "tests/support/all.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/feed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace headwater::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

std::vector<head> heads_of(snapshot const& from) { return {from.heads().begin(), from.heads().end()}; }

struct name_row {
    named_life life;
    std::optional<seconds> age;
    name_action action;
};

TEST(judge_name, every_life_and_age)
{
    name_row const rows[] = {
        {named_life::live, seconds(0), name_action::refuse},
        {named_life::live, seconds(99'999), name_action::refuse},
        {named_life::live, {}, name_action::refuse},
        {named_life::retired, seconds(0), name_action::replace},
        {named_life::retired, {}, name_action::replace},
        {named_life::unfinished, seconds(59), name_action::refuse},
        {named_life::unfinished, seconds(60), name_action::end_then_replace},
        {named_life::unfinished, {}, name_action::refuse},
    };
    for (auto const& row : rows) EXPECT_EQ(judge_name(row.life, row.age), row.action);
}

TEST(branches, child_begins_with_its_parent_s_state_and_goes_its_own_way)
{
    branched_graph graph;
    graph.grow(7);
    auto const main = graph.read();
    auto const made = graph.create("review");
    EXPECT_EQ(made.floor, sequence(7));
    EXPECT_EQ(made.parent->stream, "main");
    EXPECT_EQ(made.parent->id, main.id());

    auto const child = graph.read("review");
    EXPECT_EQ(child.stream().text(), made.stream);
    EXPECT_EQ(child.id(), main.id());
    EXPECT_EQ(heads_of(child), heads_of(main));
    EXPECT_EQ(child.state_digest(), main.state_digest());

    for (int i = 0; i != 6; ++i) EXPECT_EQ(graph.commit("review").at.seq, sequence(8u + i));
    EXPECT_EQ(graph.commit("main").at.seq, sequence(8));
    EXPECT_EQ(graph.read("review").seq(), sequence(13));
    EXPECT_NE(graph.read_at("review", 8).id(), graph.read_at("main", 8).id());
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(branches, create_is_three_objects_and_delete_a_record_and_an_update)
{
    branched_graph graph;
    graph.grow(7);
    std::vector<std::string> writes;
    auto const note = [&writes](store_call const& call) {
        if (call.writes) writes.emplace_back(call.operation);
        return fault::none;
    };
    auto const watched = make_faulty_store(*graph.store, graph.time, note, seconds(1));
    branches all(*watched, graph.time, *graph.chance);
    (void)graph.must(all.create(graph.named("review"), graph.read()));
    EXPECT_THAT(writes, ElementsAre("put_if_absent", "put_if_absent", "put_if_absent"));
    writes.clear();
    auto const ended = graph.must(all.remove(graph.named("review")));
    EXPECT_THAT(writes, ElementsAre("put_if_absent", "put_if_match"));
    EXPECT_EQ(ended.retired->final_seq, sequence(8));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(branches, child_never_touches_its_parent)
{
    branched_graph graph;
    graph.grow(7);
    graph.create("review");
    auto const refuse_parent = [](store_call const& call) {
        bool const parental = call.key.starts_with(layout::record_prefix(stream_id()))
                              || call.key == layout::metadata(stream_id()).text();
        return parental ? fault::refused : fault::none;
    };
    auto const orphaned = make_faulty_store(*graph.store, graph.time, refuse_parent, seconds(1));
    publisher writer(*orphaned, "review", graph.time, *graph.chance);
    for (int i = 0; i != 12; ++i) {
        (void)graph.must(writer.publish(graph.wish));
        (void)graph.must(writer.upkeep());
    }
    reader child(*orphaned, "review", graph.time);
    EXPECT_EQ(graph.must(child.current()).seq(), sequence(19));
    EXPECT_EQ(graph.must(child.at(sequence(7))).seq(), sequence(7));
    EXPECT_TRUE(graph.must_fail(child.at(sequence(6))) == errc::access_denied);
}

// Main, a child at 7, and a child of that at 9.
struct family : branched_graph {
    family()
    {
        grow(7);
        time.pass(minutes(1));
        create("child");
        commit("child");
        commit("child");
        time.pass(minutes(1));
        create("grand/child", "child");
        commit("grand/child");
    }
};

TEST(branches, states_below_a_fork_are_the_parent_s)
{
    family graph;
    for (std::uint64_t seq = 0; seq <= 10; ++seq) {
        auto const then = graph.read_at("grand/child", seq);
        EXPECT_EQ(then.seq(), sequence(seq));
        auto const of = then.stream().logical().text();
        EXPECT_EQ(of, seq < 7 ? "main" : seq < 9 ? "child" : "grand/child") << seq;
        if (!then.id()) continue;
        reader again(*graph.store, "grand/child", graph.time);
        EXPECT_EQ(graph.must(again.at(*then.id())).seq(), sequence(seq));
        auto const when = time_ms(std::chrono::milliseconds(then.created_at()));
        EXPECT_EQ(graph.must(again.at(when)).id(), then.id()) << seq;
        EXPECT_EQ(graph.must(again.record_at(*then.id())).id, *then.id());
    }
    reader young(*graph.store, "grand/child", graph.time);
    EXPECT_EQ(graph.must(young.at(time_ms())).seq(), sequence(0));
    EXPECT_TRUE(graph.must_fail(young.at(sequence(11))) == errc::not_found);
}

TEST(branches, states_below_a_fork_end_at_the_parent_s_floor)
{
    family graph;
    graph.raise_floor(5);
    reader child(*graph.store, "grand/child", graph.time);
    EXPECT_EQ(graph.must(child.at(sequence(5))).seq(), sequence(5));
    auto const gone = graph.must_fail(child.at(sequence(4)));
    EXPECT_TRUE(gone == errc::pruned);
    EXPECT_EQ(gone.why()->facts.front().second, "5");
}

TEST(branches, states_below_a_fork_outlive_the_parent_branch)
{
    family graph;
    graph.remove_branch("child");
    EXPECT_EQ(graph.read_at("grand/child", 8).stream().logical().text(), "child");
    EXPECT_EQ(graph.read_at("grand/child", 3).stream().text(), "main");
    graph.time.pass(minutes(70));
    (void)graph.clean(graph.keep(1));
    EXPECT_EQ(graph.read_at("grand/child", 8).stream().logical().text(), "child");
}

TEST(branches, fork_may_be_any_state)
{
    branched_graph graph;
    auto const empty = graph.create("empty");
    EXPECT_EQ(empty.floor, sequence());
    EXPECT_FALSE(empty.parent->id);
    EXPECT_EQ(graph.commit("empty").at.seq, sequence(1));
    graph.grow(4);
    publisher::plan const dropping = [](snapshot const& now) -> result<intent> {
        intent out;
        auto const& last = now.heads().back();
        out.tombstones.push_back(a_drop(last.table, last.table_key));
        return out;
    };
    graph.commit("main", dropping);  // At a boundary,
    graph.commit("main", dropping);  // and after it.
    for (std::uint64_t seq = 1; seq <= 6; ++seq) {
        auto const name = "at" + std::to_string(seq);
        graph.create(name, graph.read_at("main", seq));
        EXPECT_EQ(graph.read(name).state_digest(), graph.read_at("main", seq).state_digest());
        publisher::plan const registering = [](snapshot const&) -> result<intent> {
            return a_first_version(table(9), "node:New");
        };
        for (int i = 0; i != 6; ++i) {
            graph.commit(
                name, i == 0 ? registering : [](snapshot const&) -> result<intent> { return intent(); });
        }
        reader of(*graph.store, name, graph.time);
        auto const now = graph.must(of.current());
        EXPECT_EQ(graph.must(of.tombstones(now)).size(), seq < 5 ? 0 : seq - 4);
    }
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(branches, names_are_bytes_and_slashes_make_no_folders)
{
    branched_graph graph;
    graph.grow(2);
    std::vector<std::string> const wanted = {"Review", "a", "a/b", "release.1.2", "review", "überprüfung/東京 #1%2F"};
    for (auto const& name : wanted) graph.create(name);
    auto listed = graph.names();
    EXPECT_EQ(listed.size(), wanted.size() + 1);
    std::erase(listed, "main");
    EXPECT_EQ(listed, wanted);
    for (auto const& name : wanted) EXPECT_EQ(graph.commit(name).at.seq, sequence(3)) << name;
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(branches, refusals_are_typed)
{
    branched_graph graph;
    graph.grow(7);
    auto const at_3 = graph.read_at("main", 3);
    graph.create("old");
    graph.commit("old");
    auto const of_old = graph.read("old");
    graph.remove_branch("old");
    graph.create("review");
    branches all(*graph.store, graph.time, *graph.chance);
    auto const create = [&](char const* name, snapshot from) {
        return graph.must_fail(all.create(graph.named(name), std::move(from)));
    };
    EXPECT_TRUE(create("main", at_3) == errc::invalid_argument);
    EXPECT_TRUE(create("review", at_3) == errc::branch_exists);
    EXPECT_TRUE(create("new", of_old) == errc::branch_retired);
    graph.raise_floor(5);
    EXPECT_TRUE(create("new", at_3) == errc::pruned);
    EXPECT_TRUE(graph.must_fail(all.remove(graph.named("main"))) == errc::invalid_argument);
    for (auto const* name : {"old", "never"}) {
        EXPECT_TRUE(graph.must_fail(all.remove(graph.named(name))) == errc::branch_not_found) << name;
        EXPECT_TRUE(graph.must_fail(all.find(graph.named(name))) == errc::branch_not_found) << name;
    }
    auto const nothing = make_memory_store(graph.time, {});
    branches none(*nothing, graph.time, *graph.chance);
    EXPECT_TRUE(graph.must_fail(none.list()) == errc::not_found);
    EXPECT_TRUE(graph.must_fail(none.remove(graph.named("a"))) == errc::branch_not_found);
    EXPECT_TRUE(graph.must_fail(none.create(graph.named("a"), at_3)) == errc::not_found);
}

TEST(branches, store_without_conditional_update_creates_only)
{
    memory_options how;
    how.conditional_update = false;
    branched_graph graph(how);
    graph.grow(3);
    graph.create("review");
    EXPECT_EQ(graph.commit("review").at.seq, sequence(4));
    branches all(*graph.store, graph.time, *graph.chance);
    EXPECT_TRUE(graph.must_fail(all.remove(graph.named("review"))) == errc::unsupported);
    auto const stream = *stream_id::parse(graph.must(all.find(graph.named("review"))).stream);
    auto metadata = graph.metadata_of(stream);
    metadata.retired = stream_metadata::retired_type();
    metadata.retired->by = "test";
    graph.put_metadata(metadata);
    EXPECT_TRUE(graph.must_fail(all.create(graph.named("review"), graph.read())) == errc::unsupported);
}

// A reader, a publisher and a feed of one branch, opened before it ends.
struct handles {
    explicit handles(branched_graph& of)
        : graph(of),
          read(*of.store, "review", of.time),
          write(*of.store, "review", of.time, *of.chance),
          follow(*of.store, "review", of.time, feed_start::now())
    {
        (void)graph.must(read.current());
        (void)graph.must(write.publish(graph.wish));
        (void)graph.must(follow.poll());
    }
    void expect_retired()
    {
        EXPECT_TRUE(graph.must_fail(read.current()) == errc::branch_retired);
        EXPECT_TRUE(graph.must_fail(write.publish(graph.wish)) == errc::branch_retired);
        EXPECT_TRUE(graph.must_fail(follow.poll()) == errc::branch_retired);
    }

    branched_graph& graph;
    reader read;
    publisher write;
    feed follow;
};

TEST(branches, a_deleted_life_has_ended_for_every_handle_and_a_new_one_is_another)
{
    branched_graph graph;
    graph.grow(7);
    auto const first = graph.create("review");
    handles old(graph);
    graph.remove_branch("review");
    EXPECT_THAT(graph.names(), ElementsAre("main"));
    old.expect_retired();
    auto const second = graph.create("review");
    EXPECT_NE(first.stream, second.stream);
    old.expect_retired();
    graph.time.pass(minutes(45));
    old.expect_retired();
    EXPECT_EQ(graph.commit("review").at.seq, sequence(8));
    EXPECT_EQ(graph.read("review").stream().text(), second.stream);
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(branches, publisher_whose_state_is_from_before_the_end_loses_the_slot)
{
    branched_graph graph;
    graph.grow(7);
    graph.create("review");
    handles open(graph);
    graph.remove_branch("review");
    // Not one request but the create, which meets the retire record.
    EXPECT_TRUE(graph.must_fail(open.write.publish(graph.wish)) == errc::branch_retired);
}

using use_of_handles = std::function<error(handles&)>;

TEST(branches, whoever_finds_a_retire_record_finishes_the_delete)
{
    std::vector<use_of_handles> const uses = {
        [](handles& all) { return all.graph.must_fail(all.read.current()); },
        [](handles& all) { return all.graph.must_fail(all.write.publish(all.graph.wish)); },
        [](handles& all) { return all.graph.must_fail(all.follow.poll()); },
        [](handles& all) {
            reader late(*all.graph.store, "review", all.graph.time);
            return all.graph.must_fail(late.current());
        },
        [](handles& all) {
            feed late(*all.graph.store, "review", all.graph.time, feed_start::beginning());
            EXPECT_EQ(all.graph.must(late.poll()).blocks.size(), 1u);
            return all.graph.must_fail(late.poll());
        },
        [](handles& all) {
            (void)all.graph.remove_branch("review");
            return error(errc::branch_retired);
        },
    };
    for (auto const& use : uses) {
        branched_graph graph;
        graph.grow(7);
        auto const stream = *stream_id::parse(graph.create("review").stream);
        handles open(graph);
        auto const stop = [](store_call const& call) {
            return call.operation == "put_if_match" ? fault::unavailable : fault::none;
        };
        auto const stopped = make_faulty_store(*graph.store, graph.time, stop, seconds(1));
        branches all(*stopped, graph.time, *graph.chance);
        EXPECT_TRUE(graph.must_fail(all.remove(graph.named("review"))) == errc::unavailable);
        EXPECT_FALSE(graph.metadata_of(stream).retired);
        EXPECT_THAT(graph.findings(), ElementsAre("half_done_delete", "hint_missing"));

        EXPECT_TRUE(use(open) == errc::branch_retired);
        ASSERT_TRUE(graph.metadata_of(stream).retired);
        EXPECT_EQ(graph.metadata_of(stream).retired->final_seq, sequence(9));
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
        graph.create("review");
    }
}

TEST(branches, of_creators_of_one_name_one_wins)
{
    for (bool const again : {false, true}) {
        branched_graph graph;
        graph.grow(7);
        if (again) {
            graph.create("review");
            graph.remove_branch("review");
        }
        auto const now = graph.read();
        branches one(*graph.store, graph.time, *graph.chance);
        std::vector<task<stream_metadata>> race;
        for (int i = 0; i != 8; ++i) race.push_back(one.create(graph.named("review"), now));
        auto const answers = run(graph.time, all(std::move(race)));
        std::vector<std::string> winners;
        for (auto const& each : answers) {
            if (each) winners.push_back(each->stream);
            if (!each) {
                EXPECT_TRUE(each.error() == errc::branch_exists) << each.error().message();
            }
        }
        EXPECT_THAT(winners, ElementsAre(graph.read("review").stream().text()));
        graph.commit("review");
    }
}

// `meanwhile` happens just before the creator's call that `at` chooses.
error create_while(branched_graph& graph, std::function<bool(store_call const&)> at, std::function<void()> meanwhile)
{
    bool done = false;
    auto const overtake = [&](store_call const& call) {
        if (!done && at(call)) {
            done = true;
            meanwhile();
        }
        return fault::none;
    };
    auto const slow = make_faulty_store(*graph.store, graph.time, overtake, seconds(1));
    branches all(*slow, graph.time, *graph.chance);
    auto const answer = graph.must_fail(all.create(graph.named("review"), graph.read()));
    EXPECT_TRUE(done);
    return answer;
}

bool creates_metadata(store_call const& call)
{
    return call.operation == "put_if_absent" && call.key.starts_with(layout::metadata_prefix());
}

TEST(branches, a_creator_that_stood_still_loses_to_the_next)
{
    branched_graph graph;
    graph.grow(7);
    stream_metadata next;
    auto const lost = create_while(graph, creates_metadata, [&] {
        branches early(*graph.store, graph.time, *graph.chance);
        EXPECT_TRUE(graph.must_fail(early.create(graph.named("review"), graph.read())) == errc::branch_exists);
        graph.time.pass(seconds(61));
        next = graph.create("review");
    });
    EXPECT_TRUE(lost == errc::unavailable) << lost.message();
    EXPECT_EQ(graph.read("review").stream().text(), next.stream);
    EXPECT_THAT(graph.names(), ElementsAre("main", "review"));
}

TEST(branches, a_creator_that_took_too_long_ends_its_own_life)
{
    branched_graph graph;
    graph.grow(7);
    auto const late = create_while(graph, creates_metadata, [&] { graph.time.pass(minutes(31)); });
    EXPECT_TRUE(late == errc::unavailable) << late.message();
    EXPECT_THAT(graph.names(), ElementsAre("main"));
    graph.create("review");
    graph.commit("review");
}

TEST(branches, a_fork_that_a_floor_has_passed_is_pruned_before_it_is_visible)
{
    branched_graph graph;
    graph.grow(7);
    auto const at_name = [](store_call const& call) { return call.key == layout::metadata(stream_id()).text(); };
    bool first = true;
    auto const second = [&](store_call const& call) { return at_name(call) && !std::exchange(first, false); };
    auto const late = create_while(graph, second, [&] {
        graph.grow(12);
        graph.raise_floor(10);
    });
    EXPECT_TRUE(late == errc::pruned);
    EXPECT_THAT(graph.names(), ElementsAre("main"));
}

TEST(branches, deleters_of_one_name_all_see_it_end)
{
    branched_graph graph;
    graph.grow(7);
    graph.create("review");
    branches one(*graph.store, graph.time, *graph.chance);
    std::vector<task<stream_metadata>> race;
    for (int i = 0; i != 4; ++i) race.push_back(one.remove(graph.named("review")));
    auto const answers = run(graph.time, all(std::move(race)));
    for (auto const& each : answers) {
        if (!each) {
            EXPECT_TRUE(each.error() == errc::branch_not_found) << each.error().message();
        }
        if (each) {
            EXPECT_EQ(each->retired->final_seq, sequence(8));
        }
    }
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

// Who held the newest state before its record was torn can commit on top of it, until the slot is taken.
TEST(branches, life_whose_newest_record_is_torn_is_ended_by_force_alone)
{
    branched_graph graph;
    graph.grow(7);
    auto const stream = *stream_id::parse(graph.create("review").stream);
    publisher::plan const nothing = [](snapshot const&) -> result<intent> { return intent(); };
    for (int i = 0; i != 2; ++i) graph.commit("review", nothing);
    publisher held(*graph.store, "review", graph.time, *graph.chance);
    (void)graph.must(held.current());
    graph.put(layout::record(stream, sequence(9)), "");

    branches all(*graph.store, graph.time, *graph.chance);
    auto const why = graph.must_fail(all.remove(graph.named("review")));
    EXPECT_TRUE(why == errc::corrupt) << why.message();
    EXPECT_NE(why.message().find("--force"), std::string::npos) << why.message();
    auto const ended = graph.must(all.remove_unreadable(graph.named("review")));
    ASSERT_TRUE(ended.retired);
    EXPECT_EQ(ended.retired->final_seq, sequence(10));
    EXPECT_TRUE(graph.must_fail(held.publish(nothing)) == errc::branch_retired);
    EXPECT_THAT(graph.names(), ElementsAre("main"));
    EXPECT_TRUE(graph.must_fail(all.remove_unreadable(graph.named("review"))) == errc::branch_not_found);
    EXPECT_FALSE(graph.clean(graph.keep(1, true)).corrupt());
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
    graph.create("review");
    EXPECT_EQ(graph.read("review").seq(), sequence(7));
}

TEST(branches, force_ends_no_life_that_a_newer_version_wrote_and_a_readable_one_as_ever)
{
    branched_graph graph;
    graph.grow(7);
    auto const stream = *stream_id::parse(graph.create("review").stream);
    graph.commit("review", [](snapshot const&) { return result<intent>(intent()); });
    auto const whole = graph.get(layout::record(stream, sequence(8)));
    graph.put(layout::record(stream, sequence(8)), R"({"format":2})");
    branches all(*graph.store, graph.time, *graph.chance);
    EXPECT_TRUE(graph.must_fail(all.remove_unreadable(graph.named("review"))) == errc::unsupported);
    graph.put(layout::record(stream, sequence(8)), std::string(whole.view()));
    EXPECT_EQ(graph.must(all.remove_unreadable(graph.named("review"))).retired->final_seq, sequence(9));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(feed, of_a_branch_says_that_a_commit_of_its_parent_came_before_it)
{
    branched_graph graph;
    graph.grow(7);
    graph.create("review");
    feed_start start = feed_start::after(*graph.read_at("main", 3).id());
    feed early(*graph.store, "review", graph.time, std::move(start));
    auto const why = graph.must_fail(early.poll());
    EXPECT_TRUE(why == errc::not_found) << why.message();
    ASSERT_TRUE(why.why());
    EXPECT_EQ(why.why()->facts.at(0), std::pair(std::string("fork"), std::string("7")));
    EXPECT_EQ(why.message().find("gone"), std::string::npos) << why.message();
    feed_start at_fork = feed_start::after(*graph.read_at("main", 7).id());
    feed from_fork(*graph.store, "review", graph.time, std::move(at_fork));
    EXPECT_TRUE(graph.must(from_fork.poll()).caught_up);
}

TEST(reader, record_at_the_floor_is_pruned_with_the_floor_as_a_fact)
{
    branched_graph graph;
    graph.grow(12);
    graph.raise_floor(10);
    reader main(*graph.store, "main", graph.time);
    for (std::uint64_t const seq : {9, 10}) {
        auto const why = graph.must_fail(main.record_at(sequence(seq)));
        EXPECT_TRUE(why == errc::pruned) << why.message();
        ASSERT_TRUE(why.why());
        EXPECT_EQ(why.why()->facts.at(0), std::pair(std::string("floor"), std::string("10")));
    }
}

}  // namespace
}  // namespace headwater::test
