// The reading matrix: every hint beside every listing, holes at every place, and carries and checkpoints that fail in a
// row. The answer is the newest state or a typed error that names the object; never a state built from a suffix.
#include "tests/unit/log/small_graph.hpp"

#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace headwater::test {
namespace {

std::string hint_text(std::uint64_t seq, std::uint64_t checkpoint)
{
    return R"({"seq":)" + std::to_string(seq) + R"(,"checkpoint":)" + std::to_string(checkpoint) + '}';
}

void prune(small_graph& graph, std::uint64_t floor)
{
    graph.raise_floor(floor);
    for (std::uint64_t seq = 1; seq <= floor; ++seq) graph.remove(graph.record_at(seq));
    for (std::uint64_t seq = small_graph::interval; seq < floor; seq += small_graph::interval) {
        graph.remove(graph.checkpoint_at(seq));
    }
}

// The same objects in a store that lists in key order, or in one that does not.
class deep_graph : public small_graph {
public:
    static constexpr std::uint64_t newest = 10'103;

    explicit deep_graph(bool ordered) : small_graph(memory_options{.ordered_listing = ordered})
    {
        grow(newest);
        expected = read();
    }

    snapshot expected;
};

struct stale_row {
    std::uint64_t behind;
    std::uint64_t most_ordered;    // Requests, where names are listed in order.
    std::uint64_t most_unordered;  // Elsewhere: doubling and bisection.
};

TEST(reading_matrix, stale_hint_finds_the_end_within_its_budget)
{
    stale_row const rows[] = {{0, 4, 4}, {1, 5, 5}, {3, 7, 7}, {10, 11, 14}, {100, 11, 21}, {10'000, 11, 35}};
    for (bool const ordered : {true, false}) {
        deep_graph graph(ordered);
        for (auto const& row : rows) {
            auto const seq = deep_graph::newest - row.behind;
            graph.put(graph.hint_key(), hint_text(seq, seq - seq % small_graph::interval));
            auto const now = graph.read();
            EXPECT_EQ(now.at(), graph.expected.at()) << row.behind;
            EXPECT_EQ(now.state_digest(), graph.expected.state_digest()) << row.behind;
            EXPECT_FALSE(now.degraded()) << row.behind;
            EXPECT_LE(now.spent().requests, ordered ? row.most_ordered : row.most_unordered)
                << row.behind << (ordered ? " ordered" : " unordered");
        }
    }
}

struct hint_row {
    char const* name;
    std::optional<std::string> content;  // Nothing: there is no hint.
};

hint_row const useless_hints[] = {
    {"missing", {}},
    {"empty", ""},
    {"no JSON", "garbage"},
    {"an array", "[23]"},
    {"a text", R"({"seq":"23"})"},
    {"a fraction", R"({"seq":23.0})"},
    {"negative", R"({"seq":-1})"},
    {"binary", std::string("\0\xff\x7f", 3)},
    {"ahead by one", hint_text(24, 20)},
    {"ahead by one, with its checkpoint", hint_text(25, 25)},
    {"far ahead", hint_text(1'000'000, 1'000'000)},
    {"pruned", hint_text(7, 5)},
    {"pruned boundary", hint_text(5, 5)},
    {"at the floor", hint_text(10, 10)},
    {"just above the floor", hint_text(11, 10)},
    {"with a pruned checkpoint", hint_text(23, 5)},
    {"zero", hint_text(0, 0)},
};

// Floor 10: a hint below it names void slots, and one of them has been filled again.
TEST(reading_matrix, useless_hint_over_a_pruned_history_finds_the_end)
{
    for (bool const ordered : {true, false}) {
        for (bool const refilled : {true, false}) {
            for (auto const& row : useless_hints) {
                small_graph graph({.ordered_listing = ordered});
                graph.grow(23);
                auto const expected = graph.read();
                auto const void_record = std::string(graph.get(graph.record_at(7)).view());
                prune(graph, 10);
                if (refilled) graph.put(graph.record_at(7), void_record);
                row.content ? graph.put(graph.hint_key(), *row.content) : graph.remove(graph.hint_key());
                auto const now = graph.read();
                EXPECT_EQ(now.at(), expected.at()) << row.name << ordered << refilled;
                EXPECT_EQ(now.state_digest(), expected.state_digest()) << row.name;
                EXPECT_FALSE(now.degraded()) << row.name;
            }
        }
    }
}

TEST(reading_matrix, everything_pruned_is_the_floors_state)
{
    for (auto const& row : useless_hints) {
        small_graph graph;
        graph.grow(10);
        auto const expected = graph.read();
        prune(graph, 10);
        row.content ? graph.put(graph.hint_key(), *row.content) : graph.remove(graph.hint_key());
        EXPECT_EQ(graph.read().at(), expected.at()) << row.name;
    }
}

// One hole at a time, everywhere: asked for, it is a gap that names its key; the newest state comes from what is there.
TEST(reading_matrix, hole_is_a_gap_never_the_end)
{
    for (bool const ordered : {true, false}) {
        for (std::uint64_t hole = 1; hole != 23; ++hole) {
            SCOPED_TRACE("hole at " + std::to_string(hole) + (ordered ? " ordered" : " unordered"));
            small_graph graph({.ordered_listing = ordered});
            graph.grow(23);
            auto const expected = graph.read();
            graph.remove(graph.record_at(hole));
            EXPECT_EQ(graph.read().at(), expected.at());
            reader main(*graph.store, "main", graph.time);
            auto const gone = graph.must_fail(main.record_at(sequence(hole)));
            EXPECT_TRUE(gone == errc::history_gap) << gone.message();
            EXPECT_EQ(gone.why()->key, graph.record_at(hole).text());
            auto const page = graph.must_fail(main.history(sequence(23), 23));
            EXPECT_TRUE(page == errc::history_gap) << page.message();
            if (hole % small_graph::interval != 0) {
                EXPECT_TRUE(graph.must_fail(main.at(sequence(hole))) == errc::history_gap);
            } else {
                EXPECT_EQ(graph.must(main.at(sequence(hole))).seq(), sequence(hole)) << "its checkpoint is there";
            }
            EXPECT_TRUE(graph.must_fail(main.at(sequence(24))) == errc::not_found);
        }
    }
}

TEST(reading_matrix, hole_without_a_hint_is_no_end_where_the_store_lists)
{
    for (bool const ordered : {true, false}) {
        for (std::uint64_t const floor : {0, 10}) {
            for (auto hole = floor + 1; hole != 23; ++hole) {
                SCOPED_TRACE("hole at " + std::to_string(hole) + " over " + std::to_string(floor));
                small_graph graph({.ordered_listing = ordered});
                graph.grow(23);
                auto const expected = graph.read();
                if (floor != 0) prune(graph, floor);
                graph.remove(graph.record_at(hole));
                graph.remove(graph.hint_key());
                EXPECT_EQ(graph.read().at(), expected.at()) << ordered;
            }
        }
    }
}

TEST(reading_matrix, lost_first_record_is_found_by_a_full_listing)
{
    small_graph graph({.ordered_listing = false});
    graph.grow(23);
    auto const expected = graph.read();
    graph.remove(graph.record_at(1));
    graph.remove(graph.hint_key());
    EXPECT_EQ(graph.read().at(), expected.at());
}

// --- checkpoints ---

using breakage = std::function<void(small_graph&, std::uint64_t)>;

struct breakage_row {
    char const* name;
    breakage apply;
};

breakage_row const broken_checkpoints[] = {
    {"missing", [](small_graph& g, std::uint64_t at) { g.remove(g.checkpoint_at(at)); }},
    {"empty", [](small_graph& g, std::uint64_t at) { g.put(g.checkpoint_at(at), ""); }},
    {"torn",
     [](small_graph& g, std::uint64_t at) {
         auto const whole = std::string(g.get(g.checkpoint_at(at)).view());
         g.put(g.checkpoint_at(at), whole.substr(0, whole.size() / 2));
     }},
    {"wrong digest",
     [](small_graph& g, std::uint64_t at) {
         auto value = decode_checkpoint(g.get(g.checkpoint_at(at)).view(), stream_id(), sequence(at));
         value->heads.back().location += "x";
         g.put(g.checkpoint_at(at), std::string(encode(*value)->view()));
     }},
    {"lying, but at one with itself",
     [](small_graph& g, std::uint64_t at) {
         auto value = decode_checkpoint(g.get(g.checkpoint_at(at)).view(), stream_id(), sequence(at));
         value->heads.back().location += "x";
         value->state_digest = digest_of(*value);
         g.put(g.checkpoint_at(at), std::string(encode(*value)->view()));
     }},
    {"of another seq",
     [](small_graph& g, std::uint64_t at) {
         auto value = decode_checkpoint(g.get(g.checkpoint_at(at)).view(), stream_id(), sequence(at));
         value->header.seq = sequence(at + 1);
         g.put(g.checkpoint_at(at), std::string(encode(*value)->view()));
     }},
};

// Any breakage of any number of checkpoints in a row, from the newest down, mixed with any other below it.
TEST(reading_matrix, several_bad_checkpoints_in_a_row_are_replaced_by_the_records)
{
    constexpr std::uint64_t boundaries[] = {20, 15, 10, 5};
    for (auto const& first : broken_checkpoints) {
        for (auto const& others : broken_checkpoints) {
            for (std::size_t bad = 1; bad <= std::size(boundaries); ++bad) {
                SCOPED_TRACE(std::string(first.name) + ", then " + others.name + ", " + std::to_string(bad)
                             + " of them");
                small_graph graph;
                graph.grow(23);
                auto const expected = graph.read();
                for (std::size_t i = bad; i-- != 0;) (i == 0 ? first : others).apply(graph, boundaries[i]);
                auto const now = graph.read();
                EXPECT_EQ(now.at(), expected.at());
                EXPECT_EQ(now.state_digest(), expected.state_digest());
                EXPECT_TRUE(now.degraded());
            }
        }
    }
}

TEST(reading_matrix, bad_checkpoint_at_the_floor_is_a_typed_error)
{
    for (auto const& row : broken_checkpoints) {
        if (std::string_view(row.name).starts_with("lying")) continue;  // Nothing is left to find it by at the floor.
        small_graph graph;
        graph.grow(23);
        graph.rewrite(23, [](record& r) { r.carried.reset(); });
        graph.rewrite(22, [](record& r) { r.carried.reset(); });
        graph.rewrite(21, [](record& r) { r.carried.reset(); });
        row.apply(graph, 20);
        prune(graph, 20);
        reader main(*graph.store, "main", graph.time);
        auto const why = graph.must_fail(main.current());
        bool const typed = why == errc::history_gap || why == errc::corrupt;
        EXPECT_TRUE(typed) << row.name << ": " << why.message();
        EXPECT_EQ(why.why()->key, graph.checkpoint_at(20).text()) << row.name;
    }
}

// Both ways to a state lead over the states below: each is tried once, or this would take 2^30 of them.
TEST(reading_matrix, many_lost_checkpoints_over_a_lost_record_are_a_typed_error_at_once)
{
    small_graph graph;
    graph.grow(203);
    for (std::uint64_t boundary = 5; boundary <= 200; boundary += 5) graph.remove(graph.checkpoint_at(boundary));
    graph.remove(graph.record_at(50));
    reader main(*graph.store, "main", graph.time);
    auto const why = graph.must_fail(main.current());
    EXPECT_TRUE(why == errc::history_gap) << why.message();
    EXPECT_EQ(why.why()->key, graph.record_at(50).text());
}

TEST(reading_matrix, hint_far_beyond_a_checkpoint_of_a_graph_without_carry_asks_for_one_interval)
{
    small_graph graph({}, 0);
    graph.grow(23);
    auto const expected = graph.read();
    std::string const greatest = "18446744073709551613";
    for (auto const& hint : {hint_text(23, 5), R"({"seq":)" + greatest + R"(,"checkpoint":5})"}) {
        graph.put(graph.hint_key(), hint);
        auto const now = graph.read();
        EXPECT_EQ(now.at(), expected.at()) << hint;
        EXPECT_LE(now.spent().requests, 30u) << hint;
    }
}

TEST(reading_matrix, lie_at_the_floor_is_found_by_the_records_above_it)
{
    small_graph graph;
    graph.grow(23);
    broken_checkpoints[4].apply(graph, 20);
    prune(graph, 20);
    reader main(*graph.store, "main", graph.time);
    EXPECT_TRUE(graph.must_fail(main.current()) == errc::corrupt);
}

// --- carries ---

struct carry_row {
    char const* name;
    std::function<void(record&)> change;
    bool degraded;
};

carry_row const carries[] = {
    {"absent", [](record& r) { r.carried.reset(); }, false},
    {"absent, and no digest either",
     [](record& r) {
         r.carried.reset();
         r.state_digest.reset();
     },
     false},
    {"without a digest to check it by", [](record& r) { r.state_digest.reset(); }, false},
    {"a head left out", [](record& r) { r.carried->heads.pop_back(); }, true},
    {"another version", [](record& r) { r.carried->heads[0].version->target_version += 1; }, true},
    {"another key", [](record& r) { r.carried->heads[0].table_key = "node:Other"; }, true},
    {"a tombstone that never was",
     [](record& r) {
         tombstone stone;
         stone.table = table(77);
         stone.table_key = "node:Never";
         stone.location = "nowhere";
         stone.seq = sequence(21);
         stone.head_commit_id = r.id;
         r.carried->tombstones.push_back(stone);
     },
     true},
    {"an older base than it was made on", [](record& r) { r.carried->base = sequence(15); }, true},
};

TEST(reading_matrix, carry_that_disagrees_with_the_records_falls_back_to_them)
{
    for (auto const& row : carries) {
        small_graph graph;
        graph.grow(23);
        auto const expected = graph.read();
        graph.rewrite(23, row.change);
        auto const now = graph.read();
        EXPECT_EQ(now.at(), expected.at()) << row.name;
        EXPECT_TRUE(std::ranges::equal(now.heads(), expected.heads())) << row.name;
        EXPECT_EQ(now.state_digest(), expected.state_digest()) << row.name;
        EXPECT_EQ(now.degraded(), row.degraded) << row.name;
    }
}

// RFC 0068's records have neither carry nor digest: the seed's own path.
TEST(reading_matrix, history_without_carries_reads_at_every_seq)
{
    small_graph graph;
    graph.grow(23);
    std::vector<snapshot> then;
    for (std::uint64_t seq = 1; seq <= 23; ++seq) {
        reader main(*graph.store, "main", graph.time);
        then.push_back(graph.must(main.at(sequence(seq))));
    }
    for (std::uint64_t seq = 1; seq <= 23; ++seq) {
        graph.rewrite(seq, [](record& r) {
            r.carried.reset();
            r.state_digest.reset();
        });
    }
    reader main(*graph.store, "main", graph.time);
    auto const now = graph.must(main.current());
    EXPECT_EQ(now.state_digest(), then.back().state_digest());
    EXPECT_LE(now.spent().requests, 3 + (small_graph::interval - 1));
    for (auto const& each : then) EXPECT_EQ(graph.must(main.at(each.seq())).state_digest(), each.state_digest());
}

// --- the chain ---

TEST(reading_matrix, broken_chain_anywhere_in_what_is_folded_names_both_commits)
{
    for (std::uint64_t at : {21, 22, 23}) {
        small_graph graph;
        graph.grow(23);
        for (std::uint64_t seq : {21, 22, 23}) {
            graph.rewrite(seq, [&](record& r) {
                r.carried.reset();
                if (seq == at) r.parent = commit_id(std::string("stranger"));
            });
        }
        reader main(*graph.store, "main", graph.time);
        auto const why = graph.must_fail(main.current());
        EXPECT_TRUE(why == errc::history_gap) << at << ": " << why.message();
        EXPECT_NE(why.message().find("stranger"), std::string::npos) << why.message();
        auto const parent = decode_record(graph.get(graph.record_at(at - 1)).view(), stream_id(), sequence(at - 1));
        EXPECT_NE(why.message().find(parent->id.text()), std::string::npos) << why.message();
        EXPECT_EQ(graph.must(main.at(sequence(20))).seq(), sequence(20)) << "older history reads";
    }
}

}  // namespace
}  // namespace headwater::test
