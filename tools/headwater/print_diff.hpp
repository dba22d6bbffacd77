// print_diff: table changes as text. Pure; print.hpp says what the two forms are for.
#pragma once

#include <headwater/diff.hpp>
#include <headwater/snapshot.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

/// `{"stable_table_id":7,"incarnation":1,"changes":["renamed","repinned"],"before":{head}|null,"after":{head}|null}`
std::string change_json(table_change const& change);
/// `renamed, repinned  7/1  node:A to node:B  version 3 to 4`, without a newline.
std::string change_text(table_change const& change);

std::string diff_text(snapshot const& before, snapshot const& after, std::vector<table_change> const& changes);
std::string diff_json(std::string_view branch, snapshot const& before, snapshot const& after,
                      std::vector<table_change> const& changes, cost const& spent);

}  // namespace headwater::cli
