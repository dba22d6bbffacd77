// Reading a graph whose derived objects are missing, torn, stale or lying: the answer is right or a typed error, never
// a state built from a suffix.
#include "tests/support/lying_store.hpp"
#include "tests/support/pausing_store.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace headwater::test {
namespace {

struct damage {
    char const* name;
    std::function<void(small_graph&)> apply;
    bool degraded;
};

void truncate(small_graph& graph, object_key const& key)
{
    auto const whole = std::string(graph.get(key).view());
    graph.put(key, whole.substr(0, whole.size() / 2));
}

// The graph has 23 commits: checkpoints at 5, 10, 15 and 20.
damage const harmless[] = {
    {"no hint", [](small_graph& g) { g.remove(g.hint_key()); }, false},
    {"torn hint", [](small_graph& g) { g.put(g.hint_key(), "{\"seq\":"); }, false},
    {"huge hint", [](small_graph& g) { g.put(g.hint_key(), std::string(max_hint_bytes + 1, ' ')); }, false},
    {"empty hint", [](small_graph& g) { g.put(g.hint_key(), ""); }, false},
    {"hint behind by 1", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":22,"checkpoint":20})"); }, false},
    {"hint behind by 3", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":20,"checkpoint":20})"); }, false},
    {"hint behind by 13", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":10,"checkpoint":10})"); }, false},
    {"hint at the beginning", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":0,"checkpoint":0})"); }, false},
    {"hint without checkpoint", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":23})"); }, false},
    {"hint with a checkpoint above", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":22,"checkpoint":99})"); },
     false},
    {"hint ahead", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":2000,"checkpoint":2000})"); }, false},
    {"hint at the greatest seq", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":18446744073709551613})"); }, false},
    {"hint beyond the greatest seq", [](small_graph& g) { g.put(g.hint_key(), R"({"seq":18446744073709551615})"); },
     false},
    {"hint with a checkpoint that is not there",
     [](small_graph& g) { g.put(g.hint_key(), R"({"seq":23,"checkpoint":17})"); }, false},
    {"checkpoint missing", [](small_graph& g) { g.remove(g.checkpoint_at(20)); }, true},
    {"checkpoint torn", [](small_graph& g) { truncate(g, g.checkpoint_at(20)); }, true},
    {"checkpoint empty", [](small_graph& g) { g.put(g.checkpoint_at(20), ""); }, true},
    {"checkpoint of another seq",
     [](small_graph& g) { g.put(g.checkpoint_at(20), std::string(g.get(g.checkpoint_at(15)).view())); }, true},
    {"two checkpoints missing",
     [](small_graph& g) {
         g.remove(g.checkpoint_at(20));
         g.remove(g.checkpoint_at(15));
     },
     true},
    {"every checkpoint missing",
     [](small_graph& g) {
         for (auto at : {5, 10, 15, 20}) g.remove(g.checkpoint_at(at));
     },
     true},
    {"every checkpoint torn",
     [](small_graph& g) {
         for (auto at : {5, 10, 15, 20}) truncate(g, g.checkpoint_at(at));
     },
     true},
    {"older record missing", [](small_graph& g) { g.remove(g.record_at(7)); }, false},
};

TEST(reader, derived_objects_may_be_damaged_and_the_state_is_right)
{
    for (bool const ordered : {true, false}) {
        for (auto const& each : harmless) {
            small_graph graph({.ordered_listing = ordered});
            graph.grow(23);
            auto const expected = graph.read();
            ASSERT_EQ(expected.seq(), sequence(23));
            each.apply(graph);
            auto const now = graph.read();
            EXPECT_EQ(now.at(), expected.at()) << each.name;
            EXPECT_EQ(now.state_digest(), expected.state_digest()) << each.name;
            EXPECT_EQ(now.degraded(), each.degraded) << each.name;
        }
    }
}

