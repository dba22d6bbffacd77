// Reads in pieces; what is held never exceeds the bound by more than one.
#include "tools/headwater/input.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace headwater::cli {

namespace {

constexpr std::size_t piece = 64 << 10;

error failed(errc code, std::string const& name, int reason)
{
    return {code, diagnostics("read", name, boost::system::system_category().message(reason))};
}

}  // namespace

result<input> input::open(std::string const& path)
{
    if (path == "-") return input(STDIN_FILENO, "stdin");
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return failed(errc::invalid_argument, path, errno);
    return input(descriptor, path);
}

input::input(input&& from) noexcept
    : descriptor_(std::exchange(from.descriptor_, -1)),
      name_(std::move(from.name_)),
      held_(std::move(from.held_)),
      begin_(from.begin_),
      searched_(from.searched_)
{
}

input::~input()
{
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

result<std::string> input::all(read_limit most)
{
    for (;;) {
        auto const more = read_more();
        if (!more) return more.error();
        if (held_.size() > most.bytes) return too_long("it", most);
        if (*more == 0) return std::move(held_);
    }
}

result<std::optional<std::string_view>> input::line(read_limit most, stop_request& stop)
{
    for (;;) {
        auto const end = held_.find('\n', searched_);
        std::size_t const length = std::min(end, held_.size()) - begin_;
        if (length > most.bytes) return too_long("a line", most);
        if (end != held_.npos) {
            auto const out = std::string_view(held_).substr(begin_, length);
            begin_ = searched_ = end + 1;
            return std::optional(out);
        }
        held_.erase(0, begin_);
        begin_ = 0;
        searched_ = held_.size();
        if (!stop.wait_readable(descriptor_)) return std::optional<std::string_view>();
        auto const more = read_more();
        if (!more) return more.error();
        if (*more > 0) continue;
        if (held_.empty()) return std::optional<std::string_view>();
        begin_ = held_.size();
        return std::optional<std::string_view>(held_);
    }
}

// How many bytes came; 0 at the end.
result<std::size_t> input::read_more()
{
    auto const had = held_.size();
    held_.resize(had + piece);
    ssize_t taken = -1;
    do {
        taken = ::read(descriptor_, held_.data() + had, piece);
    } while (taken < 0 && errno == EINTR);
    int const reason = errno;
    held_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(taken, 0)));
    if (taken < 0) return failed(errc::invalid_argument, name_, reason);
    return static_cast<std::size_t>(taken);
}

error input::too_long(std::string_view what, read_limit most) const
{
    return {errc::invalid_argument, diagnostics("read", name_,
                                                std::string(what) + " is longer than " + std::string(most.name) + ", "
                                                    + std::to_string(most.bytes) + " bytes")};
}

}  // namespace headwater::cli
