// What scripts and people read.
#include "tools/headwater/print.hpp"
#include "tools/headwater/progress.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace headwater::cli {
namespace {

using json = nlohmann::ordered_json;

TEST(exit_code, follows_what_the_caller_can_do)
{
    struct row {
        errc code;
        exit_code expected;
    };
    constexpr row rows[] = {
        {errc::not_found, exit_code::not_found},     {errc::branch_not_found, exit_code::not_found},
        {errc::pruned, exit_code::not_found},        {errc::conflict, exit_code::conflict},
        {errc::already_exists, exit_code::conflict}, {errc::branch_exists, exit_code::conflict},
        {errc::merge_conflict, exit_code::conflict}, {errc::precondition_failed, exit_code::conflict},
        {errc::outcome_unknown, exit_code::unknown}, {errc::corrupt, exit_code::corrupt},
        {errc::history_gap, exit_code::corrupt},     {errc::invalid_argument, exit_code::usage},
        {errc::unavailable, exit_code::failure},     {errc::access_denied, exit_code::failure},
        {errc::configuration, exit_code::failure},   {errc::limit_exceeded, exit_code::failure},
        {errc::protocol, exit_code::failure},        {errc::unsupported, exit_code::failure},
    };
    for (auto const& [code, expected] : rows) EXPECT_EQ(exit_code_of(code), expected) << to_string(code);
    EXPECT_EQ(exit_code_of(error_code(5, boost::system::system_category())), exit_code::failure);
    // What a cleanup may have taken from a merge is no corruption.
    diagnostics why;
    why.facts = {{"missing_commit", "01K"}};
    EXPECT_EQ(exit_code_of(error(errc::history_gap, why)), exit_code::conflict);
}

error full_error()
{
    diagnostics why("put_if_absent", "_graph/main/1.commit", "no answer\ncame");
    why.store = "s3://bucket/p";
    why.status = 503;
    why.service_code = "SlowDown";
    why.request_id = "tx01";
    why.attempts = 3;
    why.facts = {{"resume", "1.01K.ab.main"}};
    return {errc::outcome_unknown, why};
}

TEST(error_json, has_every_fact_in_one_line)
{
    auto const text = error_json(full_error());
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    auto const body = json::parse(text).at("error");
    EXPECT_EQ(body.begin().key(), "code");
    EXPECT_EQ(body.at("code"), "outcome_unknown");
    EXPECT_NE(body.at("message").get<std::string>().find("no answer"), std::string::npos);
    EXPECT_EQ(body.at("operation"), "put_if_absent");
    EXPECT_EQ(body.at("key"), "_graph/main/1.commit");
    EXPECT_EQ(body.at("store"), "s3://bucket/p");
    EXPECT_EQ(body.at("status"), 503);
    EXPECT_EQ(body.at("service_code"), "SlowDown");
    EXPECT_EQ(body.at("request_id"), "tx01");
    EXPECT_EQ(body.at("attempts"), 3);
    EXPECT_EQ(body.at("resume"), "1.01K.ab.main");
}

TEST(error_json, says_nothing_that_it_does_not_know)
{
    EXPECT_EQ(error_json(errc::not_found), "{\"error\":{\"code\":\"not_found\",\"message\":\"not found\"}}\n");
    EXPECT_EQ(usage_json("say \"what\""), "{\"error\":{\"code\":\"usage\",\"message\":\"say \\\"what\\\"\"}}\n");
}

TEST(error_json, bytes_that_are_no_text_do_not_break_it)
{
    EXPECT_TRUE(json::accept(error_json(error(errc::invalid_argument, "cannot read \xff\xfe"))));
}

TEST(error_line, is_one_line_with_code_and_facts)
{
    auto const text = error_line(full_error());
    EXPECT_TRUE(text.starts_with("headwater: outcome_unknown: ")) << text;
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    EXPECT_NE(text.find("resume=1.01K.ab.main"), std::string::npos);
}

TEST(printable, spells_control_characters_and_keeps_the_rest)
{
    EXPECT_EQ(printable("node:Größe"), "node:Größe");
    EXPECT_EQ(printable("a\x1b[2Jb\n\x7f"), "a\\x1b[2Jb\\x0a\\x7f");
}

TEST(rfc3339, spells_milliseconds)
{
    EXPECT_EQ(rfc3339(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(rfc3339(1'757'900'000'007), "2025-09-15T01:33:20.007Z");
    EXPECT_EQ(rfc3339(1'709'164'800'000), "2024-02-29T00:00:00.000Z");
    EXPECT_EQ(rfc3339(18446744073709551615u), rfc3339(max_created_at_ms));
}

TEST(cost_line, counts_in_words)
{
    cost spent;
    spent.requests = 3;
    spent.open_requests = 2;
    spent.attempts = 5;
    spent.rounds = 2;
    spent.bytes_read = 80'123;
    EXPECT_EQ(cost_line(spent), "cost: 3 requests in 2 rounds (+2 to open), 80 KB read\n");
    spent = cost();
    spent.requests = spent.rounds = 1;
    spent.attempts = 4;
    spent.bytes_written = 999;
    EXPECT_EQ(cost_line(spent), "cost: 1 request in 1 round, 3 sent again, 999 bytes written\n");
}

TEST(receipt_json, is_exact)
{
    commit_receipt receipt;
    receipt.at.seq = sequence(9223372036854775901u);
    receipt.at.id = commit_id(std::string("01K"));
    receipt.attempts = 2;
    receipt.spent.requests = 4;
    EXPECT_EQ(receipt_json(receipt),
              "{\"seq\":9223372036854775901,\"commit_id\":\"01K\",\"stream\":\"main\",\"attempts\":2,"
              "\"cost\":{\"requests\":4,\"open_requests\":0,\"attempts\":0,\"rounds\":0,\"bytes_read\":0,"
              "\"bytes_written\":0}}\n");
    EXPECT_EQ(receipt_line(receipt), "seq 9223372036854775901  01K\n");
}

TEST(record_line, tells_who_and_what)
{
    record one;
    one.seq = sequence(7);
    one.id = commit_id(std::string("01K"));
    one.created_at = 1'757'900'000'000;
    EXPECT_EQ(record_line(one), "7 01K 2025-09-15T01:33:20.000Z no change\n");
    one.actor = "act-x";
    one.pins.resize(2);
    one.registrations.resize(1);
    EXPECT_EQ(record_line(one), "7 01K 2025-09-15T01:33:20.000Z actor=act-x 2 pins, 1 registration\n");
}

TEST(snapshot_json, of_the_empty_graph_has_nulls)
{
    auto const body = json::parse(snapshot_json("memory:", "main", snapshot()));
    EXPECT_EQ(body.at("graph"), "memory:");
    EXPECT_EQ(body.at("seq"), 0);
    EXPECT_TRUE(body.at("commit_id").is_null());
    EXPECT_TRUE(body.at("schema").is_null());
    EXPECT_TRUE(body.at("tables").empty());
    EXPECT_EQ(body.at("state_digest").get<std::string>().size(), 64u);
    EXPECT_FALSE(body.contains("degraded"));
}

TEST(progress_line, fills_with_the_work_done)
{
    using namespace std::chrono_literals;
    EXPECT_EQ(progress_line(0, 10, 0s), "[................................] 0/10 commits, 0/s");
    EXPECT_EQ(progress_line(5, 10, 2s), "[################................] 5/10 commits, 2/s");
    EXPECT_EQ(progress_line(10, 10, 5s), "[################################] 10/10 commits, 2/s");
}

}  // namespace
}  // namespace headwater::cli
