// One line for each stream, finding or step.
#include "tools/headwater/print_upkeep.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

namespace headwater::cli {

namespace {

json finding_json(finding const& one)
{
    json out;
    out["finding"] = to_string(one.kind);
    out["corrupt"] = one.corrupt;
    out["key"] = one.key;
    out["stream"] = one.stream.empty() ? json() : json(one.stream);
    out["seq"] = one.seq ? json(one.seq->value()) : json();
    out["detail"] = one.detail;
    return out;
}

json cleaned_stream_json(stream_cleanup const& one)
{
    return {{"stream", one.stream.text()},
            {"retired", one.retired},
            {"pinned", one.pinned},
            {"newest", one.newest.value()},
            {"floor_before", one.floor_before.value()},
            {"floor", one.floor.value()},
            {"records", one.records},
            {"checkpoints", one.checkpoints},
            {"records_later", one.records_later},
            {"checkpoints_later", one.checkpoints_later},
            {"fault", one.fault ? json(one.fault->message()) : json()}};
}

template <class T>
json optional_json(std::optional<T> const& value)
{
    return value ? json(*value) : json();
}

std::string time_text(time_ms when) { return rfc3339(static_cast<std::uint64_t>(when.time_since_epoch().count())); }

std::string line_of(finding const& one)
{
    return std::string(to_string(one.kind)) + (one.corrupt ? "  corrupt  " : "  ") + printable(one.key) + "  "
           + printable(one.detail) + '\n';
}

std::string line_of(stream_cleanup const& one)
{
    std::string out = printable(one.stream.text()) + ": newest " + std::to_string(one.newest.value()) + ", floor "
                      + std::to_string(one.floor_before.value());
    if (one.floor != one.floor_before) out += " to " + std::to_string(one.floor.value());
    if (one.retired) out += one.pinned ? ", retired, still named" : ", retired";
    if (one.fault) return out + ", left as it is: " + printable(one.fault->message()) + '\n';
    out += ", " + counted(one.records, "record") + " and " + counted(one.checkpoints, "checkpoint") + " go now";
    if (one.records_later + one.checkpoints_later == 0) return out + '\n';
    return out + ", " + counted(one.records_later, "record") + " and " + counted(one.checkpoints_later, "checkpoint")
           + " later\n";
}

}  // namespace

std::string cleanup_text(cleanup_report const& done)
{
    std::string out = done.confirmed ? "" : "nothing was changed; with --confirm:\n";
    for (auto const& each : done.streams) out += line_of(each);
    for (auto const& each : done.unfinished) out += printable(each.text()) + ": never finished, is retired\n";
    if (done.tombstone_sets != 0) out += counted(done.tombstone_sets, "tombstone set") + " that no checkpoint names\n";
    if (done.schemas != 0) out += counted(done.schemas, "schema") + " that no record names\n";
    if (done.leftovers != 0) out += counted(done.leftovers, "leftover") + " of stopped writes\n";
    if (done.hints != 0) out += counted(done.hints, "hint") + " healed\n";
    if (done.due) out += "a cleanup after " + time_text(*done.due) + " deletes what is left\n";
    return out;
}

std::string cleanup_json(cleanup_report const& done)
{
    auto streams = json::array();
    for (auto const& each : done.streams) streams.push_back(cleaned_stream_json(each));
    auto unfinished = json::array();
    for (auto const& each : done.unfinished) unfinished.push_back(each.text());
    json_object out;
    out.add("confirmed", done.confirmed).add("streams", streams).add("unfinished", unfinished);
    out.add("tombstone_sets", done.tombstone_sets).add("schemas", done.schemas);
    out.add("leftovers", done.leftovers).add("hints", done.hints);
    out.add("due", done.due ? json(time_text(*done.due)) : json()).add("cost", json_of(done.spent));
    return std::move(out).line();
}

std::string root_line(root const& one)
{
    json_object out;
    out.add("stable_table_id", one.table.stable_table_id).add("incarnation", one.table.incarnation);
    out.add("table_key", one.table_key).add("location", one.location);
    out.add("target_version", one.version.target_version);
    out.add("staged_version", optional_json(one.version.staged_version));
    out.add("transaction_uuid", optional_json(one.version.transaction_uuid));
    out.add("table_branch", optional_json(one.version.table_branch));
    return std::move(out).line();
}

std::string verify_text(verify_report const& done)
{
    std::string out;
    for (auto const& each : done.findings) out += line_of(each);
    return out + counted(done.streams, "stream") + ", " + counted(done.records, "record") + ", "
           + counted(done.checkpoints, "checkpoint") + ", " + counted(done.findings.size(), "finding")
           + (done.corrupt() ? ", corrupt\n" : "\n");
}

std::string verify_json(verify_report const& done)
{
    auto list = json::array();
    for (auto const& each : done.findings) list.push_back(finding_json(each));
    json_object out;
    out.add("corrupt", done.corrupt()).add("streams", done.streams).add("records", done.records);
    out.add("checkpoints", done.checkpoints).add("findings", list).add("cost", json_of(done.spent));
    return std::move(out).line();
}

std::string repair_text(repair_report const& done)
{
    std::string out;
    for (auto const& each : done.steps) out += std::string(to_string(each.outcome)) + "  " + line_of(each.what);
    return out + counted(done.steps.size(), "finding") + (done.corrupt() ? ", corrupt\n" : "\n");
}

std::string repair_json(repair_report const& done)
{
    auto list = json::array();
    for (auto const& each : done.steps) {
        json one;
        one["outcome"] = to_string(each.outcome);
        one.update(finding_json(each.what));
        list.push_back(std::move(one));
    }
    json_object out;
    out.add("corrupt", done.corrupt()).add("steps", list).add("cost", json_of(done.spent));
    return std::move(out).line();
}

}  // namespace headwater::cli
