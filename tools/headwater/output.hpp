// output: one file descriptor, written in large pieces, whose errors are values: a full disk or a reader that went away
// must not look like success.
#pragma once

#include <headwater/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace headwater::cli {

/// Collects text and writes it to `descriptor`, which it does not own. After an error nothing more is written.
class output {
public:
    explicit output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
    output(output const&) = delete;
    output& operator=(output const&) = delete;

    /// Takes `text`; writes once enough has come together. The error: of this or any earlier write.
    result<void> write(std::string_view text);
    /// Writes what is held back.
    result<void> flush();
    /// Whoever read from the pipe or socket has closed it, so that no write can matter.
    bool reader_gone() const;

private:
    static constexpr std::size_t piece = 64 << 10;

    int descriptor_;
    std::string name_;
    std::string held_;
    error_code failed_;
};

}  // namespace headwater::cli
