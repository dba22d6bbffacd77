// Lines for people, JSON for scripts, JUnit XML for what collects test results.
#include "tools/headwater/print_conformance.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

#include <algorithm>

namespace headwater::cli {

namespace {

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string spelling_text(etag_form form)
{
    switch (form) {
    case etag_form::unknown: return "-";
    case etag_form::as_given: return "the etag as it was given";
    case etag_form::bare: return "the etag without its quotes";
    case etag_form::either: return "the etag with or without its quotes";
    }
    return "-";
}

std::string offset_text(std::optional<std::chrono::milliseconds> offset)
{
    return offset ? std::to_string(offset->count()) + " ms" : "-";
}

// ` (status 412, request tx0000)`
std::string answer_text(int status, std::string const& request_id)
{
    if (status == 0) return {};
    std::string const id = request_id.empty() ? "" : ", request " + printable(request_id);
    return " (status " + std::to_string(status) + id + ')';
}

json status_json(int status) { return status == 0 ? json() : json(status); }
json text_json(std::string const& text) { return text.empty() ? json() : json(text); }

std::string padded(std::string_view text, std::size_t width)
{
    std::string out(text);
    out.resize(std::max(width, out.size()), ' ');
    return out;
}

std::string title_of(check_outcome outcome)
{
    switch (outcome) {
    case check_outcome::failed: return "failed, though required:";
    case check_outcome::differs: return "differs from Amazon's S3:";
    case check_outcome::not_applicable: return "the store says that it cannot:";
    case check_outcome::passed: break;
    }
    return {};
}

std::string section_text(conformance_report const& report, check_outcome outcome)
{
    std::vector<text_row> rows;
    for (auto const& each : report.results) {
        if (each.outcome != outcome) continue;
        auto const seen = printable(each.message) + answer_text(each.status, each.request_id);
        rows.push_back({"  " + std::string(each.check.name), seen});
    }
    return rows.empty() ? "" : '\n' + title_of(outcome) + '\n' + columns_text(rows, "<<");
}

std::uint64_t left_behind(conformance_report const& report)
{
    std::uint64_t out = 0;
    for (auto const& each : report.results) out += each.left_behind;
    return out;
}

// As an attribute's value or as text; what XML cannot have at all is spelled out by `printable`.
std::string xml_text(std::string_view text)
{
    std::string out;
    for (char const each : printable(text)) {
        switch (each) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += each;
        }
    }
    return out;
}

std::string seconds_text(std::chrono::milliseconds length)
{
    auto const thousandths = std::to_string(1000 + length.count() % 1000);
    return std::to_string(length.count() / 1000) + '.' + thousandths.substr(1);
}

std::string case_xml(check_result const& one)
{
    auto const message = xml_text(one.message);
    auto const seen = xml_text(one.message + answer_text(one.status, one.request_id));
    std::string out = "  <testcase classname=\"conform." + std::string(one.check.theme) + "\" name=\""
                      + std::string(one.check.name) + "\" time=\"" + seconds_text(one.took) + "\">";
    if (one.outcome == check_outcome::failed) out += "<failure message=\"" + message + "\">" + seen + "</failure>";
    if (one.outcome == check_outcome::not_applicable) out += "<skipped message=\"" + message + "\"/>";
    if (one.outcome == check_outcome::differs) out += "<system-out>" + seen + "</system-out>";
    return out + "</testcase>\n";
}

}  // namespace

std::size_t conformance_report::count(check_outcome outcome) const noexcept
{
    return static_cast<std::size_t>(std::ranges::count(results, outcome, &check_result::outcome));
}

std::string probe_text(std::string_view store, store_proof const& proof)
{
    std::vector<text_row> const rows = {
        {"store", printable(store)},
        {"graphs may be kept there", yes_or_no(proof.conditional_create())},
        {"create keeps the first", yes_or_no(proof.create_once)},
        {"race of 8 has one winner", yes_or_no(proof.one_winner)},
        {"update compares the etag", yes_or_no(proof.conditional_update)},
        {"If-Match takes", spelling_text(proof.if_match)},
        {"listing is allowed", yes_or_no(proof.list_allowed)},
        {"listing is in key order", yes_or_no(proof.ordered_listing)},
        {"clock offset", offset_text(proof.clock_offset)},
    };
    std::string out = columns_text(rows, "<<");
    for (auto const& each : proof.findings) {
        out += "found: " + printable(each.what) + answer_text(each.status, each.request_id) + '\n';
    }
    return out;
}

