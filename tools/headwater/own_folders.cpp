// Removes one folder at a time, from the lowest up: one that is not empty stays, and so do those above it.
#include "tools/headwater/own_folders.hpp"

#include <algorithm>
#include <system_error>

namespace headwater::cli {

namespace fs = std::filesystem;

own_folders::own_folders(std::string_view address)
{
    constexpr std::string_view scheme = "file://";
    if (!address.starts_with(scheme)) return;
    root_ = address.substr(scheme.size());
    std::error_code failed;
    for (auto at = root_; at.has_relative_path() && !fs::exists(at, failed); at = at.parent_path()) {
        missing_.push_back(at);
    }
}

own_folders::~own_folders()
{
    std::error_code ignored;
    for (auto const& each : missing_) fs::remove(each, ignored);
}

void own_folders::clear(std::string_view prefix) const
{
    if (root_.empty()) return;
    auto const top = root_ / prefix.substr(0, prefix.find('/'));
    std::vector<fs::path> folders{top};
    std::error_code ended;
    for (fs::recursive_directory_iterator at(top, ended), end; !ended && at != end; at.increment(ended)) {
        if (at->is_directory(ended) && !at->is_symlink(ended)) folders.push_back(at->path());
    }
    std::ranges::reverse(folders);  // What lies in a folder came after it.
    std::error_code ignored;
    for (auto const& each : folders) fs::remove(each, ignored);
}

}  // namespace headwater::cli
