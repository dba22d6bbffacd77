// What every file owes its reader beside what clang-format sees to: an opening that says why it is there, and no
// leftovers.
#pragma once

#include "tests/architecture/source_file.hpp"

#include <cstddef>
#include <vector>

namespace headwater::architecture {

inline constexpr std::size_t max_opening_lines = 8;
inline constexpr std::size_t max_columns = 120;

/// Every rule that `file` breaks.
std::vector<finding> check_prose(source_file const& file);

}  // namespace headwater::architecture
