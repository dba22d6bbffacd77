// The grammar of the command line.
#include "tools/headwater/arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headwater::cli {
namespace {

auto parse(std::vector<char const*> words)
{
    words.insert(words.begin(), "headwater");
    return parse_arguments(static_cast<int>(words.size()), words.data());
}

template <class T>
T parsed(std::vector<char const*> const& words, common_arguments* common = nullptr)
{
    auto const out = parse(words);
    auto const* const good = std::get_if<arguments>(&out);
    if (!good) throw std::logic_error(std::get<usage_error>(out).message);
    if (common) *common = good->common;
    return std::get<T>(good->wanted);
}

TEST(arguments, empty_value_takes_no_other_word)
{
    common_arguments common;
    auto const create =
        parsed<create_arguments>({"commit", "create", "g", "--file", "-", "--expect=", "--json"}, &common);
    EXPECT_EQ(create.expect, "");
    EXPECT_TRUE(common.json);
    (void)parsed<create_arguments>({"commit", "create", "g", "--file", "-", "--branch=", "--json"}, &common);
    EXPECT_EQ(common.branch, "");
    EXPECT_TRUE(common.json);
}

TEST(arguments, nothing_but_the_graph_takes_the_defaults)
{
    common_arguments common;
    auto const demo = parsed<demo_arguments>({"demo", "s3://bucket/p"}, &common);
    EXPECT_EQ(common.graph, "s3://bucket/p");
    EXPECT_EQ(common.branch, "main");
    EXPECT_FALSE(common.json || common.cost || common.quiet);
    EXPECT_EQ(demo.tables, 217u);
    EXPECT_EQ(demo.commits, 1000u);
    EXPECT_EQ(demo.seed, 1u);
    EXPECT_EQ(parsed<list_arguments>({"commit", "list", "g"}).limit, 20u);
    EXPECT_EQ(parsed<init_arguments>({"init", "g"}).checkpoint_interval, default_checkpoint_interval);
    EXPECT_EQ(parsed<init_arguments>({"init", "g"}).carry_limit, default_carry_limit);
    EXPECT_FALSE(parsed<snapshot_arguments>({"snapshot", "g"}).at);
}

TEST(arguments, flags_may_stand_anywhere)
{
    common_arguments common;
    auto const shown =
        parsed<show_arguments>({"commit", "show", "--json", "g", "12", "--branch", "review/2026", "--cost"}, &common);
    EXPECT_EQ(common.graph, "g");
    EXPECT_EQ(shown.commit, "12");
    EXPECT_EQ(common.branch, "review/2026");
    EXPECT_TRUE(common.json && common.cost);
}

TEST(arguments, numbers_are_exact_over_u64)
{
    EXPECT_EQ(parsed<demo_arguments>({"demo", "g", "--seed", "18446744073709551615"}).seed, 18446744073709551615u);
    EXPECT_EQ(parsed<demo_arguments>({"demo", "g", "--seed", "9223372036854775901"}).seed, 9223372036854775901u);
}

TEST(arguments, expecting_nothing_is_not_expecting_the_empty_graph)
{
    EXPECT_FALSE(parsed<create_arguments>({"commit", "create", "g", "--file", "-"}).expect);
    EXPECT_EQ(parsed<create_arguments>({"commit", "create", "g", "--file", "-", "--expect", ""}).expect, "");
    EXPECT_EQ(parsed<create_arguments>({"commit", "create", "g", "--file=-", "--expect=01K"}).expect, "01K");
}

TEST(arguments, branch_verbs_name_their_branches)
{
    auto const created = parsed<branch_create_arguments>({"branch", "create", "g", "review/2026"});
    EXPECT_EQ(created.name, "review/2026");
    EXPECT_EQ(created.from, "main");
    EXPECT_FALSE(created.at);
    auto const child =
        parsed<branch_create_arguments>({"branch", "create", "g", "--from", "review", "--at", "7", "child"});
    EXPECT_EQ(child.name, "child");
    EXPECT_EQ(child.from, "review");
    EXPECT_EQ(child.at, "7");
    EXPECT_EQ(parsed<branch_delete_arguments>({"branch", "delete", "g", "review"}).name, "review");
    (void)parsed<branch_list_arguments>({"branch", "list", "g"});
}

TEST(arguments, merge_goes_into_main_unless_told_otherwise)
{
    auto const merged = parsed<branch_merge_arguments>({"branch", "merge", "g", "review"});
    EXPECT_EQ(merged.source, "review");
    EXPECT_EQ(merged.into, "main");
    EXPECT_FALSE(merged.delete_branch);
    auto const other =
        parsed<branch_merge_arguments>({"branch", "merge", "g", "main", "--into", "review", "--delete-branch"});
    EXPECT_EQ(other.source, "main");
    EXPECT_EQ(other.into, "review");
    EXPECT_TRUE(other.delete_branch);
}

TEST(arguments, cleanup_takes_what_it_is_told)
{
    auto const cleanup = parsed<cleanup_arguments>(
        {"cleanup", "g", "--keep", "10", "--older-than", "7d", "--confirm", "--wait", "--roots", "./-"});
    EXPECT_EQ(cleanup.keep, 10u);
    EXPECT_EQ(cleanup.older_than, std::chrono::hours(7 * 24));
    EXPECT_TRUE(cleanup.confirm && cleanup.wait);
    EXPECT_FALSE(cleanup.quiesced);
    EXPECT_EQ(cleanup.roots, "./-");
}

std::string refusal(std::vector<char const*> const& words)
{
    auto const out = parse(words);
    auto const* const wrong = std::get_if<usage_error>(&out);
    return wrong ? wrong->message : "it was understood";
}

TEST(arguments, refusal_names_the_words_and_the_help_that_helps)
{
    EXPECT_EQ(refusal({"frobnicate", "g"}), "there is no verb frobnicate; see headwater --help");
    EXPECT_EQ(refusal({"branch", "rename", "g"}), "there is no verb rename; see headwater branch --help");
    EXPECT_EQ(refusal({}), "a verb is missing; see headwater --help");
    EXPECT_EQ(refusal({"heads"}), "a verb is missing; see headwater heads --help");
    EXPECT_EQ(refusal({"snapshot", "g", "--colour", "red"}),
              "not understood: --colour red; see headwater snapshot --help");
    EXPECT_EQ(refusal({"--json", "snapshot", "g"}),
              "not understood: --json (options follow the verb); see headwater snapshot --help");
    EXPECT_EQ(refusal({"commit", "--branch", "b", "list", "g"}),
              "not understood: --branch b (options follow the verb); see headwater commit list --help");
    EXPECT_EQ(refusal({"snapshot", "g", "--json=false"}), "--json takes no value; see headwater snapshot --help");
    EXPECT_EQ(refusal({"serve"}), "serve is not available in this version; see headwater serve --help");
    EXPECT_EQ(refusal({"serve", "g", "--port", "80"}), refusal({"serve"}));
}

TEST(arguments, what_is_about_the_whole_graph_takes_no_branch)
{
    for (auto const& words : std::vector<std::vector<char const*>>{{"init", "g"},
                                                                   {"cleanup", "g"},
                                                                   {"verify", "g"},
                                                                   {"repair", "g"},
                                                                   {"presign", "g", "key"},
                                                                   {"resolve", "g", "token"},
                                                                   {"branch", "list", "g"}}) {
        auto with_branch = words;
        with_branch.insert(with_branch.end(), {"--branch", "review"});
        EXPECT_TRUE(refusal(with_branch).starts_with("not understood: --branch review;")) << refusal(with_branch);
    }
}

TEST(arguments, contradictions_and_repetitions_are_refused)
{
    std::vector<std::vector<char const*>> const lines = {
        {"cleanup", "g", "--keep", "1", "--confirm", "--quiesced", "--wait"},
        {"cleanup", "g", "--keep", "1", "--wait"},
        {"cleanup", "g", "--keep", "1", "--keep", "2"},
        {"cleanup", "g", "--roots", "-"},
        {"cleanup", "g", "--roots="},
        {"conform", "s3://b", "--junit", "-"},
        {"changes", "poll", "g", "--start", "now", "--cursor", "c"},
        {"snapshot", "g", "--at", "1", "--at", "2"},
        {"snapshot", "g", "--json=3"},
        {"repair", "g", "--confirm=false"},
        {"bench", "g", "--rounds", "0"},
        {"bench", "g", "--size", "16777217"},
        {"branch", "merge", "g"},
        {"branch", "create", "g"},
        {"branch", "delete", "g", "a", "b"},
    };
    for (auto const& line : lines) {
        std::string all;
        for (auto const* word : line) all += std::string(word) + ' ';
        EXPECT_NE(refusal(line), "it was understood") << all;
    }
}

TEST(arguments, senseless_lines_are_usage_errors_in_one_line)
{
    std::vector<std::vector<char const*>> const lines = {
        {},
        {"frobnicate"},
        {"commit"},
        {"commit", "list"},
        {"snapshot"},
        {"snapshot", "g", "--colour"},
        {"snapshot", "g", "surplus"},
        {"snapshot", "g", "--at"},
        {"commit", "create", "g"},
        {"commit", "list", "g", "--limit", "many"},
        {"commit", "list", "g", "--limit", "-1"},
        {"commit", "list", "g", "--limit", "18446744073709551616"},
        {"demo", "g", "--tables", "0"},
        {"demo", "g", "--commits", "0"},
        {"demo", "g", "--commits", "1.5"},
    };
    for (auto const& line : lines) {
        auto const out = parse(line);
        std::string all;
        for (auto const* word : line) all += std::string(word) + ' ';
        auto const* const wrong = std::get_if<usage_error>(&out);
        ASSERT_TRUE(wrong) << all;
        EXPECT_FALSE(wrong->message.empty()) << all;
        EXPECT_EQ(wrong->message.find('\n'), std::string::npos) << all;
        EXPECT_FALSE(wrong->json) << all;
    }
}

TEST(arguments, usage_error_knows_that_json_was_wanted)
{
    EXPECT_TRUE(std::get<usage_error>(parse({"snapshot", "--json"})).json);
    EXPECT_TRUE(std::get<usage_error>(parse({"frobnicate", "--json"})).json);
}

TEST(arguments, help_is_no_error)
{
    for (auto const& line : {std::vector{"--help"}, std::vector{"snapshot", "--help"}, std::vector{"--version"}}) {
        EXPECT_TRUE(std::holds_alternative<help_text>(parse(line)));
    }
}

TEST(point, digits_are_a_seq)
{
    EXPECT_EQ(parse_point("437").value(), point(sequence(437)));
    EXPECT_EQ(parse_point("0").value(), point(sequence(0)));
    EXPECT_EQ(parse_point("18446744073709551615").value(), point(sequence(18446744073709551615u)));
}

TEST(point, anything_else_is_a_commit_id)
{
    for (std::string const id : {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "00000000000000000000000000", "gc-17", "2026-review"}) {
        EXPECT_EQ(parse_point(id).value(), point(commit_id(id))) << id;
    }
}

TEST(point, time_is_one)
{
    auto const out = parse_point("2025-09-15T01:33:20Z");
    ASSERT_TRUE(out);
    EXPECT_EQ(std::get<time_ms>(*out).time_since_epoch().count(), 1'757'900'000'000);
}

TEST(point, nonsense_is_refused)
{
    for (std::string_view const text : {"", "18446744073709551616", "2026-01-02", "2026-13-02T03:04:05Z"}) {
        auto const out = parse_point(text);
        ASSERT_FALSE(out) << text;
        EXPECT_EQ(out.error(), errc::invalid_argument) << text;
    }
}

}  // namespace
}  // namespace headwater::cli
