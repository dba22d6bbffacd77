// A row for each kind of request.
#include "tools/headwater/print_bench.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace headwater::cli {

namespace {

using std::chrono::nanoseconds;

struct bench_column {
    char const* title;
    char const* name;
    unsigned percent;
};
constexpr bench_column bench_columns[] = {
    {"P50 MS", "p50_ms", 50}, {"P90 MS", "p90_ms", 90}, {"P99 MS", "p99_ms", 99}, {"MAX MS", "max_ms", 100}};

double bench_ms(nanoseconds length) { return std::chrono::duration<double, std::milli>(length).count(); }

std::string bench_ms_text(nanoseconds length)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.2f", bench_ms(length));
    return text.data();
}

}  // namespace

nanoseconds percentile(std::vector<nanoseconds> samples, unsigned percent)
{
    if (samples.empty()) return nanoseconds(0);
    auto const rank = (samples.size() * percent + 99) / 100;
    auto const at = samples.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::ranges::nth_element(samples, at);
    return *at;
}

std::string bench_text(bench_report const& report)
{
    std::string out = field("store", printable(report.store));
    out += field("requests",
                 counted(report.rounds, "round") + ", one after the other, objects of " + counted(report.size, "byte"));
    std::vector<text_row> rows{{"REQUEST"}};
    for (auto const& column : bench_columns) rows.front().emplace_back(column.title);
    for (auto const& each : report.operations) {
        auto& row = rows.emplace_back(text_row{each.operation});
        for (auto const& column : bench_columns) row.push_back(bench_ms_text(percentile(each.samples, column.percent)));
    }
    out += '\n' + columns_text(rows, "<>>>>");
    if (report.left_behind > 0) out += counted(report.left_behind, "object") + " could not be removed again\n";
    return out;
}

std::string bench_json(bench_report const& report)
{
    auto list = json::array();
    for (auto const& each : report.operations) {
        json one = {{"operation", each.operation}, {"count", each.samples.size()}};
        for (auto const& column : bench_columns) {
            one[column.name] = bench_ms(percentile(each.samples, column.percent));
        }
        list.push_back(std::move(one));
    }
    json_object out;
    out.add("store", report.store).add("rounds", report.rounds).add("size", report.size).add("operations", list);
    out.add("left_behind", report.left_behind).add("cost", json_of(report.spent));
    return std::move(out).line();
}

}  // namespace headwater::cli
