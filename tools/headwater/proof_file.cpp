// Appends whole lines in one write each, so that commands which run together do not mix theirs.
#include "tools/headwater/proof_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace headwater::cli {

namespace {

std::string proof_line(std::string_view address, proof_of what)
{
    return std::string(what == proof_of::creates ? "creates " : "updates ") + std::string(address) + '\n';
}

// Opens only what is a file: a pipe or a device would be waited for, and has no end.
int open_proofs(std::string const& path, int how)
{
    int const file = ::open(path.c_str(), how | O_CLOEXEC | O_NONBLOCK, 0600);
    struct stat what {};
    if (file < 0 || (::fstat(file, &what) == 0 && S_ISREG(what.st_mode))) return file;
    ::close(file);
    return -1;
}

// At most `size` bytes of it.
std::string read_proofs(std::string const& path, std::size_t size)
{
    std::string out(size, '\0');
    std::size_t taken = 0;
    int const file = open_proofs(path, O_RDONLY);
    for (ssize_t more = 1; file >= 0 && more > 0 && taken < size; taken += static_cast<std::size_t>(more)) {
        more = std::max<ssize_t>(::read(file, out.data() + taken, size - taken), 0);
    }
    if (file >= 0) ::close(file);
    out.resize(taken);
    return out;
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
    auto const read = read_proofs(path_, max_proof_file_bytes + 1);
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
    int const file = open_proofs(path_, O_WRONLY | O_APPEND | O_CREAT);
    if (file < 0) return;
    [[maybe_unused]] auto const written = ::write(file, line.data(), line.size());
    ::close(file);
}

}  // namespace headwater::cli
