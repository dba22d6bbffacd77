// answers: the JSON that each verb prints, as its help shows it. tests/cli/answers_test.py reads the help and holds
// what the program prints against it.
#pragma once

#include <string>
#include <string_view>

namespace headwater::cli {

/// The part of a verb's help about `--json`; `verb` as one types it: `branch create`. Precondition: there is such a
/// verb.
std::string answer_help(std::string_view verb);

}  // namespace headwater::cli
