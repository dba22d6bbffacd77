// A line for each commit, then one for the page.
#include "tools/headwater/print_changes.hpp"

#include "tools/headwater/print.hpp"
#include "tools/headwater/print_parts.hpp"

namespace headwater::cli {

namespace {

std::vector<std::string> words_of(feed_change const& change)
{
    std::vector<std::string> out;
    if (change.dropped) out.emplace_back("dropped");
    if (change.renamed_from) out.emplace_back("renamed");
    if (change.registered_at) out.emplace_back("registered");
    if (change.version) out.emplace_back("pinned");
    return out;
}

json change_object(feed_change const& change)
{
    json out = {{"stable_table_id", change.table.stable_table_id},
                {"incarnation", change.table.incarnation},
                {"table_key", change.table_key},
                {"changes", words_of(change)}};
    if (change.renamed_from) out["renamed_from"] = *change.renamed_from;
    if (change.registered_at) out["location"] = *change.registered_at;
    if (change.version) {
        out["target_version"] = change.version->target_version;
        out["entity_count"] = change.version->entity_count;
        if (change.version->table_branch) out["table_branch"] = *change.version->table_branch;
    }
    if (change.schema_hash) out["schema_hash"] = *change.schema_hash;
    return out;
}

}  // namespace

std::string block_text(change_block const& block)
{
    std::string out = record_line(block.cause);
    for (auto const& each : block.changes) {
        std::string words;
        for (auto const& word : words_of(each)) words += (words.empty() ? "" : ", ") + word;
        out += "  " + words + "  " + identity_text(each.table) + "  " + printable(each.table_key);
        if (each.renamed_from) out += "  from " + printable(*each.renamed_from);
        if (each.version) out += "  version " + std::to_string(each.version->target_version);
        out += '\n';
    }
    return out;
}

std::string block_json(change_block const& block)
{
    auto changes = json::array();
    for (auto const& each : block.changes) changes.push_back(change_object(each));
    auto const& cause = block.cause;
    json_object out;
    out.add("seq", cause.seq.value()).add("commit_id", cause.id.text()).add("parent_commit_id", json_of(cause.parent));
    out.add("created_at", cause.created_at).add("actor", cause.actor ? json(*cause.actor) : json());
    if (cause.origin) out.add("merged_parent_commit_id", cause.origin->merged_parent_commit_id.text());
    out.add("changes", changes).add("cursor", block.cursor);
    return std::move(out).line();
}

std::string page_text(feed_page const& page)
{
    return (page.caught_up ? "caught up, cursor " : "more, cursor ") + page.cursor + '\n';
}

std::string page_json(feed_page const& page)
{
    json_object out;
    out.add("cursor", page.cursor).add("caught_up", page.caught_up).add("cost", json_of(page.spent));
    return std::move(out).line();
}

}  // namespace headwater::cli