std::string probe_json(std::string_view store, store_proof const& proof)
{
    auto findings = json::array();
    for (auto const& each : proof.findings) {
        findings.push_back(
            {{"finding", each.what}, {"status", status_json(each.status)}, {"request_id", text_json(each.request_id)}});
    }
    json_object out;
    out.add("store", store).add("writable", proof.conditional_create()).add("create_once", proof.create_once);
    out.add("one_winner", proof.one_winner).add("conditional_update", proof.conditional_update);
    out.add("list_allowed", proof.list_allowed).add("ordered_listing", proof.ordered_listing);
    out.add("if_match", to_string(proof.if_match));
    out.add("clock_offset_ms", proof.clock_offset ? json(proof.clock_offset->count()) : json());
    out.add("findings", findings).add("cost", json_of(proof.spent));
    return std::move(out).line();
}

std::string check_line(check_result const& one)
{
    constexpr std::size_t outcome_width = 14, name_width = 42, status_width = 5, time_width = 7;
    auto const time = std::to_string(one.took.count());
    std::string out = padded(to_string(one.outcome), outcome_width + 1) + padded(one.check.name, name_width + 1);
    out += padded(one.status == 0 ? "-" : std::to_string(one.status), status_width);
    out += std::string(time.size() < time_width ? time_width - time.size() : 0, ' ') + time + " ms";
    if (!one.request_id.empty()) out += "  " + printable(one.request_id);
    return out + '\n';
}

std::string conformance_text(conformance_report const& report)
{
    std::string out;
    for (auto const each : {check_outcome::not_applicable, check_outcome::differs, check_outcome::failed}) {
        out += section_text(report, each);
    }
    if (auto const left = left_behind(report); left > 0) {
        out += '\n' + counted(left, "object") + " named headwater-conform-… could not be removed\n";
    }
    out += '\n' + std::to_string(report.count(check_outcome::passed)) + " passed, ";
    out += std::to_string(report.count(check_outcome::failed)) + " failed, ";
    out += std::to_string(report.count(check_outcome::differs)) + " differ, ";
    return out + std::to_string(report.count(check_outcome::not_applicable)) + " not applicable\n";
}

std::string conformance_json(conformance_report const& report)
{
    auto checks = json::array();
    for (auto const& each : report.results) {
        checks.push_back({{"check", each.check.name},
                          {"theme", each.check.theme},
                          {"required", each.check.required},
                          {"outcome", to_string(each.outcome)},
                          {"message", text_json(each.message)},
                          {"status", status_json(each.status)},
                          {"request_id", text_json(each.request_id)},
                          {"ms", each.took.count()}});
    }
    auto const failed = report.count(check_outcome::failed);
    json_object out;
    out.add("store", report.store).add("conforms", failed == 0 && !report.stopped);
    out.add("passed", report.count(check_outcome::passed)).add("failed", failed);
    out.add("differs", report.count(check_outcome::differs));
    out.add("not_applicable", report.count(check_outcome::not_applicable)).add("left_behind", left_behind(report));
    out.add("checks", checks).add("cost", json_of(report.spent));
    return std::move(out).line();
}

std::string conformance_junit(conformance_report const& report)
{
    std::chrono::milliseconds took{0};
    for (auto const& each : report.results) took += each.took;
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + xml_text(report.store)
                      + "\" tests=\"" + std::to_string(report.results.size()) + "\" failures=\""
                      + std::to_string(report.count(check_outcome::failed)) + "\" skipped=\""
                      + std::to_string(report.count(check_outcome::not_applicable)) + "\" time=\"" + seconds_text(took)
                      + "\">\n";
    for (auto const& each : report.results) out += case_xml(each);
    return out + "</testsuite>\n";
}

}  // namespace headwater::cli
