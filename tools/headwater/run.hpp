// run: one command line from its arguments to its exit code.
#pragma once

#include "tools/headwater/arguments.hpp"
#include "tools/headwater/output.hpp"
#include "tools/headwater/print.hpp"

namespace headwater::cli {

/// Writes what is held back, then the error if there is one, and says what the process ends with.
exit_code finish(result<void> done, bool json, output& results, output& messages);

/// Runs the command on an executor of its own. The answer goes to `results`, errors and warnings to `messages`; nothing
/// is thrown but for lack of memory.
exit_code run(arguments const& wanted, output& results, output& messages);

}  // namespace headwater::cli
