// proving: what a verb asks of the store before it does what a store with broken conditions would make dangerous.
#pragma once

#include "tools/headwater/session.hpp"

#include <headwater/task.hpp>

namespace headwater::cli {

/// `unsupported` unless the store proves, in 17 requests, that it updates under a condition.
task<void> prove_updates(session& in);

}  // namespace headwater::cli
