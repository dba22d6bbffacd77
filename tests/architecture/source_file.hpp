// A source file as the architecture tests see it: a path from the source root, and lines.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::architecture {

struct source_file {
    std::string path;  ///< From the source root, with forward slashes: `src/log/tail.hpp`.
    std::vector<std::string> lines;
};

/// A broken rule, and where.
struct finding {
    std::string path;
    std::size_t line = 0;  ///< From 1.
    std::string what;

    friend std::ostream& operator<<(std::ostream& out, finding const& found);
};

/// Splits `text` into a file's lines; for tests of the rules.
source_file make_source(std::string path, std::string_view text);

/// Every .hpp and .cpp file below the folder `top` of the source root; none if there is no such folder.
std::vector<source_file> read_sources(std::string const& top);

}  // namespace headwater::architecture
