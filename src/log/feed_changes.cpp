// One record's four lists, gathered by table.
#include <headwater/feed.hpp>

#include <map>

namespace headwater {

std::vector<feed_change> changes_of(record const& from)
{
    std::map<table_identity, feed_change> by_table;
    auto const change = [&](table_identity table, std::string const& key) -> feed_change& {
        auto& out = by_table[table];
        out.table = table;
        out.table_key = key;
        return out;
    };
    for (auto const& each : from.tombstones) change(each.table, each.table_key).dropped = true;
    for (auto const& each : from.renames) change(each.table, each.to).renamed_from = each.from;
    for (auto const& each : from.registrations) {
        auto& out = change(each.table, each.table_key);
        out.registered_at = each.location;
        out.schema_hash = each.schema_hash;
    }
    for (auto const& each : from.pins) {
        auto& out = change(each.table, each.table_key);
        out.version = each.version;
        if (each.schema_hash) out.schema_hash = each.schema_hash;
    }
    std::vector<feed_change> out;
    out.reserve(by_table.size());
    for (auto& [table, each] : by_table) out.push_back(std::move(each));
    return out;
}

}  // namespace headwater
