// System calls as values: descriptors that close themselves, calls that survive signals, errno as an error that says
// which path and what to do. Nothing here knows of keys.
#pragma once

#include <headwater/bytes.hpp>
#include <headwater/error.hpp>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace headwater::file {

/// An open file descriptor, or none.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor();

    int get() const noexcept { return number_; }
    /// Gives the descriptor away: somebody else closes it.
    int release() noexcept { return std::exchange(number_, -1); }
    explicit operator bool() const noexcept { return number_ >= 0; }

private:
    int number_ = -1;
};

/// Calls until it is not a signal that ends the call.
template <class Call>
auto uninterrupted(Call call)
{
    auto answer = call();
    while (answer == -1 && errno == EINTR) answer = call();
    return answer;
}

/// `errno` as an error about `path`: the code says what to do, the detail names path and cause.
error os_error(int code, std::string_view path);

/// Writes all of `content` to the file's current position.
result<void> write_all(descriptor const& to, std::string_view content, std::string_view path);
/// `length` bytes from `offset` on; `unavailable` if the file is shorter by now.
result<bytes> read_exactly(descriptor const& from, std::uint64_t offset, std::uint64_t length, std::string_view path);
/// Waits until the medium has the file's or directory's content.
result<void> sync(descriptor const& what, std::string_view path);
/// Takes the exclusive lock on this file (flock), released with the descriptor, also by a crash. False: another has it.
result<bool> try_lock(descriptor const& what, std::string_view path);

}  // namespace headwater::file
