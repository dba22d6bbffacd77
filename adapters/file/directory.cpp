// The walk: openat with O_NOFOLLOW, name by name.
#include "adapters/file/directory.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <memory>
#include <ranges>

namespace headwater::file {

namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t directory_mode = 0777;  // Less the umask.

result<directory> open_root(std::filesystem::path const& root)
{
    auto path = root.string();
    descriptor open(uninterrupted([&] { return ::open(path.c_str(), directory_flags); }));
    if (!open) return os_error(errno, path);
    return directory{std::move(open), std::move(path)};
}

result<void> make_root(std::filesystem::path const& root, entry_syncs& syncs)
{
    std::error_code failed;
    std::vector<std::filesystem::path> missing;
    for (auto at = root; at.has_relative_path() && !std::filesystem::exists(at, failed); at = at.parent_path()) {
        missing.push_back(at);
    }
    std::filesystem::create_directories(root, failed);
    if (failed) return os_error(failed.value(), root.string());
    for (auto const& made : std::views::reverse(missing)) {
        auto const parent = open_root(made.parent_path());
        if (!parent) return parent.error();
        if (auto synced = syncs.ensure(*parent, made.string(), true); !synced) return synced;
    }
    return {};
}

// `O_DIRECTORY | O_NOFOLLOW` says ENOTDIR of links and of files alike.
error not_a_directory(directory const& in, std::string const& name, int code)
{
    auto const path = in.path_of(name);
    if (code != ENOTDIR && code != ELOOP) return os_error(code, path);
    auto const what = status_in(in, name);
    return what ? in_the_way(*what, path) : what.error();
}

}  // namespace

result<void> entry_syncs::ensure(directory const& parent, std::string const& child, bool made)
{
    if (!enabled_ || (!made && known_.contains(child))) return {};
    if (auto synced = sync(parent.open, parent.path); !synced) return synced;
    if (known_.size() >= max_known) known_.clear();
    known_.insert(child);
    return {};
}

error in_the_way(struct stat const& what, std::string_view path)
{
    std::string const where(path);
    if (S_ISLNK(what.st_mode)) return {errc::access_denied, where + ": symbolic links in a store are not followed"};
    if (S_ISDIR(what.st_mode)) return {errc::configuration, where + ": a directory stands where a file belongs"};
    if (S_ISREG(what.st_mode)) return {errc::configuration, where + ": a file stands where a directory belongs"};
    return {errc::configuration, where + ": is neither a file nor a directory"};
}

result<directory> open_below(directory const& in, std::string const& name)
{
    descriptor open(uninterrupted([&] { return ::openat(in.open.get(), name.c_str(), directory_flags | O_NOFOLLOW); }));
    if (!open) return not_a_directory(in, name, errno);
    return directory{std::move(open), in.path_of(name)};
}

result<directory> open_directory(std::filesystem::path const& root, std::vector<std::string> const& names)
{
    auto at = open_root(root);
    for (auto name = names.begin(); at && name != names.end(); ++name) {
        auto below = open_below(*at, *name);
        // Below a file there is nothing, as everywhere below a key.
        if (!below && below.error() == errc::configuration) return error(errc::not_found, at->path_of(*name));
        at = std::move(below);
    }
    return at;
}

result<directory> make_directory(std::filesystem::path const& root, std::vector<std::string> const& names,
                                 entry_syncs& syncs)
{
    auto at = open_root(root);
    if (!at && at.error() == errc::not_found) {
        if (auto made = make_root(root, syncs); !made) return made.error();
        at = open_root(root);
    }
    for (auto name = names.begin(); at && name != names.end(); ++name) {
        bool const made = ::mkdirat(at->open.get(), name->c_str(), directory_mode) == 0;
        if (!made && errno != EEXIST) return os_error(errno, at->path_of(*name));
        auto below = open_below(*at, *name);
        if (!below) return below;
        if (auto synced = syncs.ensure(*at, below->path, made); !synced) return synced.error();
        at = std::move(below);
    }
    return at;
}

result<open_file> open_in(directory const& in, std::string const& name, int flags)
{
    auto const path = in.path_of(name);
    // O_NONBLOCK: a pipe that somebody put there must not hang the opener.
    auto const how = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    open_file file;
    file.open = descriptor(uninterrupted([&] { return ::openat(in.open.get(), name.c_str(), how); }));
    if (!file.open) {
        auto const code = errno;
        if (code != ELOOP && code != EISDIR && code != ENXIO) return os_error(code, path);
        auto const what = status_in(in, name);
        return what ? in_the_way(*what, path) : what.error();
    }
    if (::fstat(file.open.get(), &file.status) != 0) return os_error(errno, path);
    if (!S_ISREG(file.status.st_mode)) return in_the_way(file.status, path);
    return file;
}

result<struct stat> status_in(directory const& in, std::string const& name)
{
    struct stat status {};
    if (::fstatat(in.open.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return os_error(errno, in.path_of(name));
    }
    return status;
}

result<directory_names> names_in(directory const& from)
{
    // A descriptor of its own: fdopendir keeps what it is given, and its position with it.
    descriptor own(uninterrupted([&] { return ::openat(from.open.get(), ".", directory_flags); }));
    if (!own) return os_error(errno, from.path);
    std::unique_ptr<DIR, int (*)(DIR*)> const stream(::fdopendir(own.get()), ::closedir);
    if (!stream) return os_error(errno, from.path);
    own.release();
    directory_names names;
    for (errno = 0; auto const* entry = ::readdir(stream.get()); errno = 0) {
        std::string name(entry->d_name);
        if (name == "." || name == "..") continue;
        auto type = entry->d_type;
        if (type == DT_UNKNOWN) {
            auto const status = status_in(from, name);
            if (!status) continue;
            type = S_ISREG(status->st_mode) ? DT_REG : S_ISDIR(status->st_mode) ? DT_DIR : DT_LNK;
        }
        if (type == DT_REG)
            names.files.push_back(std::move(name));
        else if (type == DT_DIR)
            names.directories.push_back(std::move(name));
    }
    if (errno != 0) return os_error(errno, from.path);
    return names;
}

}  // namespace headwater::file
