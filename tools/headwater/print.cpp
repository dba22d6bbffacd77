// Human and JSON forms.
#include "tools/headwater/print.hpp"

#include "tools/headwater/print_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace headwater::cli {

namespace {

std::string_view name_of(error const& what) noexcept
{
    if (what.code().category() == category()) return to_string(static_cast<errc>(what.code().value()));
    namespace system_errors = boost::system::errc;
    if (what.code() == system_errors::operation_canceled) return "cancelled";
    if (what.code() == system_errors::not_enough_memory) return "out_of_memory";
    return what.code() == system_errors::state_not_recoverable ? "internal" : "io_error";
}

std::string in_kilobytes(std::uint64_t bytes)
{
    constexpr std::uint64_t kilobyte = 1000;
    return bytes < kilobyte ? counted(bytes, "byte") : std::to_string((bytes + kilobyte / 2) / kilobyte) + " KB";
}

std::string one_decimal(double value)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

void join(std::string& out, std::string_view part)
{
    if (!out.empty()) out += ", ";
    out += part;
}

text_row table_row(head const& each)
{
    return {printable(each.table_key), each.version ? std::to_string(each.version->target_version) : "-",
            each.version ? std::to_string(each.version->entity_count) : "-", printable(each.location)};
}

std::string_view name_of(lineage::kind_type kind) noexcept
{
    switch (kind) {
    case lineage::kind_type::merge: return "merge";
    case lineage::kind_type::fast_forward: return "fast_forward";
    case lineage::kind_type::retire: return "retire";
    }
    return "unknown";
}

std::string_view name_of(resolution::verdict_type verdict) noexcept
{
    switch (verdict) {
    case resolution::verdict_type::committed: return "committed";
    case resolution::verdict_type::not_committed: return "not_committed";
    case resolution::verdict_type::unknown: return "unknown";
    case resolution::verdict_type::lost: return "lost";
    }
    return "unknown";
}

std::string summary_of(record const& value)
{
    std::string out;
    auto const mention = [&out](std::size_t count, std::string_view what) {
        if (count > 0) join(out, counted(count, what));
    };
    mention(value.pins.size(), "pin");
    mention(value.registrations.size(), "registration");
    mention(value.renames.size(), "rename");
    mention(value.tombstones.size(), "drop");
    if (value.origin) join(out, name_of(value.origin->kind));
    return out.empty() ? "no change" : out;
}

std::string changes_text(record const& value)
{
    std::string out;
    for (auto const& each : value.tombstones) {
        out += field("drop", printable(each.table_key) + "  table " + identity_text(each.table));
    }
    for (auto const& each : value.renames) {
        out += field("rename",
                     printable(each.from) + " to " + printable(each.to) + "  table " + identity_text(each.table));
    }
    for (auto const& each : value.registrations) {
        out += field("register", printable(each.table_key) + "  table " + identity_text(each.table) + "  at "
                                     + printable(each.location));
    }
    for (auto const& each : value.pins) {
        out += field("pin", printable(each.table_key) + "  version " + std::to_string(each.version.target_version)
                                + "  entities " + std::to_string(each.version.entity_count));
    }
    return out;
}

// The diagnostics as JSON members; what is not known is left out.
void add_diagnostics(json& out, diagnostics const& why)
{
    auto const add = [&out](char const* name, std::string const& text) {
        if (!text.empty()) out[name] = text;
    };
    add("operation", why.operation);
    add("key", why.key);
    add("store", why.store);
    if (why.status != 0) out["status"] = why.status;
    add("service_code", why.service_code);
    add("request_id", why.request_id);
    if (!why.operation.empty()) out["attempts"] = why.attempts;
    for (auto const& [name, value] : why.facts) {
        if (name == "conflict") {
            out["conflicts"].push_back(value);  // One for each table.
        } else if (!out.contains(name)) {
            out[name] = value;
        }
    }
}

std::string told_as(std::string_view kind, error const& what)
{
    json body = {{"code", name_of(what)}, {"message", what.message()}};
    if (auto const* const why = what.why()) add_diagnostics(body, *why);
    return std::move(json_object().add(kind, body)).line();
}

bool tells(error const& what, std::string_view fact) noexcept
{
    auto const* const why = what.why();
    return why && std::ranges::find(why->facts, fact, [](auto const& each) {
                      return std::string_view(each.first);
                  }) != why->facts.end();
}

}  // namespace

// --- errors ----------------------------------------------------------------------------------------------------------

