// Reads the sources that the architecture tests judge.
#include "tests/architecture/source_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

namespace headwater::architecture {

std::ostream& operator<<(std::ostream& out, finding const& found)
{
    return out << found.path << ':' << found.line << ": " << found.what;
}

source_file make_source(std::string path, std::string_view text)
{
    source_file out{std::move(path), {}};
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        out.lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::vector<source_file> read_sources(std::string const& top)
{
    namespace fs = std::filesystem;
    fs::path const root(HEADWATER_SOURCE_DIR);
    std::vector<source_file> out;
    if (!fs::exists(root / top)) return out;
    for (auto const& entry : fs::recursive_directory_iterator(root / top)) {
        auto const extension = entry.path().extension();
        if (extension != ".hpp" && extension != ".cpp") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        std::string const text(std::istreambuf_iterator<char>(in), {});
        out.push_back(make_source(fs::relative(entry.path(), root).generic_string(), text));
    }
    return out;
}

}  // namespace headwater::architecture
