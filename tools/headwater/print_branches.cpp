// A branch is its metadata.
#include "tools/headwater/print_branches.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

namespace headwater::cli {

namespace {

json json_of(stream_metadata const& one)
{
    json out;
    out["branch"] = one.logical;
    out["stream"] = one.stream;
    out["parent"] = json();
    if (one.parent) {
        out["parent"] = {{"stream", one.parent->stream},
                         {"seq", one.parent->seq.value()},
                         {"commit_id", cli::json_of(one.parent->id)}};
    }
    out["creator"] = one.creator;
    out["created_at"] = one.created_at;
    out["floor"] = one.floor.value();
    return out;
}

std::string fork_text(stream_metadata const& one)
{
    if (!one.parent) return "-";
    return printable(one.parent->stream) + " at " + std::to_string(one.parent->seq.value());
}

std::string with_cost(json answer, cost const& spent)
{
    answer["cost"] = cli::json_of(spent);
    return dumped(answer) + '\n';
}

}  // namespace

std::string branch_created_text(stream_metadata const& made)
{
    return "branch " + printable(made.logical) + " of " + fork_text(made) + ", stream " + printable(made.stream) + '\n';
}

std::string branch_created_json(stream_metadata const& made, cost const& spent)
{
    return with_cost(json_of(made), spent);
}

std::string branch_list_text(std::vector<stream_metadata> const& live)
{
    std::vector<text_row> rows;
    rows.reserve(live.size());
    for (auto const& each : live) {
        rows.push_back({printable(each.logical), fork_text(each), rfc3339(each.created_at), printable(each.creator)});
    }
    return columns_text(rows, "<<<<");
}

std::string branch_list_json(std::vector<stream_metadata> const& live, cost const& spent)
{
    auto list = json::array();
    for (auto const& each : live) list.push_back(json_of(each));
    json answer;
    answer["branches"] = std::move(list);
    return with_cost(std::move(answer), spent);
}

std::string branch_deleted_text(stream_metadata const& ended)
{
    return "branch " + printable(ended.logical) + " ended at seq " + std::to_string(ended.retired->final_seq.value())
           + ", stream " + printable(ended.stream) + '\n';
}

std::string branch_deleted_json(stream_metadata const& ended, cost const& spent)
{
    json answer;
    answer["branch"] = ended.logical;
    answer["stream"] = ended.stream;
    answer["final_seq"] = ended.retired->final_seq.value();
    return with_cost(std::move(answer), spent);
}

}  // namespace headwater::cli
