// The search for the end of the log, against logs of every length and every kind of wrong start.
#include "src/log/tail.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace headwater {
namespace {

using kind = tail_step::kind_type;

struct found {
    sequence newest;
    unsigned probes = 0;
    unsigned lists = 0;
};

// Plays a store whose log has records 1 to `newest` against a search.
found play(tail_search search, sequence newest)
{
    found out;
    for (;;) {
        auto const step = search.next();
        switch (step.kind) {
        case kind::done: out.newest = step.seq; return out;
        case kind::exhausted: ADD_FAILURE() << "exhausted"; return out;
        case kind::probe:
            ++out.probes;
            step.seq <= newest ? search.present(step.seq) : search.absent(step.seq);
            break;
        case kind::list_first:
        case kind::list_all:
            ++out.lists;
            search.listed(newest == sequence() ? std::nullopt : std::optional(newest));
            break;
        }
    }
}

constexpr tail_means ordered{true, true};
constexpr tail_means unordered{false, true};
constexpr tail_means blind{false, false};

unsigned log2_of(std::uint64_t value) { return value < 2 ? 0 : static_cast<unsigned>(std::bit_width(value)) - 1; }

TEST(tail, hint_stale_by_up_to_three_costs_one_probe_more_each)
{
    for (auto const means : {ordered, unordered, blind}) {
        for (std::uint64_t stale = 0; stale <= 3; ++stale) {
            auto const got = play(tail_search::after(sequence(1000 - stale), means), sequence(1000));
            EXPECT_EQ(got.newest, sequence(1000));
            EXPECT_EQ(got.probes, stale + 1);
            EXPECT_EQ(got.lists, 0u);
        }
    }
}

TEST(tail, hint_stale_by_more_costs_one_listing_where_names_are_ordered)
{
    for (std::uint64_t stale : {4, 5, 10, 100, 9'999}) {
        auto const got = play(tail_search::after(sequence(10'000 - stale), ordered), sequence(10'000));
        EXPECT_EQ(got.newest, sequence(10'000)) << stale;
        EXPECT_EQ(got.probes, tail_search::steps_before_jump) << stale;
        EXPECT_EQ(got.lists, 1u) << stale;
    }
}

TEST(tail, hint_stale_by_more_is_doubled_and_bisected_elsewhere)
{
    for (std::uint64_t stale = 4; stale <= 10'000; stale = stale * 3 / 2 + 1) {
        auto const got = play(tail_search::after(sequence(50), blind), sequence(50 + stale));
        EXPECT_EQ(got.newest, sequence(50 + stale)) << stale;
        EXPECT_LE(got.probes, 2 * log2_of(stale) + 6) << stale;
    }
}

TEST(tail, no_hint_costs_one_listing_where_names_are_ordered)
{
    for (std::uint64_t newest : {0, 1, 49, 10'000}) {
        auto const got = play(tail_search::from_floor(sequence(), ordered), sequence(newest));
        EXPECT_EQ(got.newest, sequence(newest));
        EXPECT_EQ(got.probes, 0u);
        EXPECT_EQ(got.lists, 1u);
    }
}

TEST(tail, no_hint_gallops_from_the_floor_elsewhere)
{
    for (std::uint64_t newest = 1; newest <= 100'000; newest = newest * 3 / 2 + 1) {
        for (auto const means : {unordered, blind}) {
            auto const got = play(tail_search::from_floor(sequence(), means), sequence(newest));
            EXPECT_EQ(got.newest, sequence(newest));
            EXPECT_LE(got.probes, 2 * log2_of(newest) + 2) << newest;
            EXPECT_EQ(got.lists, means.list_allowed ? 1u : 0u);
        }
    }
}

TEST(tail, floor_alone_tells_of_nothing_later_so_a_listing_confirms_the_end)
{
    for (std::uint64_t newest : {50, 51, 53, 60, 10'000}) {
        for (auto const means : {ordered, unordered, blind}) {
            auto const got = play(tail_search::after_floor(sequence(50), means), sequence(newest));
            EXPECT_EQ(got.newest, sequence(newest));
            EXPECT_EQ(got.lists, means.list_allowed ? 1u : 0u) << newest;
        }
    }
    auto hole = tail_search::after_floor(sequence(50), ordered);
    hole.present(sequence(51));
    hole.absent(sequence(52));
    ASSERT_EQ(hole.next().kind, kind::list_first);
    hole.listed(sequence(70));
    EXPECT_EQ(hole.next(), (tail_step{kind::done, sequence(70)}));
}

TEST(tail, nothing_at_the_first_slot_is_checked_by_a_full_listing)
{
    auto const empty = play(tail_search::from_floor(sequence(), unordered), sequence());
    EXPECT_EQ(empty.newest, sequence());
    EXPECT_EQ(empty.probes, 1u);
    EXPECT_EQ(empty.lists, 1u);

    // A lost first record must not hide the log behind it.
    auto search = tail_search::from_floor(sequence(), unordered);
    search.absent(sequence(1));
    ASSERT_EQ(search.next().kind, kind::list_all);
    search.listed(sequence(7));
    EXPECT_NE(search.next(), (tail_step{kind::done, sequence()}));
}

TEST(tail, listing_that_knows_less_than_the_probes_does_not_end_the_search)
{
    for (std::optional<sequence> const stale : {std::optional<sequence>(), std::optional(sequence(3))}) {
        auto search = tail_search::after(sequence(100), ordered);
        for (std::uint64_t seq = 101; seq <= 104; ++seq) search.present(sequence(seq));
        ASSERT_EQ(search.next().kind, kind::list_first);
        search.listed(stale);
        EXPECT_EQ(search.next().kind, kind::probe);
        EXPECT_EQ(play(search, sequence(150)).newest, sequence(150));
    }
}

TEST(tail, refused_listing_is_replaced_by_probes)
{
    auto search = tail_search::from_floor(sequence(), ordered);
    ASSERT_EQ(search.next().kind, kind::list_first);
    search.listing_refused();
    auto const got = play(search, sequence(77));
    EXPECT_EQ(got.newest, sequence(77));
    EXPECT_EQ(got.lists, 0u);
}

TEST(tail, greatest_sequence_is_an_end)
{
    auto const at_end = play(tail_search::after(last_sequence, blind), last_sequence);
    EXPECT_EQ(at_end.newest, last_sequence);
    auto const far = play(tail_search::from_floor(sequence(), blind), last_sequence);
    EXPECT_EQ(far.newest, last_sequence);
}

TEST(tail, contradicting_store_exhausts_the_budget)
{
    auto search = tail_search::after(sequence(5), blind);
    unsigned steps = 0;
    while (search.next().kind == kind::probe && ++steps < 1'000) {
        // Everything is present for ever, but the answers name one slot only.
        search.present(sequence(6));
    }
    EXPECT_EQ(search.next().kind, kind::exhausted);
}

}  // namespace
}  // namespace headwater
