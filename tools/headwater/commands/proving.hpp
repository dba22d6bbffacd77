// proving: what a verb asks of the store before it does what a store with broken conditions would make dangerous.
#pragma once

#include "tools/headwater/session.hpp"

#include <headwater/probe.hpp>
#include <headwater/task.hpp>

namespace headwater::cli {

/// `unsupported` unless the store has proved this, to this command or to an earlier one of the same user: 14 requests
/// for creates, 17 for updates, none when it is remembered. Nothing is tried where there is no graph: the errors are
/// then those of reading one.
task<void> prove(session& in, proof_of what);
/// The same of updates, for upkeep: also where nothing can be read.
task<void> prove_updates(session& in);
/// What the store has proved in another way: by `init`.
void remember_proof(session& in, proof_of what);

}  // namespace headwater::cli
