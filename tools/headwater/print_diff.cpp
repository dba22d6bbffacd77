// A change is told by what moved: key, version, owner branch, schema, location.
#include "tools/headwater/print_diff.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

namespace headwater::cli {

namespace {

std::vector<std::string> words_of(table_change const& change)
{
    std::vector<std::string> out;
    auto const say = [&out](bool holds, char const* word) {
        if (holds) out.emplace_back(word);
    };
    say(change.added(), "added");
    say(change.removed(), "removed");
    say(change.renamed(), "renamed");
    say(change.repinned(), "repinned");
    say(change.handed_off(), "handed_off");
    say(change.schema_changed(), "schema_changed");
    say(out.empty(), "other");
    return out;
}

std::string head_or_null(std::optional<head> const& value) { return value ? encode(*value) : "null"; }

std::string version_text(std::optional<head> const& value)
{
    return value && value->version ? std::to_string(value->version->target_version) : "none";
}

std::string owner_text(std::optional<head> const& value)
{
    return value && value->version && value->version->table_branch ? printable(*value->version->table_branch) : "none";
}

std::string from_to(std::string_view what, std::string const& from, std::string const& to)
{
    return "  " + std::string(what) + ' ' + from + " to " + to;
}

std::string position_json(snapshot const& at)
{
    json_object out;
    out.add("seq", at.seq().value()).add("commit_id", json_of(at.id())).add("created_at", at.created_at());
    return std::move(out).text();
}

std::string position_text(snapshot const& at)
{
    return std::to_string(at.seq().value()) + "  " + (at.id() ? printable(at.id()->text()) : "-");
}

}  // namespace

std::string change_json(table_change const& change)
{
    json_object out;
    out.add("stable_table_id", change.table.stable_table_id).add("incarnation", change.table.incarnation);
    out.add("changes", words_of(change));
    out.add_raw("before", head_or_null(change.before)).add_raw("after", head_or_null(change.after));
    return std::move(out).text();
}

std::string change_text(table_change const& change)
{
    std::string out;
    for (auto const& word : words_of(change)) out += (out.empty() ? "" : ", ") + word;
    auto const& shown = change.after ? change.after : change.before;
    out += "  " + identity_text(change.table) + "  ";
    out += change.renamed() ? printable(change.before->table_key) + " to " + printable(change.after->table_key)
                            : printable(shown->table_key);
    if (change.repinned()) out += from_to("version", version_text(change.before), version_text(change.after));
    if (change.added() || change.removed()) out += "  version " + version_text(shown);
    if (change.handed_off()) out += from_to("owner", owner_text(change.before), owner_text(change.after));
    return out;
}

std::string diff_text(snapshot const& before, snapshot const& after, std::vector<table_change> const& changes)
{
    std::string out = field("from", position_text(before)) + field("to", position_text(after));
    if (before.schema() != after.schema()) out += field("schema", "changed");
    out += field("tables", counted(changes.size(), "change"));
    for (auto const& each : changes) out += change_text(each) + '\n';
    return out;
}

std::string diff_json(std::string_view branch, snapshot const& before, snapshot const& after,
                      std::vector<table_change> const& changes, cost const& spent)
{
    std::string list = "[";
    for (auto const& each : changes) {
        if (list.size() > 1) list += ',';
        list += change_json(each);
    }
    list += ']';
    json_object out;
    out.add("branch", branch).add_raw("from", position_json(before)).add_raw("to", position_json(after));
    out.add("schema_changed", before.schema() != after.schema()).add_raw("tables", list).add("cost", json_of(spent));
    return std::move(out).line();
}

}  // namespace headwater::cli