exit_code exit_code_of(error const& what) noexcept
{
    if (what.code().category() != category()) return exit_code::failure;
    switch (static_cast<errc>(what.code().value())) {
    case errc::invalid_argument: return exit_code::usage;
    case errc::not_found:
    case errc::branch_not_found:
    case errc::branch_retired:
    case errc::pruned: return exit_code::not_found;
    case errc::conflict:
    case errc::already_exists:
    case errc::branch_exists:
    case errc::merge_conflict:
    case errc::cursor_rejected:
    case errc::precondition_failed: return exit_code::conflict;
    case errc::outcome_unknown: return exit_code::unknown;
    // A cleanup may have taken it: nothing is wrong with what is there.
    case errc::history_gap: return tells(what, "missing_commit") ? exit_code::conflict : exit_code::corrupt;
    case errc::corrupt: return exit_code::corrupt;
    default: return exit_code::failure;
    }
}

std::string error_line(error const& what)
{
    std::string out = "headwater: " + std::string(name_of(what)) + ": " + what.message();
    if (auto const* const why = what.why()) {
        for (auto const& [name, value] : why->facts) out += ", " + name + '=' + value;
    }
    return printable(out) + '\n';
}

std::string error_json(error const& what) { return told_as("error", what); }

std::string usage_line(std::string_view message) { return "headwater: " + printable(message) + '\n'; }

std::string usage_json(std::string_view message)
{
    json const body = {{"code", "usage"}, {"message", message}};
    return std::move(json_object().add("error", body)).line();
}

std::string warning_line(error const& what)
{
    return "headwater: warning: " + printable(std::string(name_of(what)) + ": " + what.message()) + '\n';
}

std::string warning_json(error const& what) { return told_as("warning", what); }

// --- values ----------------------------------------------------------------------------------------------------------

std::string rfc3339(std::uint64_t created_at)
{
    using namespace std::chrono;
    // Beyond any time that the format allows there is nothing to spell.
    sys_time<milliseconds> const at{milliseconds(std::min(created_at, max_created_at_ms))};
    auto const day = floor<days>(at);
    year_month_day const date(day);
    hh_mm_ss const time(at - day);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
    return text.data();
}

std::string printable(std::string_view text)
{
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out;
    out.reserve(text.size());
    for (char const c : text) {
        auto const code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code != 0x7f) {
            out += c;
        } else {
            out += "\\x";
            out += hex[code >> 4];
            out += hex[code & 15];
        }
    }
    return out;
}

std::string cost_line(cost const& spent)
{
    std::string out = "cost: " + counted(spent.requests, "request") + " in " + counted(spent.rounds, "round");
    if (spent.open_requests > 0) out += " (+" + std::to_string(spent.open_requests) + " to open)";
    auto const repeated = spent.attempts - std::min(spent.attempts, spent.requests + spent.open_requests);
    if (repeated > 0) out += ", " + std::to_string(repeated) + " sent again";
    if (spent.bytes_read > 0 || spent.bytes_written == 0) out += ", " + in_kilobytes(spent.bytes_read) + " read";
    if (spent.bytes_written > 0) out += ", " + in_kilobytes(spent.bytes_written) + " written";
    return out + '\n';
}

// --- answers ---------------------------------------------------------------------------------------------------------

std::string init_line(std::string_view graph, graph_format const& made)
{
    return "graph " + printable(graph) + "  identity domain " + printable(made.identity_domain) + '\n';
}

std::string init_json(std::string_view graph, graph_format const& made, cost const& spent)
{
    json_object out;
    out.add("graph", graph);
    out.add("identity_domain", made.identity_domain);
    out.add("checkpoint_interval", made.checkpoint_interval);
    out.add("carry_limit", made.carry_limit);
    out.add("created_at", made.created_at);
    out.add("cost", json_of(spent));
    return std::move(out).line();
}

std::string receipt_line(commit_receipt const& receipt)
{
    return "seq " + std::to_string(receipt.at.seq.value()) + "  " + printable(receipt.at.id->text())
           + (receipt.repeated ? "  published before, with the same key" : "") + '\n';
}

std::string receipt_json(commit_receipt const& receipt)
{
    json_object out;
    out.add("seq", receipt.at.seq.value());
    out.add("commit_id", json_of(receipt.at.id));
    out.add("stream", receipt.at.stream.text());
    out.add("attempts", receipt.attempts);
    if (receipt.repeated) out.add("repeated", true);
    out.add("cost", json_of(receipt.spent));
    return std::move(out).line();
}

std::string resolution_line(position const& asked, resolution const& answer)
{
    std::string out(name_of(answer.verdict));
    out += "  seq " + std::to_string(asked.seq.value()) + "  " + printable(asked.id->text());
    if (answer.actual) out += "  the place has commit " + printable(answer.actual->text());
    return out + '\n';
}

