// Two states side by side.
#include "src/log/heads.hpp"
#include "tests/support/builders.hpp"

#include <headwater/diff.hpp>

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

head_table after(std::vector<intent> const& commits)
{
    head_table out;
    std::uint64_t seq = 0;
    for (auto const& each : commits) {
        ++seq;
        auto const done = out.change(head_changes::of(each), sequence(seq), commit_id("c" + std::to_string(seq)),
                                     errc::invalid_argument);
        EXPECT_TRUE(done) << done.error().message();
    }
    return out;
}

intent pinning(table_identity who, std::string key, std::uint64_t version)
{
    intent out;
    out.pins.push_back(a_pin(who, std::move(key), version));
    return out;
}

std::vector<intent> const beginning = {a_first_version(table(1), "node:A"), a_first_version(table(2), "node:B")};

std::vector<table_change> diff_by(std::vector<intent> const& more)
{
    auto all = beginning;
    all.insert(all.end(), more.begin(), more.end());
    return diff(after(beginning).heads(), after(all).heads());
}

TEST(diff, equal_states_have_no_changes) { EXPECT_TRUE(diff_by({}).empty()); }

TEST(diff, rename_is_one_change_of_one_identity)
{
    intent renaming;
    renaming.renames.push_back(a_rename(table(1), "node:A", "node:C"));
    auto const changes = diff_by({renaming});
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_TRUE(changes[0].renamed());
    EXPECT_FALSE(changes[0].added() || changes[0].removed() || changes[0].repinned());
}

TEST(diff, rename_and_back_is_no_change)
{
    intent there;
    there.renames.push_back(a_rename(table(1), "node:A", "node:C"));
    intent back;
    back.renames.push_back(a_rename(table(1), "node:C", "node:A"));
    EXPECT_TRUE(diff_by({there, back}).empty());
}

TEST(diff, drop_and_re_creation_under_one_key_are_two_lives)
{
    intent dropping;
    dropping.tombstones.push_back(a_drop(table(1), "node:A"));
    for (auto const reborn : {table(1, 2), table(3)}) {
        auto const changes = diff_by({dropping, a_first_version(reborn, "node:A")});
        ASSERT_EQ(changes.size(), 2u);
        EXPECT_TRUE(changes[0].removed());
        EXPECT_EQ(changes[0].table, table(1));
        EXPECT_TRUE(changes[1].added());
        EXPECT_EQ(changes[1].table, reborn);
    }
}

TEST(diff, pin_move_and_owner_hand_off_are_told_apart)
{
    auto const moved = diff_by({pinning(table(1), "node:A", 2)});
    ASSERT_EQ(moved.size(), 1u);
    EXPECT_TRUE(moved[0].repinned());
    EXPECT_FALSE(moved[0].handed_off());

    auto handing = pinning(table(1), "node:A", 1);
    handing.pins[0].version.table_branch = "review";
    auto const handed = diff_by({handing});
    ASSERT_EQ(handed.size(), 1u);
    EXPECT_TRUE(handed[0].handed_off());
    EXPECT_FALSE(handed[0].repinned());
}

}  // namespace
}  // namespace headwater::test
