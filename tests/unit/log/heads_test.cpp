// Every state of a head against every event of FORMAT section 5.
#include "src/log/heads.hpp"
#include "tests/support/builders.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace headwater {
namespace {

using namespace headwater::test;

commit_id const commit_1(std::string("c1"));
commit_id const commit_2(std::string("c2"));

// Identity 7/1 is live as node:A at version 3; 8/1 is live as node:B, never pinned.
head_table two_tables()
{
    head_table out;
    intent first;
    first.registrations = {a_registration(table(7), "node:A"), a_registration(table(8), "node:B")};
    first.pins = {a_pin(table(7), "node:A", 3)};
    auto done = out.change(head_changes::of(first), sequence(1), commit_1, errc::invalid_argument);
    EXPECT_TRUE(done) << done.error().message();
    return out;
}

struct row {
    char const* name;
    std::function<void(intent&)> event;
    char const* refusal;  // Null: allowed.
};

row const rows[] = {
    {"register an absent identity", [](intent& i) { i.registrations = {a_registration(table(9), "node:C")}; }, nullptr},
    {"register a live identity again", [](intent& i) { i.registrations = {a_registration(table(7), "node:C")}; },
     "is live already"},
    {"register a second incarnation", [](intent& i) { i.registrations = {a_registration(table(7, 2), "node:C")}; },
     "is live already"},
    {"register under a taken key", [](intent& i) { i.registrations = {a_registration(table(9), "node:A")}; }, "node:A"},
    {"pin a newer version", [](intent& i) { i.pins = {a_pin(table(7), "node:A", 4)}; }, nullptr},
    {"pin an equal version on another owner branch",
     [](intent& i) {
         i.pins = {a_pin(table(7), "node:A", 3)};
         i.pins[0].version.table_branch = "b";
     },
     nullptr},
    {"pin a never pinned table", [](intent& i) { i.pins = {a_pin(table(8), "node:B", 1)}; }, nullptr},
    {"pin an absent identity", [](intent& i) { i.pins = {a_pin(table(9), "node:C", 1)}; }, "is not live"},
    {"pin another incarnation", [](intent& i) { i.pins = {a_pin(table(7, 2), "node:A", 4)}; }, "7/1 is"},
    {"pin under another key", [](intent& i) { i.pins = {a_pin(table(7), "node:B", 4)}; }, "is called node:A"},
    {"pin twice",
     [](intent& i) {
         i.pins = {a_pin(table(7), "node:A", 4), a_pin(table(7), "node:A", 5)};
     },
     "stands twice"},
    {"rename to a free key", [](intent& i) { i.renames = {a_rename(table(7), "node:A", "node:C")}; }, nullptr},
    {"rename to a taken key", [](intent& i) { i.renames = {a_rename(table(7), "node:A", "node:B")}; }, "node:B"},
    {"swap two keys",
     [](intent& i) {
         i.renames = {a_rename(table(7), "node:A", "node:B"), a_rename(table(8), "node:B", "node:A")};
     },
     nullptr},
    {"rename from another key", [](intent& i) { i.renames = {a_rename(table(7), "node:X", "node:C")}; },
     "is called node:A"},
    {"rename an absent identity", [](intent& i) { i.renames = {a_rename(table(9), "node:C", "node:D")}; },
     "is not live"},
    {"rename, then pin under the new key",
     [](intent& i) {
         i.renames = {a_rename(table(7), "node:A", "node:C")};
         i.pins = {a_pin(table(7), "node:C", 4)};
     },
     nullptr},
    {"drop a live identity", [](intent& i) { i.tombstones = {a_drop(table(7), "node:A")}; }, nullptr},
    {"drop an absent identity", [](intent& i) { i.tombstones = {a_drop(table(9), "node:C")}; }, "is not live"},
    {"drop under another key", [](intent& i) { i.tombstones = {a_drop(table(7), "node:B")}; }, "is called node:A"},
    {"drop and pin in one record",
     [](intent& i) {
         i.tombstones = {a_drop(table(7), "node:A")};
         i.pins = {a_pin(table(7), "node:A", 9)};
     },
     "is not live"},
    {"drop and re-create under the same key",
     [](intent& i) {
         i.tombstones = {a_drop(table(7), "node:A")};
         i.registrations = {a_registration(table(9), "node:A")};
     },
     nullptr},
    {"drop and re-create with another incarnation",
     [](intent& i) {
         i.tombstones = {a_drop(table(7), "node:A")};
         i.registrations = {a_registration(table(7, 2), "node:A")};
     },
     nullptr},
    {"drop and re-create the same identity",
     [](intent& i) {
         i.tombstones = {a_drop(table(7), "node:A")};
         i.registrations = {a_registration(table(7), "node:A")};
     },
     "was used before"},
};

struct transition_row {
    head_state state;
    head_verdict registration, pin, hand_off, rename, drop;
};

TEST(head_transition, every_event_in_every_state_has_one_verdict)
{
    using enum head_verdict;
    transition_row const table_of_verdicts[] = {
        // state                         registration  pin        hand_off   rename     drop
        {head_state::absent, allowed, not_live, not_live, not_live, not_live},
        {head_state::live, live_already, allowed, allowed, allowed, allowed},
        {head_state::live_as_other_key, live_already, other_key, other_key, other_key, other_key},
        {head_state::other_incarnation, live_already, not_live, not_live, not_live, not_live},
        {head_state::tombstoned, used_before, not_live, not_live, not_live, not_live},
    };
    for (auto const& row : table_of_verdicts) {
        SCOPED_TRACE(static_cast<int>(row.state));
        EXPECT_EQ(judge(row.state, head_event::registration), row.registration);
        EXPECT_EQ(judge(row.state, head_event::pin), row.pin);
        EXPECT_EQ(judge(row.state, head_event::hand_off), row.hand_off);
        EXPECT_EQ(judge(row.state, head_event::rename), row.rename);
        EXPECT_EQ(judge(row.state, head_event::drop), row.drop);
    }
}

TEST(heads, each_transition_is_allowed_or_refused)
{
    for (auto const& each : rows) {
        auto heads = two_tables();
        intent wanted;
        each.event(wanted);
        auto const done = heads.change(head_changes::of(wanted), sequence(2), commit_2, errc::invalid_argument);
        if (!each.refusal) {
            EXPECT_TRUE(done) << each.name << ": " << done.error().message();
        } else {
            ASSERT_FALSE(done) << each.name;
            EXPECT_TRUE(done.error() == errc::invalid_argument);
            EXPECT_NE(done.error().message().find(each.refusal), std::string::npos)
                << each.name << ": " << done.error().message();
        }
    }
}

TEST(heads, digest_follows_every_allowed_change)
{
    for (auto const& each : rows) {
        if (each.refusal) continue;
        auto heads = two_tables();
        intent wanted;
        each.event(wanted);
        auto const done = heads.change(head_changes::of(wanted), sequence(2), commit_2, errc::invalid_argument);
        ASSERT_TRUE(done) << each.name;
        EXPECT_EQ(heads.digest(), head_table(heads.heads()).digest()) << each.name;
    }
}

TEST(heads, drop_leaves_a_tombstone_with_the_final_state)
{
    auto heads = two_tables();
    intent wanted;
    wanted.tombstones = {a_drop(table(7), "node:A")};
    auto const done = heads.change(head_changes::of(wanted), sequence(2), commit_2, errc::invalid_argument);
    ASSERT_TRUE(done);
    ASSERT_EQ(done->dropped.size(), 1u);
    tombstone const& stone = done->dropped[0];
    EXPECT_EQ(stone.table, table(7));
    EXPECT_EQ(stone.target_version, 3u);
    EXPECT_EQ(stone.seq, sequence(2));
    EXPECT_EQ(stone.head_commit_id, commit_2);
    EXPECT_EQ(heads.find(7), nullptr);
}

TEST(heads, rename_keeps_identity_and_version)
{
    auto heads = two_tables();
    intent wanted;
    wanted.renames = {a_rename(table(7), "node:A", "node:C")};
    ASSERT_TRUE(heads.change(head_changes::of(wanted), sequence(2), commit_2, errc::invalid_argument));
    head const* renamed = heads.find(7);
    ASSERT_NE(renamed, nullptr);
    EXPECT_EQ(renamed->table_key, "node:C");
    EXPECT_EQ(renamed->version->target_version, 3u);
    EXPECT_EQ(renamed->pinned_seq, sequence(1));
    EXPECT_EQ(renamed->head_commit_id, commit_2);
}

TEST(heads, unknown_members_reach_the_head_last_one_of_a_name_wins)
{
    auto heads = two_tables();
    intent first;
    first.pins = {a_pin(table(7), "node:A", 4)};
    first.pins[0].unknown = {{"x", R"("x":1)"}, {"location", R"("location":"evil")"}, {"y", R"("y":2)"}};
    ASSERT_TRUE(heads.change(head_changes::of(first), sequence(2), commit_2, errc::invalid_argument));
    intent second;
    second.pins = {a_pin(table(7), "node:A", 5)};
    second.pins[0].unknown = {{"x", R"("x": 3)"}};
    ASSERT_TRUE(heads.change(head_changes::of(second), sequence(3), commit_2, errc::invalid_argument));
    std::vector<unknown_member> const expected = {{"x", R"("x": 3)"}, {"y", R"("y":2)"}};
    EXPECT_EQ(heads.find(7)->unknown, expected);
    EXPECT_EQ(heads.find(7)->location, "nodes/7-1");
}

}  // namespace
}  // namespace headwater
