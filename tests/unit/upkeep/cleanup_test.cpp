// Retention on a small graph in virtual time: one run raises, a later one deletes, and nothing that is named goes.
#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"
#include "tests/support/dated_store.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headwater::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

TEST(cleanup, dry_run_changes_nothing)
{
    kept_graph graph;
    graph.grow(23);
    graph.time.pass(hours(2));
    auto how = graph.keep(4);
    how.confirm = false;
    auto const told = graph.clean(how);
    ASSERT_EQ(told.streams.size(), 1u);
    EXPECT_EQ(told.streams[0].floor, sequence(15));
    EXPECT_EQ(told.streams[0].records, 0u);
    EXPECT_EQ(told.streams[0].records_later, 15u);
    EXPECT_EQ(graph.floor(), 0u);
    EXPECT_EQ(graph.read().seq(), sequence(23));
}

TEST(cleanup, one_run_raises_and_a_later_one_deletes)
{
    kept_graph graph;
    graph.grow(23);
    graph.time.pass(hours(2));
    auto const raised = graph.clean(graph.keep(4));
    EXPECT_EQ(graph.floor(), 15u);
    EXPECT_EQ(raised.due, graph.time.now() + hours(1));
    EXPECT_TRUE(graph.has(graph.record_at(1)));

    graph.time.pass(minutes(59));
    (void)graph.clean(graph.keep(4));
    EXPECT_TRUE(graph.has(graph.record_at(1))) << "the floor has not stood for an hour";

    graph.time.pass(minutes(2));
    auto const swept = graph.clean(graph.keep(4));
    EXPECT_EQ(swept.streams[0].records, 15u);
    for (std::uint64_t seq = 1; seq <= 23; ++seq) EXPECT_EQ(graph.has(graph.record_at(seq)), seq > 15) << seq;
    EXPECT_FALSE(graph.has(graph.checkpoint_at(10)));
    EXPECT_TRUE(graph.has(graph.checkpoint_at(15)));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(cleanup, young_records_are_left_alone)
{
    kept_graph graph;
    graph.grow(23);
    (void)graph.clean(graph.keep(1));
    EXPECT_EQ(graph.floor(), 0u);
}

TEST(cleanup, wait_sleeps_until_the_floor_has_stood)
{
    kept_graph graph;
    graph.grow(23);
    graph.time.pass(hours(2));
    auto how = graph.keep(4);
    how.wait = true;
    auto const done = graph.clean(how);
    EXPECT_EQ(done.streams[0].records, 15u);
    EXPECT_EQ(done.due, std::nullopt);
    EXPECT_FALSE(graph.has(graph.record_at(15)));
}

TEST(cleanup, wait_goes_by_the_clock_of_the_store)
{
    for (minutes const ahead_by : {minutes(-180), minutes(-10), minutes(600)}) {
        kept_graph graph;
        graph.grow(23);
        graph.time.pass(hours(2));
        dated_store store(*graph.store, graph.time, ahead_by);
        auto how = graph.keep(4);
        how.wait = true;
        auto const began = graph.time.now();
        auto const done = graph.must(cleanup(store, graph.time, how, {}));
        EXPECT_EQ(done.streams[0].records, 15u);
        EXPECT_EQ(done.due, std::nullopt);
        EXPECT_GE(graph.time.now() - began, hours(1));
        EXPECT_LE(graph.time.now() - began, hours(1) + minutes(1));
    }
}

TEST(cleanup, store_that_tells_no_last_modified_is_refused_unless_nobody_is_at_work)
{
    kept_graph graph;
    graph.grow(23);
    dated_store store(*graph.store, graph.time, std::nullopt);
    for (bool const wait : {false, true}) {
        auto how = graph.keep(4);
        how.wait = wait;
        auto const why = graph.must_fail(cleanup(store, graph.time, how, {}));
        EXPECT_TRUE(why == errc::unsupported) << why.message();
    }
    (void)graph.must(cleanup(store, graph.time, graph.keep(4, true), {}));
    EXPECT_EQ(graph.floor(), 15u);
}

TEST(cleanup, rival_at_one_stream_keeps_no_other_from_its_sweep)
{
    branched_graph graph;
    graph.grow(23);
    auto const child = graph.fork("review", 10);
    auto const pins = [](snapshot const& now) -> result<intent> {
        intent out;
        auto const& one = now.heads().front();
        out.pins.push_back(a_pin(one.table, one.table_key, now.seq().value() + 1));
        return out;
    };
    for (int i = 0; i != 12; ++i) graph.commit("review", pins);
    graph.time.pass(hours(2));
    int writes = 0;
    auto const rival = [&](store_call const& call) {
        if (call.operation == "put_if_match" && call.key == layout::metadata(child).text()) {
            auto other = graph.metadata_of(child);
            other.creator = "rival" + std::to_string(++writes);
            graph.put_metadata(other);
        }
        return fault::none;
    };
    auto const raced = make_faulty_store(*graph.store, graph.time, rival, minutes(1));
    EXPECT_TRUE(graph.must_fail(cleanup(*raced, graph.time, graph.keep(4), {})) == errc::precondition_failed);
    EXPECT_EQ(graph.floor(), 10u);
    graph.time.pass(hours(2));
    EXPECT_TRUE(graph.must_fail(cleanup(*raced, graph.time, graph.keep(4), {})) == errc::precondition_failed);
    EXPECT_FALSE(graph.has(graph.record_at(10)));
    EXPECT_TRUE(graph.has(graph.record_at(11)));
    EXPECT_EQ(writes, 2);
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

// The run that would raise it again sweeps it first: no stop, however often, makes it young unswept.
TEST(cleanup, floor_that_has_stood_is_swept_before_it_is_raised_again)
{
    kept_graph graph;
    graph.grow(23);
    graph.time.pass(hours(2));
    (void)graph.clean(graph.keep(4));
    ASSERT_EQ(graph.floor(), 15u);
    graph.grow(33);
    graph.time.pass(hours(2));
    auto const stops = [&](store_call const& call) {
        return call.operation == "put_if_match" ? fault::cancelled_after : fault::none;
    };
    auto const stopped = make_faulty_store(*graph.store, graph.time, stops, minutes(1));
    EXPECT_THROW((void)graph.must(cleanup(*stopped, graph.time, graph.keep(4), {})), std::exception);
    EXPECT_EQ(graph.floor(), 25u);
    for (std::uint64_t seq = 1; seq <= 33; ++seq) EXPECT_EQ(graph.has(graph.record_at(seq)), seq > 15) << seq;
}

TEST(cleanup, floor_that_a_rival_raised_as_far_is_left_as_it_is)
{
    kept_graph graph;
    graph.grow(23);
    graph.time.pass(hours(2));
    std::optional<etag> theirs;
    auto const rival = [&](store_call const& call) {
        if (call.operation == "put_if_match" && !theirs) {
            graph.raise_floor(15);
            theirs = graph.must(graph.store->head(layout::metadata(stream_id()))).tag;
        }
        return fault::none;
    };
    auto const raced = make_faulty_store(*graph.store, graph.time, rival, minutes(1));
    EXPECT_EQ(graph.must(cleanup(*raced, graph.time, graph.keep(4), {})).streams[0].floor, sequence(15));
    EXPECT_EQ(graph.must(graph.store->head(layout::metadata(stream_id()))).tag, *theirs);
}

TEST(cleanup, record_without_a_digest_at_the_cut_is_judged_by_the_records)
{
    for (bool const wrong : {false, true}) {
        kept_graph graph;
        graph.grow(23);
        graph.change_record(15, [](record& one) {
            one.state_digest.reset();
            one.carried.reset();
        });
        auto const right = graph.get(graph.checkpoint_at(15));
        if (wrong) graph.put(graph.checkpoint_at(15), "{}");
        (void)graph.clean(graph.keep(4, true));
        EXPECT_EQ(graph.floor(), 15u);
        EXPECT_EQ(graph.get(graph.checkpoint_at(15)), right);
        EXPECT_EQ(graph.findings(true), std::vector<std::string>());
    }
}

TEST(cleanup, hint_that_a_publisher_raises_meanwhile_is_not_lowered)
{
    kept_graph graph;
    graph.grow(23);
    bool raised = false;
    auto const publish = [&](store_call const& call) {
        bool const now = call.operation == "get" && call.key == graph.hint_key().text() && !raised;
        if (now) {
            raised = true;
            graph.grow(24);
        }
        return fault::none;
    };
    auto const raced = make_faulty_store(*graph.store, graph.time, publish, minutes(1));
    EXPECT_EQ(graph.must(cleanup(*raced, graph.time, graph.keep(4, true), {})).hints, 0u);
    EXPECT_EQ(graph.get(graph.hint_key()).view(), R"({"seq":24,"checkpoint":20})");
}

// Where nothing is carried each commit leaves a checkpoint, which the listing may have missed.
TEST(cleanup, hint_of_a_newer_checkpoint_is_not_lowered)
{
    kept_graph graph({}, 1);
    graph.grow(22);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(writer.publish(kept_graph::wish));
    bool written = false;
    auto const late = [&](store_call const& call) {
        bool const now = call.operation == "get" && call.key == graph.hint_key().text() && !written;
        if (now) {
            written = true;
            (void)graph.must(writer.upkeep());
        }
        return fault::none;
    };
    auto const raced = make_faulty_store(*graph.store, graph.time, late, minutes(1));
    EXPECT_EQ(graph.must(cleanup(*raced, graph.time, graph.keep(4, true), {})).hints, 0u);
    EXPECT_EQ(graph.get(graph.hint_key()).view(), R"({"seq":23,"checkpoint":23})");
}

TEST(cleanup, delete_that_was_stopped_is_finished)
{
    branched_graph graph;
    graph.grow(7);
    auto const child = *stream_id::parse(graph.create("review").stream);
    auto const stops = [&](store_call const& call) {
        return call.operation == "put_if_match" ? fault::unavailable : fault::none;
    };
    auto const stopped = make_faulty_store(*graph.store, graph.time, stops, minutes(1));
    branches all(*stopped, graph.time, *graph.chance);
    EXPECT_FALSE(run(graph.time, all.remove(graph.named("review"))));
    graph.time.pass(hours(2));
    auto how = graph.keep(1);
    how.confirm = false;
    (void)graph.clean(how);
    EXPECT_FALSE(graph.metadata_of(child).retired) << "a dry run changes nothing";
    (void)graph.clean(graph.keep(1));
    EXPECT_TRUE(graph.metadata_of(child).retired);
    EXPECT_TRUE(graph.has(layout::record(child, sequence(8)))) << "it has not stood";
    graph.time.pass(hours(2));
    (void)graph.clean(graph.keep(1));
    EXPECT_FALSE(graph.has(layout::record(child, sequence(8))));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

// As a directory that is read while it grows may be.
TEST(cleanup, name_that_one_listing_lacks_is_no_gap)
{
    for (bool const of_record : {true, false}) {
        kept_graph graph;
        graph.grow(23);
        graph.time.pass(hours(2));
        (void)graph.clean(graph.keep(4));
        auto const key = of_record ? graph.record_at(22) : graph.checkpoint_at(15);
        auto const content = graph.get(key);
        int listed = 0;
        auto const hide = [&](store_call const& call) {
            bool const here = call.operation == "list" && call.key == layout::record_prefix(stream_id());
            if (here) ++listed;
            if (here && listed == 1) graph.remove(key);
            if (!here || listed != 1) graph.put(key, std::string(content.view()));
            return fault::none;
        };
        auto const racy = make_faulty_store(*graph.store, graph.time, hide, minutes(1));
        EXPECT_EQ(graph.must(cleanup(*racy, graph.time, graph.keep(4), {})).streams[0].newest, sequence(23));
        EXPECT_GT(listed, 1);
    }
}

TEST(cleanup, below_the_floor_is_pruned_and_at_it_readable)
{
    kept_graph graph;
    graph.grow(23);
    (void)graph.clean(graph.keep(4, true));
    reader main(*graph.store, "main", graph.time);
    EXPECT_TRUE(graph.must_fail(main.at(sequence(14))) == errc::pruned);
    for (std::uint64_t seq = 15; seq <= 23; ++seq) EXPECT_EQ(graph.must(main.at(sequence(seq))).seq(), sequence(seq));
}

TEST(cleanup, roots_are_every_pin_that_is_still_named)
{
    kept_graph graph;
    graph.grow(23);
    std::set<std::uint64_t> versions;
    (void)graph.clean(graph.keep(4, true), [&](root const& one) {
        EXPECT_EQ(one.location, "nodes/" + std::to_string(one.table.stable_table_id) + "-1");
        versions.insert(one.version.target_version);
        return result<void>();
    });
    // Checkpoint 15 names the last pin of each of four tables; the records after it their own.
    std::set<std::uint64_t> expected;
    for (std::uint64_t seq = 12; seq <= 23; ++seq) expected.insert(seq);
    EXPECT_EQ(versions, expected);
}

TEST(cleanup, unreadable_root_stops_everything)
{
    kept_graph graph;
    graph.grow(23);
    graph.put(graph.record_at(21), "");
    root_sink const ignore = [](root const&) { return result<void>(); };
    auto const why = graph.must_fail(cleanup(*graph.store, graph.time, graph.keep(4, true), ignore));
    EXPECT_TRUE(why == errc::corrupt) << why.message();
    EXPECT_TRUE(graph.has(graph.record_at(1)));
    EXPECT_EQ(graph.floor(), 0u);
}

// Main has 23 commits; `review`, forked at 10, has four, and the one at `torn` is; `ended` has ended; nothing names a
// schema.
struct torn_branch {
    explicit torn_branch(std::uint64_t torn)
    {
        graph.grow(23);
        auto const nothing = [](snapshot const&) { return result<intent>(intent()); };
        for (auto const* name : {"review", "ended"}) {
            (void)graph.create(name, graph.read_at("main", 10));
            for (int i = 0; i != 4; ++i) graph.commit(name, nothing);
        }
        stream = *stream_id::parse(graph.must(branches(*graph.store, graph.time, *graph.chance).find(review)).stream);
        ended = *stream_id::parse(graph.remove_branch("ended").stream);
        graph.put(schema, "{}");
        graph.put(layout::record(stream, sequence(torn)), "");
    }

    branched_graph graph;
    branch_name review = branched_graph::named("review");
    stream_id stream;
    stream_id ended;
    object_key schema = layout::schema(std::string(64, 'a'));
};

TEST(cleanup, stream_that_cannot_be_read_keeps_none_of_the_others)
{
    for (std::uint64_t const torn : {12, 14}) {
        for (bool const confirm : {false, true}) {
            SCOPED_TRACE(std::to_string(torn) + (confirm ? ", confirmed" : ""));
            torn_branch all(torn);
            auto& graph = all.graph;
            auto how = graph.keep(2, true);
            how.confirm = confirm;
            auto const done = graph.clean(how);
            EXPECT_TRUE(done.corrupt());
            for (auto const& each : done.streams) {
                ASSERT_EQ(each.fault.has_value(), each.stream == all.stream) << each.stream.text();
                EXPECT_EQ(each.floor, sequence(10)) << each.stream.text();
                EXPECT_EQ(each.records, each.stream.is_main() ? 10u : 0u) << each.stream.text();
                if (each.fault) EXPECT_TRUE(*each.fault == errc::corrupt) << each.fault->message();
            }
            EXPECT_EQ(graph.floor(), confirm ? 10u : 0u);
            EXPECT_EQ(graph.has(graph.record_at(10)), !confirm);
            // What cannot be read may name these.
            EXPECT_EQ(done.schemas, 0u);
            EXPECT_TRUE(graph.has(all.schema));
            EXPECT_TRUE(graph.has(layout::record(all.ended, sequence(14))));
        }
    }
}

TEST(cleanup, asked_for_the_roots_stops_at_a_stream_that_cannot_be_read)
{
    torn_branch all(14);
    root_sink const ignore = [](root const&) { return result<void>(); };
    auto const why = all.graph.must_fail(cleanup(*all.graph.store, all.graph.time, all.graph.keep(2, true), ignore));
    EXPECT_TRUE(why == errc::corrupt) << why.message();
    EXPECT_EQ(all.graph.floor(), 0u);
}

TEST(cleanup, takes_all_once_the_stream_that_cannot_be_read_was_ended)
{
    torn_branch all(14);
    auto& graph = all.graph;
    (void)graph.must(branches(*graph.store, graph.time, *graph.chance).remove_unreadable(all.review));
    auto const early = graph.clean(graph.keep(2));
    EXPECT_TRUE(early.corrupt()) << "it stands for an hour, and what it names is not known";
    EXPECT_TRUE(graph.has(all.schema));
    graph.time.pass(hours(2));
    EXPECT_FALSE(graph.clean(graph.keep(2)).corrupt());
    for (auto const& stream : {all.stream, all.ended}) {
        EXPECT_FALSE(graph.has(layout::record(stream, sequence(14)))) << stream.text();
    }
    graph.time.pass(hours(2));
    EXPECT_FALSE(graph.clean(graph.keep(2)).corrupt());
    EXPECT_FALSE(graph.has(all.schema));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(cleanup, missing_checkpoint_at_the_floor_stops_everything)
{
    for (std::uint64_t const floor : {10, 100}) {
        kept_graph graph;
        graph.grow(23);
        graph.raise_floor(floor);
        if (floor == 10) graph.remove(graph.checkpoint_at(10));
        root_sink const ignore = [](root const&) { return result<void>(); };
        for (bool const confirm : {false, true}) {
            auto how = graph.keep(4, true);
            how.confirm = confirm;
            auto const why = graph.must_fail(cleanup(*graph.store, graph.time, how, ignore));
            EXPECT_TRUE(why == errc::corrupt) << why.message();
        }
        EXPECT_TRUE(graph.has(graph.record_at(1)));
        EXPECT_TRUE(graph.has(graph.checkpoint_at(5)));
    }
}

TEST(cleanup, torn_checkpoint_at_the_floor_keeps_what_it_can_be_made_of)
{
    kept_graph graph;
    graph.grow(23);
    graph.time.pass(hours(2));
    (void)graph.clean(graph.keep(4));
    ASSERT_EQ(graph.floor(), 15u);
    graph.put(graph.checkpoint_at(15), "torn");
    graph.time.pass(hours(2));
    root_sink const ignore = [](root const&) { return result<void>(); };
    auto how = graph.keep(4);
    how.confirm = true;
    auto const why = graph.must_fail(cleanup(*graph.store, graph.time, how, ignore));
    EXPECT_TRUE(why == errc::corrupt) << why.message();
    EXPECT_TRUE(graph.has(graph.record_at(1)));
    EXPECT_TRUE(graph.has(graph.record_at(15)));
}

TEST(cleanup, wrong_checkpoint_at_the_cut_is_made_right_first)
{
    kept_graph graph;
    graph.grow(23);
    auto const right = graph.get(graph.checkpoint_at(15));
    graph.put(graph.checkpoint_at(15), "{}");
    graph.put(graph.hint_key(), "garbage");
    EXPECT_EQ(graph.clean(graph.keep(4, true)).hints, 1u);
    EXPECT_EQ(graph.get(graph.checkpoint_at(15)), right);
    EXPECT_EQ(graph.get(graph.hint_key()).view(), R"({"seq":23,"checkpoint":20})");
}

TEST(cleanup, live_child_holds_its_fork)
{
    kept_graph graph;
    graph.grow(23);
    auto const child = graph.fork("review", 10);
    (void)graph.clean(graph.keep(1, true));
    EXPECT_EQ(graph.floor(), 10u);
    EXPECT_TRUE(graph.has(layout::checkpoint(child, sequence(10))));
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
}

TEST(cleanup, retired_streams_lose_their_objects_and_keep_their_names)
{
    kept_graph graph;
    graph.grow(23);
    auto const child = graph.fork("review", 10);
    auto metadata = graph.metadata_of(child);
    stream_metadata::retired_type end;
    end.by = "test";
    end.final_seq = sequence(11);
    metadata.retired = end;
    graph.put_metadata(metadata);
    (void)graph.clean(graph.keep(100));
    EXPECT_TRUE(graph.has(layout::checkpoint(child, sequence(10)))) << "it has not stood";
    graph.time.pass(hours(2));
    (void)graph.clean(graph.keep(100));
    EXPECT_FALSE(graph.has(layout::checkpoint(child, sequence(10))));
    EXPECT_TRUE(graph.has(layout::metadata(child)));
    EXPECT_TRUE(graph.has(layout::name(child.logical())));
}

TEST(cleanup, retired_stream_names_its_pins_until_it_goes)
{
    kept_graph graph;
    graph.grow(23);
    auto const child = graph.fork("review", 10);
    publisher writer(*graph.store, "review", graph.time, *graph.chance);
    (void)graph.must(writer.publish([](snapshot const& now) -> result<intent> {
        intent out;
        auto const& one = now.heads().front();
        out.pins.push_back(a_pin(one.table, one.table_key, 777));
        return out;
    }));
    auto metadata = graph.metadata_of(child);
    stream_metadata::retired_type end;
    end.by = "test";
    end.final_seq = sequence(12);
    metadata.retired = end;
    graph.put_metadata(metadata);
    auto const named = [&] {
        bool found = false;
        (void)graph.clean(graph.keep(100), [&](root const& one) {
            found = found || one.version.target_version == 777;
            return result<void>();
        });
        return found;
    };
    EXPECT_TRUE(named());
    graph.time.pass(hours(2));
    EXPECT_FALSE(named());
}

TEST(cleanup, floor_stays_below_the_fork_of_an_ancestor_of_a_live_branch)
{
    kept_graph graph;
    graph.grow(23);
    auto const child = graph.fork("review", 10);
    auto ended = graph.metadata_of(child);
    stream_metadata::retired_type end;
    end.by = "test";
    end.final_seq = sequence(15);
    ended.retired = end;
    graph.put_metadata(ended);
    auto const grandchild = graph.fork("later", 15);
    auto live = graph.metadata_of(grandchild);
    live.parent->stream = child.text();
    graph.put_metadata(live);
    (void)graph.clean(graph.keep(1, true));
    EXPECT_EQ(graph.floor(), 10u);
}

TEST(cleanup, unfinished_life_gets_retired_metadata_then_goes)
{
    kept_graph graph;
    graph.grow(23);
    auto const child = graph.fork("review", 10);
    graph.remove(layout::metadata(child));
    EXPECT_EQ(graph.findings(), std::vector<std::string>{"half_done_create"});
    (void)graph.clean(graph.keep(100));
    EXPECT_FALSE(graph.has(layout::metadata(child))) << "its creator may be at work";
    graph.time.pass(hours(2));
    EXPECT_EQ(graph.clean(graph.keep(100)).unfinished, std::vector{child});
    EXPECT_TRUE(graph.metadata_of(child).retired);
    graph.time.pass(hours(2));
    (void)graph.clean(graph.keep(100));
    EXPECT_FALSE(graph.has(layout::checkpoint(child, sequence(10))));
    EXPECT_EQ(graph.findings(), std::vector<std::string>());
}

// A creation writes no record before the metadata.
TEST(cleanup, stream_that_lost_its_metadata_stops_everything)
{
    for (bool const quiesced : {false, true}) {
        kept_graph graph;
        graph.grow(23);
        auto const child = graph.fork("review", 10);
        publisher writer(*graph.store, "review", graph.time, *graph.chance);
        (void)graph.must(writer.publish([](snapshot const&) { return result<intent>(intent()); }));
        auto const right = graph.get(layout::metadata(child));
        graph.remove(layout::metadata(child));
        graph.time.pass(hours(2));
        auto const why = graph.must_fail(cleanup(*graph.store, graph.time, graph.keep(1, quiesced), {}));
        EXPECT_TRUE(why == errc::corrupt) << why.message();
        EXPECT_FALSE(graph.has(layout::metadata(child)));
        EXPECT_EQ(graph.floor(), 0u);
        graph.put(layout::metadata(child), std::string(right.view()));
        EXPECT_EQ(graph.findings(true), std::vector<std::string>{"hint_missing"});
    }
}

TEST(cleanup, what_stopped_writes_left_goes_after_an_hour)
{
    kept_graph graph;
    graph.grow(7);
    (void)graph.fork("review", 5);
    std::string const end = ".tmp.0123abcd-0123-4567-89ab-0123456789ab";
    std::vector<object_key> left;
    for (auto const& key : {layout::format(), layout::metadata(stream_id()),
                            layout::name(*branch_name::parse("review")), graph.record_at(8), graph.checkpoint_at(5),
                            layout::schema(std::string(64, 'a')), layout::tombstones(std::string(64, 'a'))}) {
        left.emplace_back(key.text() + end);
        graph.put(left.back(), "{");
    }
    EXPECT_EQ(graph.findings(), std::vector<std::string>(left.size(), "stray_key"));
    EXPECT_EQ(graph.clean(graph.keep(100)).leftovers, 0u) << "their writers may be at work";
    graph.time.pass(hours(2));
    EXPECT_EQ(graph.clean(graph.keep(100)).leftovers, left.size());
    for (auto const& key : left) EXPECT_FALSE(graph.has(key)) << key.text();
    EXPECT_EQ(graph.findings(), std::vector<std::string>());
}

TEST(cleanup, sets_and_schemas_that_nothing_names_go)
{
    kept_graph graph;
    graph.grow(23);
    std::string const digest(64, 'a');
    graph.put(layout::tombstones(digest), "{}");
    graph.put(layout::schema(digest), "{}");
    EXPECT_EQ(graph.clean(graph.keep(100)).schemas, 0u) << "they are young";
    graph.time.pass(hours(2));
    auto const done = graph.clean(graph.keep(100));
    EXPECT_EQ(done.schemas, 1u);
    EXPECT_EQ(done.tombstone_sets, 1u);
    EXPECT_FALSE(graph.has(layout::schema(digest)));
    EXPECT_FALSE(graph.has(layout::tombstones(digest)));
}

// While a retired branch is deleted a commit names a schema that nothing named before, or somebody archives it anew.
TEST(cleanup, schema_that_is_named_during_the_sweep_stays)
{
    std::string const content = "a contract";
    auto const digest = to_hex(sha256(content));
    for (bool const by_commit : {true, false}) {
        kept_graph graph;
        graph.grow(23);
        graph.put(layout::schema(digest), content);
        auto ended = graph.metadata_of(graph.fork("review", 20));
        stream_metadata::retired_type end;
        end.by = "test";
        ended.retired = end;
        graph.put_metadata(ended);
        graph.time.pass(hours(2));
        bool done = false;
        auto const meanwhile = [&](store_call const& call) {
            if (call.operation != "remove_many" || done) return fault::none;
            done = true;
            if (!by_commit) graph.put(layout::schema(digest), content);
            if (!by_commit) return fault::none;
            publisher writer(*graph.store, "main", graph.time, *graph.chance);
            (void)graph.must(writer.publish([&](snapshot const& now) -> result<intent> {
                auto out = *kept_graph::wish(now);
                schema_identity named;
                named.identity_domain = "domain";
                named.ir_hash = "sha256:ir";
                named.identity_version = 1;
                named.content_hash = digest;
                out.schema = named;
                out.schema_content = bytes(content);
                return out;
            }));
            return fault::none;
        };
        auto const raced = make_faulty_store(*graph.store, graph.time, meanwhile, minutes(1));
        EXPECT_EQ(graph.must(cleanup(*raced, graph.time, graph.keep(100), {})).schemas, 0u);
        EXPECT_TRUE(done);
        EXPECT_TRUE(graph.has(layout::schema(digest)));
    }
}

TEST(cleanup, store_without_conditional_update_is_refused)
{
    memory_options plain;
    plain.conditional_update = false;
    kept_graph graph(plain);
    graph.grow(7);
    EXPECT_TRUE(graph.must_fail(cleanup(*graph.store, graph.time, graph.keep(1), {})) == errc::unsupported);
}

TEST(cleanup, metadata_that_changes_meanwhile_is_a_failed_precondition)
{
    kept_graph graph;
    graph.grow(23);
    auto const race = [&](store_call const& call) {
        if (call.operation == "put_if_match") graph.raise_floor(5);
        return fault::none;
    };
    auto const raced = make_faulty_store(*graph.store, graph.time, race, minutes(1));
    EXPECT_TRUE(graph.must_fail(cleanup(*raced, graph.time, graph.keep(4, true), {})) == errc::precondition_failed);
    EXPECT_EQ(graph.floor(), 5u);
}

// A writer stops before its create, cleanup passes its seq, the writer goes on: it is told conflict.
TEST(cleanup, stalled_writer_is_told_conflict_and_stalled_reader_never_a_stale_newest)
{
    kept_graph graph;
    graph.grow(4);
    reader stalled(*graph.store, "main", graph.time);
    (void)graph.must(stalled.current());
    bool passed = false;
    auto const overtake = [&](store_call const& call) {
        if (call.operation != "put_if_absent" || passed) return fault::none;
        passed = true;
        graph.grow(23);
        graph.time.pass(minutes(50));
        (void)graph.clean(graph.keep(1, true));
        return fault::none;
    };
    auto const slow = make_faulty_store(*graph.store, graph.time, overtake, minutes(1));
    publisher writer(*slow, "main", graph.time, *graph.chance);
    auto const base = graph.read();
    auto const why = graph.must_fail(writer.publish_at(base, *small_graph::wish(base)));
    EXPECT_TRUE(why == errc::conflict) << why.message();
    EXPECT_EQ(graph.must(stalled.current()).seq(), sequence(23));
    EXPECT_EQ(graph.findings(), std::vector<std::string>{"void_record"});
}

}  // namespace
}  // namespace headwater::test
