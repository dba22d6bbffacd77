// commands: one coroutine for each verb. Each acts through a session and writes its answer to the session's results;
// its error becomes the exit code.
#pragma once

#include "tools/headwater/session.hpp"

#include <headwater/task.hpp>

namespace headwater::cli {

task<void> perform(session& in, init_arguments const& wanted);
task<void> perform(session& in, demo_arguments const& wanted);
task<void> perform(session& in, create_arguments const& wanted);
task<void> perform(session& in, import_arguments const& wanted);
task<void> perform(session& in, list_arguments const& wanted);
task<void> perform(session& in, show_arguments const& wanted);
task<void> perform(session& in, snapshot_arguments const& wanted);
task<void> perform(session& in, diff_arguments const& wanted);
task<void> perform(session& in, heads_list_arguments const& wanted);
task<void> perform(session& in, heads_show_arguments const& wanted);
task<void> perform(session& in, heads_verify_arguments const& wanted);
task<void> perform(session& in, resolve_arguments const& wanted);
task<void> perform(session& in, changes_arguments const& wanted);
task<void> perform(session& in, branch_create_arguments const& wanted);
task<void> perform(session& in, branch_list_arguments const& wanted);
task<void> perform(session& in, branch_delete_arguments const& wanted);
task<void> perform(session& in, branch_merge_arguments const& wanted);
task<void> perform(session& in, cleanup_arguments const& wanted);
task<void> perform(session& in, verify_arguments const& wanted);
task<void> perform(session& in, repair_arguments const& wanted);
task<void> perform(session& in, probe_arguments const& wanted);
task<void> perform(session& in, conform_arguments const& wanted);
task<void> perform(session& in, bench_arguments const& wanted);
task<void> perform(session& in, presign_arguments const& wanted);
/// Needs no graph.
result<void> print_version(output& to, bool json);

}  // namespace headwater::cli
