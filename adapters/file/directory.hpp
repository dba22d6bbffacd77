// Directories below the root, opened one name at a time and never through a symbolic link: nothing that lies in the
// store can lead out of it.
#pragma once

#include "adapters/file/posix.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace headwater::file {

/// One open directory and its path, for messages.
struct directory {
    descriptor open;
    std::string path;

    std::string path_of(std::string_view name) const { return path + '/' + std::string(name); }
};

/// Makes sure that directories can be found again after a crash of the machine: the entry that names a directory is
/// synced when this process made it or meets it for the first time (its maker may have died in between).
class entry_syncs {
public:
    /// With `enabled` false it does nothing.
    explicit entry_syncs(bool enabled) : enabled_(enabled) {}

    /// Syncs `parent` unless it is known to hold the entry of the directory at `child` on the medium.
    result<void> ensure(directory const& parent, std::string const& child, bool made);

private:
    static constexpr std::size_t max_known = 4096;  // Then it forgets, and syncs again.

    bool const enabled_;
    std::unordered_set<std::string> known_;
};

/// The directory `name` in `in`. `access_denied` if it is a symbolic link, `configuration` if it is another file.
result<directory> open_below(directory const& in, std::string const& name);
/// The directory that `names` lead to from `root`. `not_found` where one is missing or is a file; `access_denied` at a
/// symbolic link.
result<directory> open_directory(std::filesystem::path const& root, std::vector<std::string> const& names);
/// The same, and makes what is missing, the root too. `configuration` where a file is in the way.
result<directory> make_directory(std::filesystem::path const& root, std::vector<std::string> const& names,
                                 entry_syncs& syncs);

/// A regular file that stands open for reading, and what it is.
struct open_file {
    descriptor open;
    struct stat status {};
};

/// Opens `name` in `in` with `flags` (O_RDONLY or O_RDWR). `not_found` if it is missing, `access_denied` if it is a
/// symbolic link, `configuration` if it is no file.
result<open_file> open_in(directory const& in, std::string const& name, int flags);

/// What stands at `name`, itself if it is a link; `not_found`.
result<struct stat> status_in(directory const& in, std::string const& name);

/// The error for something at `path` that is no regular file and stands where an object belongs.
error in_the_way(struct stat const& what, std::string_view path);

/// The names in `from`, without `.` and `..`: regular files, and directories.
struct directory_names {
    std::vector<std::string> files;
    std::vector<std::string> directories;
};
result<directory_names> names_in(directory const& from);

}  // namespace headwater::file
