// A name beside the one that is wanted, and rename.
#include "tools/headwater/whole_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <utility>

namespace headwater::cli {

whole_file::whole_file(std::string path, std::string operation)
    : path_(std::move(path)), operation_(std::move(operation)), unfinished_(path_ + ".tmp")
{
}

whole_file::~whole_file()
{
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!finished_) ::unlink(unfinished_.c_str());
}

result<void> whole_file::open()
{
    descriptor_ = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) return failed();
    to_ = std::make_unique<output>(descriptor_, unfinished_);
    return {};
}

result<void> whole_file::finish()
{
    if (auto flushed = to_->flush(); !flushed) return flushed;
    if (::fsync(descriptor_) != 0 || ::rename(unfinished_.c_str(), path_.c_str()) != 0) return failed();
    finished_ = true;
    return {};
}

error whole_file::failed() const
{
    boost::system::error_code const why(errno, boost::system::system_category());
    return {errc::configuration, diagnostics(operation_, path_, "the file cannot be written: " + why.message())};
}

}  // namespace headwater::cli