// What sorts before, between and after the record names, and is none.
TEST(reader, stray_keys_do_not_hide_the_log)
{
    for (bool const ordered : {true, false}) {
        for (bool const has_hint : {true, false}) {
            small_graph graph({.ordered_listing = ordered});
            graph.grow(23);
            std::string const folder = "_graph/main/";
            for (int i = 0; i != 30; ++i) graph.put(object_key(folder + "." + std::to_string(i)), "x");
            graph.put(object_key(folder + "00000000000000000000.commit"), "x");
            graph.put(object_key(graph.record_at(24).text() + ".tmp.0"), "x");
            graph.put(object_key(folder + "~"), "x");
            if (has_hint) {
                graph.put(graph.hint_key(), R"({"seq":10,"checkpoint":10})");
            } else {
                graph.remove(graph.hint_key());
            }
            EXPECT_EQ(graph.read().seq(), sequence(23)) << ordered << has_hint;
        }
    }
}

TEST(reader, refused_listing_is_no_refused_read)
{
    small_graph graph;
    graph.grow(23);
    graph.remove(graph.hint_key());
    auto const no_lists = [](store_call const& call) {
        return call.operation == "list" ? fault::refused : fault::none;
    };
    auto const faulty = make_faulty_store(*graph.store, graph.time, no_lists, std::chrono::seconds(1));
    reader main(*faulty, "main", graph.time);
    EXPECT_EQ(graph.must(main.current()).seq(), sequence(23));
}

TEST(reader, disorder_that_a_page_shows_is_minded_in_the_same_read)
{
    small_graph graph({.ordered_listing = false});
    graph.grow(53);
    graph.remove(graph.hint_key());
    test::lying_store learning(*graph.store, test::lie::learns_disorder);
    ASSERT_TRUE(learning.capabilities().ordered_listing);
    reader main(learning, "main", graph.time);
    EXPECT_EQ(graph.must(main.current()).seq(), sequence(53));
    EXPECT_FALSE(learning.capabilities().ordered_listing);
}

// One wrong digest must not cost the whole history.
TEST(reader, wrong_digest_at_depth_is_found_with_few_requests)
{
    small_graph graph;
    graph.grow(203);
    auto lie = decode_record(graph.get(graph.record_at(203)).view(), stream_id(), sequence(203));
    ASSERT_TRUE(lie);
    lie->state_digest->add("something else");
    graph.put(graph.record_at(203), std::string(encode(*lie)->view()));
    graph.remove(graph.checkpoint_at(195));
    std::uint64_t calls = 0;
    auto const count = [&](store_call const&) {
        ++calls;
        return fault::none;
    };
    auto const counting = make_faulty_store(*graph.store, graph.time, count, std::chrono::seconds(1));
    reader main(*counting, "main", graph.time);
    EXPECT_TRUE(graph.must_fail(main.current()) == errc::corrupt);
    EXPECT_LE(calls, 20u);
}

TEST(reader, first_time_travel_is_not_degraded_by_an_unusual_interval)
{
    small_graph graph;  // Its interval is not the default one.
    graph.grow(53);
    reader main(*graph.store, "main", graph.time);
    EXPECT_FALSE(graph.must(main.at(sequence(53))).degraded());
    reader again(*graph.store, "main", graph.time);
    EXPECT_FALSE(graph.must(again.at(sequence(50))).degraded());
}

TEST(reader, first_read_follows_the_hint_while_the_opening_is_on_its_way)
{
    for (std::uint64_t const late : {2, 3}) {  // format.json, the metadata.
        small_graph graph;
        graph.grow(23);
        pausing_store store(*graph.store, graph.time, late, std::chrono::seconds(1));
        reader main(store, "main", graph.time);
        std::optional<result<snapshot>> now;
        auto const keep = [&](std::exception_ptr, result<snapshot> answer) { now.emplace(std::move(answer)); };
        boost::asio::io_context io(1);
        boost::asio::co_spawn(io, main.current(), keep);
        while (io.poll() != 0) {}
        EXPECT_FALSE(now);
        EXPECT_EQ(store.calls(), 6u) << "the hint, format.json, the metadata; the record, its base and the next";
        io.restart();
        drive(io, graph.time);
        ASSERT_TRUE(now && *now);
        EXPECT_EQ((*now)->seq(), sequence(23));
        EXPECT_EQ((*now)->spent().rounds, 2u);
        EXPECT_EQ(store.calls(), 6u);
    }
}

