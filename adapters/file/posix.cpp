// What each errno means for the caller, and the loops around the calls.
#include "adapters/file/posix.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <system_error>

namespace headwater::file {

namespace {

errc meaning_of(int code) noexcept
{
    switch (code) {
    case ENOENT: return errc::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
    case EMFILE:  // Nor does waiting give back descriptors; and it is no answer about what is there.
    case ENFILE: return errc::access_denied;
    // Trying again will not make room: these end at once, with the path in the message.
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return errc::limit_exceeded;
    case ENAMETOOLONG:
    case EINVAL: return errc::invalid_argument;
    case EEXIST:  // As what it is not: a link that leads nowhere where a directory belongs.
    case ENOTDIR:
    case EISDIR:
    case ELOOP: return errc::configuration;
    case ENOSYS:
    case EOPNOTSUPP:
    case ENOLCK: return errc::unsupported;
    default: return errc::unavailable;
    }
}

}  // namespace

// Not repeated after EINTR: on Linux the descriptor is gone then, and its number may be another's.
descriptor::~descriptor()
{
    if (number_ >= 0) ::close(number_);
}

error os_error(int code, std::string_view path)
{
    return {meaning_of(code), std::string(path) + ": " + std::generic_category().message(code)};
}

result<void> write_all(descriptor const& to, std::string_view content, std::string_view path)
{
    while (!content.empty()) {
        auto const written = uninterrupted([&] { return ::write(to.get(), content.data(), content.size()); });
        if (written < 0) return os_error(errno, path);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

result<bytes> read_exactly(descriptor const& from, std::uint64_t offset, std::uint64_t length, std::string_view path)
{
    std::string content(static_cast<std::size_t>(length), '\0');
    for (std::size_t have = 0; have < content.size();) {
        auto const got = uninterrupted([&] {
            return ::pread(from.get(), content.data() + have, content.size() - have, static_cast<off_t>(offset + have));
        });
        if (got < 0) return os_error(errno, path);
        if (got == 0) return error(errc::unavailable, std::string(path) + ": became shorter while it was read");
        have += static_cast<std::size_t>(got);
    }
    return bytes(std::move(content));
}

result<void> sync(descriptor const& what, std::string_view path)
{
    if (uninterrupted([&] { return ::fsync(what.get()); }) != 0) return os_error(errno, path);
    return {};
}

result<bool> try_lock(descriptor const& what, std::string_view path)
{
    if (uninterrupted([&] { return ::flock(what.get(), LOCK_EX | LOCK_NB); }) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    return os_error(errno, path);
}

}  // namespace headwater::file
