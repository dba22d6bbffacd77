// input: a file or stdin, read with a bound, whole or line by line.
#pragma once

#include "tools/headwater/stop_request.hpp"

#include <headwater/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headwater::cli {

/// How much may be read, and what the limit is called.
struct read_limit {
    std::string_view name;
    std::size_t bytes;
};

class input {
public:
    /// `-` is stdin. `invalid_argument` if the file cannot be opened.
    static result<input> open(std::string const& path);
    input(input&& from) noexcept;
    input& operator=(input&&) = delete;
    ~input();

    /// All of it; more than `most` is `invalid_argument`.
    result<std::string> all(read_limit most);
    /// The next line, without its end; nothing at the end of the input or when a stop was asked for. The view holds
    /// until the next call. A line longer than `most` is `invalid_argument`.
    result<std::optional<std::string_view>> line(read_limit most, stop_request& stop);

private:
    input(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
    result<std::size_t> read_more();
    error too_long(std::string_view what, read_limit most) const;

    int descriptor_;
    std::string name_;
    std::string held_;
    std::size_t begin_ = 0;     // Of what was not handed out yet.
    std::size_t searched_ = 0;  // No line ends before here.
};

}  // namespace headwater::cli
