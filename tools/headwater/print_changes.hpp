// print_changes: the change feed as text. Pure; print.hpp says what the two forms are for.
#pragma once

#include <headwater/feed.hpp>

#include <string>

namespace headwater::cli {

/// One commit and, indented, its tables.
std::string block_text(change_block const& block);
/// `{"seq","commit_id","parent_commit_id","created_at","actor","merged_parent_commit_id"?,"changes":[…],"cursor"}`, one
/// line. A change:
/// `{"stable_table_id","incarnation","table_key","changes":["registered","pinned"],"renamed_from"?,"location"?,
/// "target_version"?,"entity_count"?,"table_branch"?,"schema_hash"?}`.
std::string block_json(change_block const& block);

/// Where to go on, and whether there was more.
std::string page_text(feed_page const& page);
/// `{"cursor","caught_up","cost"}`, one line.
std::string page_json(feed_page const& page);

}  // namespace headwater::cli
