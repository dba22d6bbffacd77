// The file adapter's work, blocking and without coroutines: objects as files below one root.
//
// A file that has its final name is complete and never changes; another version is another file, renamed over it. So
// readers need no lock. Who replaces or removes holds the lock (flock) of the very file that has the name: no lock
// file to leave behind, to list or to lose, and the kernel releases it when its holder dies.
#pragma once

#include "adapters/file/directory.hpp"
#include "adapters/file/key_path.hpp"
#include "adapters/file/staged_file.hpp"

#include <headwater/adapters/file.hpp>

#include <set>

namespace headwater::file {

/// What a write does about folders on its way that are not there.
enum class folders { made, needed };

/// Keys are checked by the caller. Errors as the port's, with paths in their details and nothing else filled in.
class file_tree {
public:
    file_tree(file_options options, random& chance);

    result<object> read(std::string_view key, get_options const& options) const;
    result<object_meta> describe(std::string_view key) const;
    /// The etag that any file with this content has: the hash of it.
    static etag tag_of(bytes const& content);

    /// `outcome_unknown` only when the name may stand, or be gone, but was not synced; a loser syncs the winner's name.
    result<outcome> create(std::string_view key, bytes const& content);
    /// The same of the next three, which take the name's lock, never wait for it, and may be called again after
    /// `locked`. What is staged before is no reason for others to wait for our disk. `folders::needed`: `not_found`.
    result<staged_file> stage(std::string_view key, bytes const& content, folders missing);
    result<outcome> replace(staged_file& ours);
    result<outcome> replace_if(staged_file& ours, etag const& expected);
    result<outcome> remove(std::string_view key);

    /// All keys with this prefix that are greater than `floor`.
    result<std::set<std::string, std::less<>>> keys(std::string_view prefix, std::string_view floor) const;
    /// A listing's row: size and time, no etag. `not_found` if it has gone by now.
    result<object_meta> row(std::string_view key) const;

    std::filesystem::path const& root() const noexcept { return root_; }

private:
    result<staged_file> write_beside(std::shared_ptr<directory const> in, std::string const& name,
                                     bytes const& content);
    result<void> sync_names(directory const& in) const;
    result<outcome> after_sync(directory const& in, outcome ended) const;

    std::filesystem::path const root_;
    bool const synced_;
    random& chance_;
    entry_syncs syncs_;
};

}  // namespace headwater::file
