// run: one command line from its arguments to its exit code.
#pragma once

#include "tools/headwater/arguments.hpp"
#include "tools/headwater/output.hpp"
#include "tools/headwater/print.hpp"

namespace headwater::cli {

/// Runs the command on an executor of its own. The answer goes to `results`, errors and warnings to `messages`.
exit_code run(arguments const& wanted, output& results, output& messages);

}  // namespace headwater::cli
