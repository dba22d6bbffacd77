// Appends whole lines in one write each, so that commands which run together do not mix theirs.
#include "tools/headwater/proof_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace headwater::cli {

namespace {

std::string proof_line(std::string_view address, proof_of what)
{
    return std::string(what == proof_of::creates ? "creates " : "updates ") + std::string(address) + '\n';
}

}  // namespace

std::string proof_file_path(environment const& settings)
{
    auto const cache = settings("XDG_CACHE_HOME");
    if (cache && cache->starts_with('/')) return *cache + "/headwater/proofs";
    auto const home = settings("HOME");
    return home && home->starts_with('/') ? *home + "/.cache/headwater/proofs" : std::string();
}

proof_file::proof_file(std::string path) : path_(std::move(path)), lines_("\n")
{
    std::ifstream from(path_, std::ios::binary);
    std::string read(max_proof_file_bytes + 1, '\0');
    from.read(read.data(), static_cast<std::streamsize>(read.size()));
    read.resize(static_cast<std::size_t>(from.gcount()));
    if (read.size() > max_proof_file_bytes) {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
        return;
    }
    lines_ += read;
}

bool proof_file::has(std::string_view address, proof_of what) const
{
    if (lines_.find('\n' + proof_line(address, what)) != lines_.npos) return true;
    // Updates are proved beside creates, never alone.
    return what == proof_of::creates && has(address, proof_of::updates);
}

void proof_file::add(std::string_view address, proof_of what)
{
    if (path_.empty() || address.find('\n') != address.npos || has(address, what)) return;
    auto const line = proof_line(address, what);
    lines_ += line;
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
    int const file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    [[maybe_unused]] auto const written = ::write(file, line.data(), line.size());
    ::close(file);
}

}  // namespace headwater::cli
