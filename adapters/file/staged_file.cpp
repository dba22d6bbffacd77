// Renaming and linking by the directory that stands open, so that nothing on the way there can be swapped.
#include "adapters/file/staged_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace headwater::file {

namespace {

error cannot_link(int code, std::string_view path)
{
    auto what = os_error(code, path);
    if (code != EPERM && code != EOPNOTSUPP && code != ENOSYS && code != EMLINK) return what;
    return with(error(errc::unsupported), [&](diagnostics& why) {
        why.detail = what.why()->detail + ": exclusive creation needs a file system with hard links";
    });
}

}  // namespace

staged_file::~staged_file()
{
    if (in_ && !name_.empty()) ::unlinkat(in_->open.get(), name_.c_str(), 0);
}

result<void> staged_file::rename()
{
    auto const at = in_->open.get();
    if (::renameat(at, name_.c_str(), at, target_.c_str()) != 0) return os_error(errno, in_->path_of(target_));
    name_.clear();
    return {};
}

result<outcome> staged_file::link() const
{
    auto const at = in_->open.get();
    if (::linkat(at, name_.c_str(), at, target_.c_str(), 0) == 0) return outcome::written;
    auto const code = errno;
    // NFS may have linked and lost the answer; then the second try says EEXIST, and the count tells.
    struct stat status {};
    if (code == EEXIST && ::fstat(open_.get(), &status) == 0 && status.st_nlink > 1) return outcome::written;
    if (code == EEXIST) return outcome::lost;
    return cannot_link(code, in_->path_of(target_));
}

}  // namespace headwater::file