TEST(reader, damage_on_a_boundary_is_survived_too)
{
    for (auto const& each : harmless) {
        small_graph graph;
        graph.grow(20);
        auto const expected = graph.read();
        if (std::string_view(each.name).find("hint") != std::string_view::npos) continue;
        each.apply(graph);
        auto const now = graph.read();
        EXPECT_EQ(now.at(), expected.at()) << each.name;
        EXPECT_EQ(now.state_digest(), expected.state_digest()) << each.name;
    }
}

// A checkpoint that is whole and consistent with itself, but not what the records say.
TEST(reader, lying_checkpoint_is_found_by_the_records_digest)
{
    small_graph graph;
    graph.grow(23);
    auto const expected = graph.read();
    auto lie = decode_checkpoint(graph.get(graph.checkpoint_at(20)).view(), stream_id(), sequence(20));
    ASSERT_TRUE(lie);
    for (auto& each : lie->heads) each.location += "/elsewhere";
    lie->state_digest = digest_of(*lie);
    graph.put(graph.checkpoint_at(20), std::string(encode(*lie)->view()));
    auto const now = graph.read();
    EXPECT_EQ(now.state_digest(), expected.state_digest());
    EXPECT_TRUE(now.degraded());
}

TEST(reader, lying_carry_is_found_by_its_digest)
{
    small_graph graph;
    graph.grow(23);
    auto const expected = graph.read();
    auto lie = decode_record(graph.get(graph.record_at(23)).view(), stream_id(), sequence(23));
    ASSERT_TRUE(lie && lie->carried && !lie->carried->heads.empty());
    lie->carried->heads.pop_back();
    graph.put(graph.record_at(23), std::string(encode(*lie)->view()));
    auto const now = graph.read();
    EXPECT_EQ(now.state_digest(), expected.state_digest());
    EXPECT_TRUE(now.degraded());
}

TEST(reader, wrong_digest_with_right_records_is_corrupt)
{
    small_graph graph;
    graph.grow(23);
    auto lie = decode_record(graph.get(graph.record_at(23)).view(), stream_id(), sequence(23));
    ASSERT_TRUE(lie);
    lie->state_digest->add("something else");
    graph.put(graph.record_at(23), std::string(encode(*lie)->view()));
    reader main(*graph.store, "main", graph.time);
    auto const why = graph.must_fail(main.current());
    EXPECT_TRUE(why == errc::corrupt) << why.message();
}

TEST(reader, empty_or_torn_newest_record_is_a_typed_error_and_history_stays_readable)
{
    for (bool const empty : {true, false}) {
        small_graph graph;
        graph.grow(23);
        if (empty) {
            graph.put(graph.record_at(23), "");
        } else {
            truncate(graph, graph.record_at(23));
        }
        reader main(*graph.store, "main", graph.time);
        auto const why = graph.must_fail(main.current());
        EXPECT_TRUE(why == errc::corrupt) << why.message();
        EXPECT_EQ(why.why()->key, graph.record_at(23).text());
        EXPECT_EQ(graph.must(main.at(sequence(22))).seq(), sequence(22));
    }
}

TEST(reader, hole_in_what_must_be_folded_is_a_gap)
{
    small_graph graph;
    graph.grow(23);
    for (auto at : {5, 10, 15, 20}) graph.remove(graph.checkpoint_at(at));
    auto plain = decode_record(graph.get(graph.record_at(23)).view(), stream_id(), sequence(23));
    ASSERT_TRUE(plain);
    plain->carried.reset();
    graph.put(graph.record_at(23), std::string(encode(*plain)->view()));
    graph.remove(graph.record_at(22));
    reader main(*graph.store, "main", graph.time);
    auto const why = graph.must_fail(main.current());
    EXPECT_TRUE(why == errc::history_gap) << why.message();
    EXPECT_EQ(why.why()->key, graph.record_at(22).text());
}

