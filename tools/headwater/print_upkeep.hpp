// print_upkeep: what cleanup, verify and repair answer. Pure, as print.
#pragma once

#include <headwater/cleanup.hpp>
#include <headwater/repair.hpp>
#include <headwater/verify.hpp>

#include <string>

namespace headwater::cli {

std::string cleanup_text(cleanup_report const& done);
/// `{"confirmed":true,"streams":[{"stream","retired","pinned","newest","floor_before","floor","records","checkpoints",
/// "records_later","checkpoints_later","fault":"…"|null}],"unfinished":[…],"tombstone_sets":n,"schemas":n,
/// "leftovers":n,"hints":n,"due":"…"|null,"cost":{…}}`
std::string cleanup_json(cleanup_report const& done);
/// One line of a roots file: `{"stable_table_id","incarnation","table_key","location","target_version",
/// "staged_version"|null,"transaction_uuid"|null,"table_branch"|null}`.
std::string root_line(root const& one);

std::string verify_text(verify_report const& done);
/// `{"corrupt":false,"streams":n,"records":n,"checkpoints":n,"findings":[{"finding","corrupt","key","stream"|null,
/// "seq"|null,"detail"}],"cost":{…}}`
std::string verify_json(verify_report const& done);

std::string repair_text(repair_report const& done);
/// `{"corrupt":false,"steps":[{"outcome", and what verify says}],"cost":{…}}`
std::string repair_json(repair_report const& done);

}  // namespace headwater::cli
