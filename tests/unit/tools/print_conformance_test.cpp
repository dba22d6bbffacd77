// What probe and conform say, to people, to scripts, and to what collects test results.
#include "tools/headwater/print_conformance.hpp"

#include <gtest/gtest.h>

namespace headwater::cli {
namespace {

check_result ended(std::string_view name, check_outcome outcome, std::string message)
{
    check_result out;
    out.check.name = name;
    out.check.theme = "creating";
    out.outcome = outcome;
    out.message = std::move(message);
    out.status = 200;
    out.request_id = "tx<1>";
    out.took = std::chrono::milliseconds(1007);
    return out;
}

conformance_report one_of_each()
{
    conformance_report out("s3://bucket");
    out.results.push_back(ended("first", check_outcome::passed, ""));
    out.results.push_back(ended("second", check_outcome::failed, "\"lost\" & found\x1b"));
    out.results.push_back(ended("third", check_outcome::differs, "409"));
    out.results.push_back(ended("fourth", check_outcome::not_applicable, "no updates"));
    return out;
}

TEST(conformance_text, has_the_failures_last_and_the_counts)
{
    EXPECT_EQ(conformance_text(one_of_each()), R"(
the store says that it cannot:
  fourth  no updates (status 200, request tx<1>)

differs from Amazon's S3:
  third  409 (status 200, request tx<1>)

failed, though required:
  second  "lost" & found\x1b (status 200, request tx<1>)

1 passed, 1 failed, 1 differ, 1 not applicable
)");
}

TEST(conformance_text, tells_what_was_left_behind)
{
    auto report = one_of_each();
    report.results.front().left_behind = 2;
    EXPECT_NE(conformance_text(report).find("2 objects named headwater-conform-… could not be removed"),
              std::string::npos);
}

TEST(check_line, has_its_columns)
{
    EXPECT_EQ(check_line(ended("first", check_outcome::passed, "")),
              "passed         first                                      200     1007 ms  tx<1>\n");
}

TEST(conformance_json, has_a_row_for_each_check)
{
    auto report = one_of_each();
    report.results.resize(1);
    EXPECT_EQ(conformance_json(report),
              R"({"store":"s3://bucket","conforms":true,"passed":1,"failed":0,"differs":0,"not_applicable":0,)"
              R"("left_behind":0,"checks":[{"check":"first","theme":"creating","required":true,"outcome":"passed",)"
              R"("message":null,"status":200,"request_id":"tx<1>","ms":1007}],"cost":{"requests":0,"open_requests":0,)"
              R"("attempts":0,"rounds":0,"bytes_read":0,"bytes_written":0}})"
              "\n");
}

TEST(conformance_json, one_that_was_stopped_conforms_to_nothing)
{
    conformance_report report("s3://bucket");
    report.stopped = true;
    EXPECT_NE(conformance_json(report).find(R"("conforms":false)"), std::string::npos);
}

TEST(conformance_junit, escapes_what_xml_must_not_have)
{
    auto const text = conformance_junit(one_of_each());
    EXPECT_NE(text.find(R"(tests="4" failures="1" skipped="1" time="4.028")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"(<testcase classname="conform.creating" name="first" time="1.007"></testcase>)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(R"(<failure message="&quot;lost&quot; &amp; found\x1b">)"), std::string::npos) << text;
    EXPECT_NE(text.find("request tx&lt;1&gt;)</failure>"), std::string::npos) << text;
}

TEST(probe_text, has_each_proof_and_the_findings)
{
    store_proof proof;
    proof.create_once = true;
    proof.one_winner = true;
    proof.if_match = etag_form::bare;
    proof.clock_offset = std::chrono::milliseconds(-101);
    proof.findings.emplace_back("listing does not work", 500, "");
    EXPECT_EQ(probe_text("s3://bucket", proof), R"(store                     s3://bucket
graphs may be kept there  yes
create keeps the first    yes
race of 8 has one winner  yes
update compares the etag  no
If-Match takes            the etag without its quotes
listing is allowed        no
listing is in key order   no
clock offset              -101 ms
found: listing does not work (status 500)
)");
}

}  // namespace
}  // namespace headwater::cli
