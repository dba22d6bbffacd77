// Writes whole pieces, whatever write(2) takes of them.
#include "tools/headwater/output.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace headwater::cli {

result<void> output::write(std::string_view text)
{
    held_ += text;
    if (held_.size() >= piece || failed_) return flush();
    return {};
}

result<void> output::flush()
{
    std::string_view rest = held_;
    while (!rest.empty() && !failed_) {
        auto const taken = ::write(descriptor_, rest.data(), rest.size());
        if (taken >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(taken));
        } else if (errno != EINTR) {
            failed_ = error_code(errno, boost::system::system_category());
        }
    }
    held_.clear();
    if (failed_) return error(failed_, diagnostics("write", name_, ""));
    return {};
}

bool output::reader_gone() const
{
    pollfd watched{descriptor_, 0, 0};
    return failed_ == boost::system::errc::broken_pipe
           || (::poll(&watched, 1, 0) > 0 && (watched.revents & POLLERR) != 0);
}

}  // namespace headwater::cli
