// The values that the transport port exchanges: one HTTP request, one HTTP response. No I/O here.
// Stands between the vendors' request builders and response readers, and the transports.
#pragma once

#include <headwater/bytes.hpp>
#include <headwater/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater::http {

/// One header field; names are compared without case.
using field = std::pair<std::string, std::string>;

/// Whether two field names (or values that are compared like them) are the same.
bool same_field(std::string_view left, std::string_view right) noexcept;

/// The most bytes of a refusal, unless told otherwise: an error document is far smaller.
inline constexpr std::uint64_t usual_refusal_bytes = 64 * 1024;

/// A request, ready to send: `target` is percent-encoded and goes on the wire as it stands.
/// `host` and `content-length` are the transport's to add.
class request {
public:
    request() = default;

    std::string method = "GET";
    std::string target = "/";
    std::vector<field> fields;
    bytes body;
    std::uint64_t max_body = 0;  ///< The most bytes of a success's body; one with more is `limit_exceeded`.
    std::uint64_t max_refusal = usual_refusal_bytes;  ///< Of any other answer's; one with more is `protocol`.

    /// The most bytes that the body of an answer with this status may have.
    std::uint64_t most_of(int status) const noexcept { return status / 100 == 2 ? max_body : max_refusal; }
};

/// What an answer is whose body is larger than `most`.
error body_too_large(int status, std::uint64_t most);

/// A response, complete: its body has the length that its header promised.
class response {
public:
    response() = default;

    int status = 0;
    std::vector<field> fields;  ///< In order, names as received.
    std::string body;

    /// The first field of that name (given in lower case), or nothing.
    std::string_view find(std::string_view name) const noexcept;
};

/// How an exchange ended without a response. It decides what may be believed about a write (STORE section 2).
enum class broken {
    nothing_sent,  ///< Resolve, connect, TLS or waiting for a connection failed: the server did not see the request.
    stale,         ///< Closed or reset on a reused connection before any response byte.
    ambiguous,     ///< Anything else: the server may have acted.
    refused,  ///< A local rule was broken (`max_body`, invalid request): final, the response was not read to its end.
};

/// An exchange without a usable response.
class exchange_error {
public:
    exchange_error() = default;
    exchange_error(broken what, error cause, response begun = {})
        : how(what), why(std::move(cause)), part(std::move(begun))
    {
    }

    broken how = broken::ambiguous;
    /// `unavailable`, `protocol`, `configuration`, `invalid_argument`; names the phase, deadline or limit.
    /// `limit_exceeded` says one thing: a success whose body is larger than `max_body`.
    error why;
    response part;  ///< What came of the answer; its status is 0 if not even the first line did.
};

}  // namespace headwater::http