std::string resolution_json(position const& asked, resolution const& answer)
{
    json_object out;
    out.add("outcome", name_of(answer.verdict)).add("seq", asked.seq.value()).add("commit_id", json_of(asked.id));
    out.add("stream", asked.stream.text());
    if (answer.actual) out.add("actual", json_of(answer.actual));
    out.add("cost", json_of(answer.spent));
    return std::move(out).line();
}

std::string record_line(record const& value)
{
    std::string out =
        std::to_string(value.seq.value()) + ' ' + printable(value.id.text()) + ' ' + rfc3339(value.created_at);
    if (value.actor) out += " actor=" + printable(*value.actor);
    return out + ' ' + summary_of(value) + '\n';
}

std::string record_text(record const& value)
{
    std::string out = field("seq", std::to_string(value.seq.value()));
    out += field("commit", printable(value.id.text()));
    out += field("parent", value.parent ? printable(value.parent->text()) : "-");
    out += field("stream", printable(value.stream));
    out += field("time", rfc3339(value.created_at));
    if (value.actor) out += field("actor", printable(*value.actor));
    if (value.idempotency_key) out += field("key", printable(*value.idempotency_key));
    if (value.schema) {
        out += field("schema", "version " + std::to_string(value.schema->identity_version) + "  "
                                   + printable(value.schema->content_hash));
    }
    if (value.origin) {
        out += field("lineage", std::string(name_of(value.origin->kind)) + "  "
                                    + printable(value.origin->merged_parent_commit_id.text()));
    }
    return out + changes_text(value);
}

std::string snapshot_text(std::string_view graph, std::string_view branch, snapshot const& now)
{
    std::string out = field("graph", printable(graph)) + field("branch", printable(branch));
    out += field("seq", std::to_string(now.seq().value()));
    out += field("commit", now.id() ? printable(now.id()->text()) : "-");
    out += field("time", now.id() ? rfc3339(now.created_at()) : "-");
    out += field("tables", std::to_string(now.heads().size()));
    if (now.degraded()) out += field("degraded", "a checkpoint is missing or wrong; the records replaced it");
    if (now.heads().empty()) return out;

    std::vector<text_row> rows;
    rows.reserve(now.heads().size());
    for (auto const& each : now.heads()) rows.push_back(table_row(each));
    std::ranges::sort(rows, {}, [](text_row const& each) -> auto const& { return each.front(); });
    rows.insert(rows.begin(), {"KEY", "VERSION", "ENTITIES", "LOCATION"});
    return out + '\n' + columns_text(rows, "<>><");
}

std::string snapshot_json(std::string_view graph, std::string_view branch, snapshot const& now)
{
    std::string tables = "[";
    for (auto const& each : now.heads()) {
        if (tables.size() > 1) tables += ',';
        tables += encode(each);
    }
    tables += ']';

    json_object out;
    out.add("graph", graph).add("branch", branch).add("stream", now.stream().text());
    out.add("seq", now.seq().value()).add("commit_id", json_of(now.id())).add("created_at", now.created_at());
    out.add("schema", json_of(now.schema())).add_raw("tables", tables).add("state_digest", now.state_digest().hex());
    if (now.degraded()) out.add("degraded", true);
    out.add("cost", json_of(now.spent()));
    return std::move(out).line();
}

std::string import_text(summary const& done)
{
    std::string out = counted(done.commits, "commit");
    if (done.commits > 0) {
        out += ", seq " + std::to_string(done.first.seq.value()) + " to " + std::to_string(done.last.seq.value());
    }
    return out + '\n';
}

std::string demo_text(summary const& done, std::size_t tables, double seconds)
{
    auto const commits = static_cast<double>(done.commits);
    return counted(done.commits, "commit") + ", " + counted(tables, "live table") + ", "
           + one_decimal(commits / seconds) + " commits/s, "
           + one_decimal(static_cast<double>(done.spent.requests) / commits) + " requests per commit\n";
}

std::string demo_json(std::string_view graph, summary const& done, std::size_t tables, double seconds)
{
    auto const commits = static_cast<double>(done.commits);
    json_object out;
    out.add("graph", graph).add("commits", done.commits).add("tables", tables);
    out.add("seq", done.last.seq.value()).add("commit_id", json_of(done.last.id));
    out.add("seconds", seconds).add("commits_per_second", commits / seconds);
    out.add("requests_per_commit", static_cast<double>(done.spent.requests) / commits).add("cost", json_of(done.spent));
    return std::move(out).line();
}

}  // namespace headwater::cli
