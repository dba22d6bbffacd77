// What the branch verbs answer.
#include "tools/headwater/print_branches.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace headwater::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr char const* life = "review/2026.01ARZ3NDEKTSV4RRFFQ69G5FAV";

stream_metadata a_child()
{
    stream_metadata out;
    out.logical = "review/2026";
    out.stream = life;
    out.creator = "headwater";
    out.created_at = 1'757'900'000'000;
    out.floor = sequence(7);
    stream_metadata::parent_type parent;
    parent.stream = "main";
    parent.seq = sequence(7);
    out.parent = parent;
    return out;
}

stream_metadata the_main()
{
    stream_metadata out;
    out.logical = out.stream = "main";
    out.creator = "headwater";
    out.created_at = 1'757'900'000'000;
    return out;
}

TEST(branch_created, names_parent_and_life)
{
    auto child = a_child();
    EXPECT_EQ(branch_created_text(child), "branch review/2026 of main at 7, stream " + std::string(life) + "\n");
    auto const body = json::parse(branch_created_json(child, cost()));
    EXPECT_EQ(body.at("branch"), "review/2026");
    EXPECT_EQ(body.at("stream"), life);
    EXPECT_EQ(body.at("parent").dump(), R"({"stream":"main","seq":7,"commit_id":null})");
    EXPECT_EQ(body.at("floor"), 7);
    EXPECT_TRUE(body.contains("cost"));
    child.parent->id = commit_id(std::string("01K"));
    EXPECT_EQ(json::parse(branch_created_json(child, cost())).at("parent").at("commit_id"), "01K");
}

TEST(branch_list, has_a_row_for_each_and_aligns_them)
{
    EXPECT_EQ(branch_list_text({the_main(), a_child()}),
              "main         -          2025-09-15T01:33:20.000Z  headwater\n"
              "review/2026  main at 7  2025-09-15T01:33:20.000Z  headwater\n");
    auto const body = json::parse(branch_list_json({the_main(), a_child()}, cost()));
    ASSERT_EQ(body.at("branches").size(), 2u);
    EXPECT_TRUE(body.at("branches")[0].at("parent").is_null());
    EXPECT_EQ(branch_list_text({}), "");
    EXPECT_EQ(json::parse(branch_list_json({}, cost())).at("branches"), json::array());
}

TEST(branch_list, names_cannot_draw_on_the_terminal)
{
    auto child = a_child();
    child.creator = "\x1b[2J";
    EXPECT_NE(branch_list_text({child}).find("\\x1b[2J"), std::string::npos);
}

TEST(branch_deleted, says_where_it_ended)
{
    auto child = a_child();
    stream_metadata::retired_type end;
    end.final_seq = sequence(9);
    child.retired = end;
    EXPECT_EQ(branch_deleted_text(child), "branch review/2026 ended at seq 9, stream " + std::string(life) + "\n");
    auto const body = json::parse(branch_deleted_json(child, cost()));
    EXPECT_EQ(body.at("final_seq"), 9);
    EXPECT_EQ(body.at("branch"), "review/2026");
}

TEST(branch_merged, tells_outcome_and_both_ends)
{
    merge_receipt done;
    done.outcome = merge_receipt::outcome_type::merged;
    done.at.seq = sequence(12);
    done.at.id = commit_id(std::string("01T"));
    done.source.stream = *stream_id::parse(life);
    done.source.seq = sequence(9);
    done.source.id = commit_id(std::string("01S"));
    done.attempts = 1;
    auto const text = branch_merged_text(done, false);
    EXPECT_EQ(text, "merged: " + std::string(life) + " at 9, main is at 12 01T\n");
    EXPECT_TRUE(branch_merged_text(done, true).ends_with("; the source was deleted\n"));
    auto const body = json::parse(branch_merged_json(done, true, cost()));
    EXPECT_EQ(body.at("outcome"), "merged");
    EXPECT_EQ(body.at("source").at("commit_id"), "01S");
    EXPECT_TRUE(body.at("base").is_null());
    EXPECT_EQ(body.at("source_deleted"), true);
}

}  // namespace
}  // namespace headwater::cli
