// What became of a request: the table of STORE section 2, by service code, then by status, then by how it broke.
// Stands below the readers of successful answers, and tells the store what to do after an attempt. Pure.
#pragma once

#include "adapters/http/transport.hpp"

#include <headwater/clock.hpp>
#include <headwater/error.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater::azure {

enum class operation { get, head, put, create, update, remove, list };

/// What to do after an attempt.
enum class next_step { read, fail, send_again, sign_again, renew };

/// One call of the store: what errors about it say, and how often it was sent so far.
class call {
public:
    call(operation which, std::string_view subject, std::string const& address)
        : what(which), key(subject), store(&address)
    {
    }

    operation what;
    std::string key;
    std::string const* store;
    std::uint32_t attempts = 0;       ///< Of all its requests.
    std::array<bool, 5> corrected{};  ///< By next_step, of the request at hand: each correction is made once.

    bool was_corrected_by(next_step what_was_done) const noexcept
    {
        return corrected[static_cast<std::size_t>(what_was_done)];
    }
};

/// Whether the operation may change the store: then a missing answer leaves its outcome unknown.
bool is_write(operation what) noexcept;

/// The service's code: of the header, or of the body where a proxy has taken the header away. Empty: none.
std::string error_code_of(http::response const& answer);
/// The same error, told whose it is.
error about(call const& of, error const& what);
/// An answer that is no success of `of`.
error refusal(call const& of, http::response const& answer);
/// An answer whose success cannot be: `protocol`.
error malformed(call const& of, http::response const& answer, std::string detail);
/// An exchange without an answer.
error breakdown(call const& of, http::exchange_error const& broken);

/// More than this between the signed time and the server's makes a refusal worth another signature; Azure allows 15
/// min.
inline constexpr std::chrono::minutes tolerated_skew{5};

/// Decides it. Sent again, once each: a read whose reused connection was stale; and what a SharedKey signed at
/// `signed_at` was refused for while the server's clock tells another time; and what the service says has credentials
/// that ended. No other request is repeated here.
next_step after(call const& of, http::exchange_result const& answer, std::optional<time_ms> signed_at);

}  // namespace headwater::azure
