// own_folders: the folders that a trial of a store makes where keys are files, gone again when the trial has ended. A
// store itself leaves empty folders: in a graph somebody may be about to write to them.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace headwater::cli {

class own_folders {
public:
    /// Before anything is written to the store at `address`; where it does not keep files, all this does nothing.
    explicit own_folders(std::string_view address);
    own_folders(own_folders const&) = delete;
    own_folders& operator=(own_folders const&) = delete;
    /// Removes the store's own folder and those above it, if they were not there before and are empty.
    ~own_folders();

    /// Removes the empty folders of the keys that began with `prefix`, which nobody else's do.
    void clear(std::string_view prefix) const;

private:
    std::filesystem::path root_;                  ///< Empty: no files.
    std::vector<std::filesystem::path> missing_;  ///< The lowest first.
};

}  // namespace headwater::cli
