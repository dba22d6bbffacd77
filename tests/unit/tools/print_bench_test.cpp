// What bench makes of its samples.
#include "tools/headwater/print_bench.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace headwater::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(percentile, is_the_least_sample_that_so_many_do_not_exceed)
{
    EXPECT_EQ(percentile({}, 50), 0ns);
    EXPECT_EQ(percentile({7ns}, 1), 7ns);
    EXPECT_EQ(percentile({7ns}, 100), 7ns);
    EXPECT_EQ(percentile({4ns, 1ns, 3ns, 2ns}, 50), 2ns);
    EXPECT_EQ(percentile({4ns, 1ns, 3ns, 2ns}, 51), 3ns);
    std::vector<nanoseconds> hundred;
    for (int each = 100; each > 0; --each) hundred.emplace_back(each);
    EXPECT_EQ(percentile(hundred, 50), 50ns);
    EXPECT_EQ(percentile(hundred, 99), 99ns);
    EXPECT_EQ(percentile(hundred, 100), 100ns);
    EXPECT_EQ(percentile(hundred, 0), 1ns);
}

bench_report two_requests()
{
    bench_report out;
    out.store = "s3://bucket/p";
    out.rounds = 2;
    out.size = 4096;
    latency put("put");
    put.samples = {1'500'000ns, 2'500'000ns};
    out.operations = {put, latency("list")};
    return out;
}

TEST(bench_text, has_a_row_for_each_request)
{
    auto report = two_requests();
    EXPECT_EQ(bench_text(report), "store     s3://bucket/p\n"
                                  "requests  2 rounds, one after the other, objects of 4096 bytes\n"
                                  "\n"
                                  "REQUEST  P50 MS  P90 MS  P99 MS  MAX MS\n"
                                  "put        1.50    2.50    2.50    2.50\n"
                                  "list       0.00    0.00    0.00    0.00\n");
    report.left_behind = 1;
    EXPECT_TRUE(bench_text(report).ends_with("1 object could not be removed again\n"));
}

TEST(bench_json, counts_what_it_measured)
{
    auto const body = nlohmann::json::parse(bench_json(two_requests()));
    EXPECT_EQ(body.at("rounds"), 2);
    EXPECT_EQ(body.at("operations")[0].at("count"), 2);
    EXPECT_EQ(body.at("operations")[0].at("p90_ms"), 2.5);
    EXPECT_EQ(body.at("operations")[1].at("count"), 0);
}

}  // namespace
}  // namespace headwater::cli
