// A branch is its metadata.
#include "tools/headwater/print_branches.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

namespace headwater::cli {

namespace {

json life_json(stream_metadata const& one)
{
    json out;
    out["branch"] = one.logical;
    out["stream"] = one.stream;
    out["parent"] = json();
    if (one.parent) {
        out["parent"] = {
            {"stream", one.parent->stream}, {"seq", one.parent->seq.value()}, {"commit_id", json_of(one.parent->id)}};
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

json place_json(position const& at)
{
    return {{"stream", at.stream.text()}, {"seq", at.seq.value()}, {"commit_id", json_of(at.id)}};
}

std::string with_cost(json answer, cost const& spent)
{
    answer["cost"] = json_of(spent);
    return dumped(answer) + '\n';
}

}  // namespace

std::string branch_created_text(stream_metadata const& made)
{
    return "branch " + printable(made.logical) + " of " + fork_text(made) + ", stream " + printable(made.stream) + '\n';
}

std::string branch_created_json(stream_metadata const& made, cost const& spent)
{
    return with_cost(life_json(made), spent);
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
    for (auto const& each : live) list.push_back(life_json(each));
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

std::string branch_merged_text(merge_receipt const& done, bool removed)
{
    std::string out = std::string(to_string(done.outcome)) + ": " + printable(done.source.stream.text()) + " at "
                      + std::to_string(done.source.seq.value()) + ", " + printable(done.at.stream.text()) + " is at "
                      + std::to_string(done.at.seq.value());
    if (done.at.id) out += ' ' + done.at.id->text();
    return out + (removed ? "; the source was deleted\n" : "\n");
}

std::string branch_merged_json(merge_receipt const& done, bool removed, cost const& spent)
{
    json answer;
    answer["outcome"] = to_string(done.outcome);
    answer["seq"] = done.at.seq.value();
    answer["commit_id"] = json_of(done.at.id);
    answer["stream"] = done.at.stream.text();
    answer["source"] = place_json(done.source);
    answer["base"] = json_of(done.base);
    answer["attempts"] = done.attempts;
    answer["source_deleted"] = removed;
    return with_cost(std::move(answer), spent);
}

}  // namespace headwater::cli
