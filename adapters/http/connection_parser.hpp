// response_parser: bytes in, one complete response out. Sans I/O, and one of the files that may see Beast.
// Interim (1xx) answers are skipped; a body whose end cannot be told from a cut is refused.
#pragma once

#include "adapters/http/message.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace headwater::http {

inline constexpr std::size_t max_header_bytes = 32 * 1024;  ///< Status line and fields of one answer.
inline constexpr int max_interim_answers = 8;

class response_parser {
public:
    response_parser();
    ~response_parser();

    /// Begins the response to `what`: to a HEAD request it has no body. More body than its limits is `limit_exceeded`,
    /// as soon as the header or a chunk's tells; of an answer that is no success it is `protocol`, as is every other
    /// limit.
    void begin(request const& what);
    /// Takes bytes and returns how many it used; the rest must come again, with more behind it.
    std::size_t put(std::string_view bytes);
    /// The other side has closed cleanly. False: in the middle of a response.
    bool put_end();

    bool begun() const noexcept;  ///< Any byte of an answer has come.
    bool done() const noexcept;
    /// What the answer broke, if it did: HTTP, or a limit.
    std::optional<error> const& wrong() const noexcept;
    /// The connection may carry another exchange. Only when done.
    bool keep_alive() const noexcept;
    /// Only when done, and once.
    response take();
    /// What has come of an answer that will not be done: its body is the beginning of what was sent. Once.
    response take_part();

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace headwater::http
