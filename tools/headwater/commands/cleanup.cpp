// headwater cleanup: the roots go to a file that appears only when they are complete.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/print_upkeep.hpp"

#include <headwater/cleanup.hpp>

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <stdio.h>
#include <unistd.h>

namespace headwater::cli {

namespace {

// Written beside its name, and renamed over it at the end.
class roots_file {
public:
    explicit roots_file(std::string path) : path_(std::move(path)), unfinished_(path_ + ".tmp") {}
    roots_file(roots_file const&) = delete;
    roots_file& operator=(roots_file const&) = delete;
    ~roots_file()
    {
        if (descriptor_ < 0) return;
        ::close(descriptor_);
        if (!finished_) ::unlink(unfinished_.c_str());
    }

    result<void> open()
    {
        descriptor_ = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (descriptor_ < 0) return failed();
        to_ = std::make_unique<output>(descriptor_, unfinished_);
        return {};
    }
    result<void> write(root const& one) { return to_->write(root_line(one)); }
    result<void> finish()
    {
        if (auto flushed = to_->flush(); !flushed) return flushed;
        if (::fsync(descriptor_) != 0 || ::rename(unfinished_.c_str(), path_.c_str()) != 0) return failed();
        finished_ = true;
        return {};
    }

private:
    error failed() const
    {
        boost::system::error_code const why(errno, boost::system::system_category());
        return {errc::configuration, diagnostics("cleanup", path_, "the roots cannot be written: " + why.message())};
    }

    std::string path_;
    std::string unfinished_;
    int descriptor_ = -1;
    bool finished_ = false;
    std::unique_ptr<output> to_;
};

}  // namespace

task<void> perform(session& in, cleanup_arguments const& wanted)
{
    cleanup_options how;
    how.keep = wanted.keep;
    how.older_than = wanted.older_than;
    how.confirm = wanted.confirm;
    how.wait = wanted.wait;
    how.quiesced = wanted.quiesced;
    roots_file file(wanted.roots.value_or(""));
    root_sink sink;
    if (wanted.roots) {
        if (auto opened = file.open(); !opened) co_return opened.error();
        sink = [&file](root const& one) { return file.write(one); };
    }
    auto const done = co_await cleanup(in.store(), in.time(), how, std::move(sink));
    if (!done) co_return done.error();
    if (wanted.roots) {
        if (auto finished = file.finish(); !finished) co_return finished.error();
    }
    co_return in.answer(cleanup_json(*done), cleanup_text(*done), done->spent);
}

}  // namespace headwater::cli
