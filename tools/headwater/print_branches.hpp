// print_branches: what the branch verbs answer. Pure, as print.
#pragma once

#include <headwater/cost.hpp>
#include <headwater/merge.hpp>
#include <headwater/stream_metadata.hpp>

#include <string>
#include <vector>

namespace headwater::cli {

std::string branch_created_text(stream_metadata const& made);
/// `{"branch":"review","stream":"review.01…","parent":{"stream":"main","seq":7,"commit_id":"…"|null},"creator":"…",
/// "created_at":ms,"floor":7,"cost":{…}}`
std::string branch_created_json(stream_metadata const& made, cost const& spent);

std::string branch_list_text(std::vector<stream_metadata> const& live);
/// `{"branches":[{as created; parent null for main}],"cost":{…}}`
std::string branch_list_json(std::vector<stream_metadata> const& live, cost const& spent);

std::string branch_deleted_text(stream_metadata const& ended);
/// `{"branch":"review","stream":"review.01…","final_seq":9,"cost":{…}}`
std::string branch_deleted_json(stream_metadata const& ended, cost const& spent);

std::string branch_merged_text(merge_receipt const& done, bool removed);
/// `{"outcome":"merged","seq":9,"commit_id":"…"|null,"stream":"main","source":{"stream","seq","commit_id"|null},
/// "base":"…"|null,"attempts":1,"source_deleted":false,"cost":{…}}`; the outcome is `already_up_to_date`,
/// `fast_forward` or `merged`, seq and commit_id are the target's newest commit.
std::string branch_merged_json(merge_receipt const& done, bool removed, cost const& spent);

}  // namespace headwater::cli
