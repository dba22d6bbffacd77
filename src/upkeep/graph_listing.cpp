// Lists, parses names, keeps what the plans need.
#include "src/upkeep/graph_listing.hpp"

#include "src/format/object_layout.hpp"

#include <algorithm>
#include <array>

namespace headwater {

namespace {

bool after(std::optional<time_ms> modified, std::optional<time_ms> limit)
{
    return limit && (!modified || *modified > *limit);
}

void lower(std::optional<sequence>& least, sequence seq) { least = std::min(least.value_or(seq), seq); }

}  // namespace

void stream_facts::take(object_meta const& row, stream_id const& stream, age_limits const& limits)
{
    auto const& key = row.key.text();
    bool const is_young = after(row.last_modified, limits.young_after);
    if (auto const seq = layout::parse_record(key, stream)) {
        records.add(*seq);
        if (!is_young) settled_records.add(*seq);
        if (is_young) lower(oldest_young, *seq);
        if (after(row.last_modified, limits.kept_after)) lower(oldest_kept, *seq);
    } else if (auto const at = layout::parse_checkpoint(key, stream)) {
        checkpoints.add(*at);
        if (!is_young) settled_checkpoints.add(*at);
    } else if (row.key == layout::hint(stream)) {
        hint = true;
    } else {
        stray.push_back(row.key);
        if (!is_young && layout::is_temporary(key)) leftovers.push_back(row.key);
    }
    young |= is_young;
}

task<stream_facts> list_stream(object_store& store, stream_id stream, age_limits limits)
{
    stream_facts out;
    listing pages(store, layout::record_prefix(stream));
    for (;;) {
        auto page = co_await pages.next();
        if (!page) co_return page.error();
        if (!*page) co_return out;
        for (auto const& row : (*page)->objects) out.take(row, stream, limits);
    }
}

task<std::vector<stream_id>> list_folders(object_store& store, std::vector<object_key>* stray)
{
    std::array const known = {layout::metadata_prefix(), layout::names_prefix(), layout::tombstones_prefix(),
                              layout::graph_prefix() + "ids/", layout::graph_prefix() + "conversion/"};
    std::vector<stream_id> out;
    listing pages(store, layout::graph_prefix(), "/");
    for (;;) {
        auto page = co_await pages.next();
        if (!page) co_return page.error();
        if (!*page) break;
        for (auto const& folder : (*page)->common_prefixes) {
            if (std::ranges::find(known, folder) != known.end()) continue;
            auto const stream = layout::parse_record_prefix(folder);
            if (stream) out.push_back(*stream);
            if (!stream && stray) stray->emplace_back(folder);
        }
        for (auto const& row : (*page)->objects) {
            if (row.key != layout::format() && stray) stray->push_back(row.key);
        }
    }
    std::ranges::sort(out);
    auto const rest = std::ranges::unique(out);
    out.erase(rest.begin(), rest.end());
    co_return out;
}

}  // namespace headwater
