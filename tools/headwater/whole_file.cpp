// A name beside the one that is wanted, and rename.
#include "tools/headwater/whole_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <stdio.h>
#include <unistd.h>
#include <utility>

namespace headwater::cli {

whole_file::whole_file(std::string path, std::string operation)
    : path_(std::move(path)), operation_(std::move(operation))
{
}

whole_file::~whole_file()
{
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!finished_ && !unfinished_.empty()) ::unlink(unfinished_.c_str());
}

result<void> whole_file::open()
{
    std::error_code ignored;
    auto const status = std::filesystem::status(path_, ignored);
    bool const in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    // A link stays; the file that it leads to is replaced.
    if (std::filesystem::is_regular_file(status)) {
        auto const target = std::filesystem::canonical(path_, ignored);
        if (!ignored) path_ = target.string();
    }
    if (!in_place) unfinished_ = path_ + ".tmp." + std::to_string(::getpid());
    auto const& name = in_place ? path_ : unfinished_;
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC | (in_place ? 0 : O_CREAT | O_EXCL), 0644);
    if (descriptor_ < 0) return failed();
    to_ = std::make_unique<output>(descriptor_, name);
    return {};
}

result<void> whole_file::finish()
{
    if (auto flushed = to_->flush(); !flushed) return flushed;
    if (unfinished_.empty()) return {};
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
