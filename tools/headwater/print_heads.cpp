// Live heads first, then the dropped ones, each by identity.
#include "tools/headwater/print_heads.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

namespace headwater::cli {

namespace {

bool shown(heads_view const& view, table_identity table, std::string const& key)
{
    return !view.only || view.only(table, key);
}

std::string or_dash(std::optional<std::uint64_t> value) { return value ? std::to_string(*value) : "-"; }
std::string or_dash(std::optional<std::string> const& value) { return value ? printable(*value) : "-"; }

text_row row_of(head const& each)
{
    auto const version = each.version ? std::optional(each.version->target_version) : std::nullopt;
    auto const owner = each.version ? each.version->table_branch : std::nullopt;
    return {identity_text(each.table), "live",         printable(each.table_key),
            or_dash(version),          or_dash(owner), printable(each.head_commit_id.text())};
}

text_row row_of(tombstone const& each)
{
    return {identity_text(each.table),  "dropped",
            printable(each.table_key),  or_dash(each.target_version),
            or_dash(each.table_branch), printable(each.head_commit_id.text())};
}

template <class List>
std::string list_json(List const& list, heads_view const& view)
{
    std::string out = "[";
    for (auto const& each : list) {
        if (!shown(view, each.table, each.table_key)) continue;
        if (out.size() > 1) out += ',';
        if constexpr (std::is_same_v<typename List::value_type, head>) {
            out += encode(each);
        } else {
            out += canonical_bytes(each);
        }
    }
    return out + ']';
}

}  // namespace

std::string heads_text(heads_view const& view)
{
    std::vector<text_row> rows = {{"TABLE", "STATE", "KEY", "VERSION", "OWNER", "COMMIT"}};
    for (auto const& each : view.at.heads()) {
        if (shown(view, each.table, each.table_key)) rows.push_back(row_of(each));
    }
    for (auto const& each : view.dropped) {
        if (shown(view, each.table, each.table_key)) rows.push_back(row_of(each));
    }
    return columns_text(rows, "<<<><<");
}

std::string heads_json(std::string_view branch, heads_view const& view)
{
    json_object out;
    out.add("branch", branch).add("stream", view.at.stream().text());
    out.add("seq", view.at.seq().value()).add("commit_id", json_of(view.at.id()));
    out.add_raw("heads", list_json(view.at.heads(), view)).add_raw("tombstones", list_json(view.dropped, view));
    out.add("cost", json_of(view.spent));
    return std::move(out).line();
}

std::string findings_text(snapshot const& at, std::vector<head_finding> const& findings)
{
    std::string out = "seq " + std::to_string(at.seq().value()) + ": " + counted(at.heads().size(), "live head") + ", "
                      + counted(at.tombstone_count(), "tombstone") + ", " + counted(findings.size(), "finding") + '\n';
    for (auto const& each : findings) {
        out += std::string(to_string(each.kind)) + "  " + printable(each.detail) + '\n';
    }
    return out;
}

std::string findings_json(std::string_view branch, snapshot const& at, std::vector<head_finding> const& findings,
                          cost const& spent)
{
    auto list = json::array();
    for (auto const& each : findings) {
        list.push_back({{"finding", to_string(each.kind)},
                        {"stable_table_id", each.table.stable_table_id},
                        {"incarnation", each.table.incarnation},
                        {"detail", each.detail}});
    }
    json_object out;
    out.add("branch", branch).add("seq", at.seq().value()).add("commit_id", json_of(at.id()));
    out.add("findings", list).add("cost", json_of(spent));
    return std::move(out).line();
}

}  // namespace headwater::cli