TEST(reader, broken_chain_names_both_commits)
{
    small_graph graph;
    graph.grow(23);
    reader main(*graph.store, "main", graph.time);
    (void)graph.must(main.at(sequence(20)));
    auto odd = decode_record(graph.get(graph.record_at(23)).view(), stream_id(), sequence(23));
    ASSERT_TRUE(odd);
    auto const real_parent = odd->parent->text();
    odd->parent = commit_id(std::string("stranger"));
    odd->carried.reset();
    graph.put(graph.record_at(23), std::string(encode(*odd)->view()));
    auto const why = graph.must_fail(main.current());
    EXPECT_TRUE(why == errc::history_gap) << why.message();
    EXPECT_NE(why.message().find("stranger"), std::string::npos);
    EXPECT_NE(why.message().find(real_parent), std::string::npos);
}

TEST(reader, every_past_seq_and_commit_id_gives_the_state_then)
{
    small_graph graph;
    std::vector<snapshot> then;
    for (std::uint64_t seq = 1; seq <= 23; ++seq) {
        graph.grow(seq);
        then.push_back(graph.read());
    }
    for (auto const& each : then) {
        reader main(*graph.store, "main", graph.time);
        EXPECT_EQ(graph.must(main.at(each.seq())).state_digest(), each.state_digest());
        EXPECT_EQ(graph.must(main.at(*each.id())).at(), each.at());
    }
    reader main(*graph.store, "main", graph.time);
    EXPECT_EQ(graph.must(main.at(sequence(0))).heads().size(), 0u);
    EXPECT_TRUE(graph.must_fail(main.at(sequence(24))) == errc::not_found);
    EXPECT_TRUE(graph.must_fail(main.at(sequence(1'000'000))) == errc::not_found);
    EXPECT_TRUE(graph.must_fail(main.at(commit_id(std::string("hb1.foreign")))) == errc::not_found);
    EXPECT_TRUE(graph.must_fail(main.at(commit_id(std::string("01ARZ3NDEKTSV4RRFFQ69G5FAV")))) == errc::not_found);
}

TEST(reader, snapshot_stays_valid_while_newer_ones_arrive)
{
    small_graph graph;
    graph.grow(7);
    reader main(*graph.store, "main", graph.time);
    auto const old = graph.must(main.current());
    auto const digest = old.state_digest();
    for (std::uint64_t newest : {8, 9, 12, 13, 40}) {
        graph.grow(newest);
        auto const now = graph.must(main.current());
        EXPECT_EQ(now.seq(), sequence(newest));
        EXPECT_EQ(now.state_digest(), graph.read().state_digest());
    }
    EXPECT_EQ(old.seq(), sequence(7));
    EXPECT_EQ(old.state_digest(), digest);
}

TEST(reader, store_without_a_graph_says_how_to_make_one)
{
    virtual_clock time;
    auto const store = make_memory_store(time);
    reader main(*store, "main", time);
    auto const none = run(time, main.current());
    ASSERT_FALSE(none);
    EXPECT_TRUE(none.error() == errc::not_found);
    EXPECT_NE(none.error().message().find("init"), std::string::npos);
}

TEST(reader, empty_graph_reads_as_the_empty_state)
{
    small_graph graph;
    auto const now = graph.read();
    EXPECT_EQ(now.seq(), sequence(0));
    EXPECT_FALSE(now.id());
    EXPECT_TRUE(now.heads().empty());
}

TEST(reader, wrong_branch_is_a_typed_error)
{
    small_graph graph;
    reader missing(*graph.store, "review", graph.time);
    EXPECT_TRUE(graph.must_fail(missing.current()) == errc::branch_not_found);
    reader invalid(*graph.store, "a//b", graph.time);
    EXPECT_TRUE(graph.must_fail(invalid.current()) == errc::invalid_argument);
}

TEST(reader, newer_format_is_refused_first)
{
    small_graph graph;
    graph.grow(3);
    graph.put(layout::format(), R"({"broken":[1,2],"format":2})");
    reader main(*graph.store, "main", graph.time);
    auto const why = graph.must_fail(main.current());
    EXPECT_TRUE(why == errc::unsupported) << why.message();
}

}  // namespace
}  // namespace headwater::test
