// What S3's answers mean: the table of STORE section 2, by service code first and status second. Pure.
// Stands between the transport's exchange and object_store; broken exchanges are read here too.
#pragma once

#include "adapters/http/message.hpp"
#include "adapters/http/transport.hpp"
#include "adapters/s3/s3_request.hpp"

#include <headwater/object_store.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::s3 {

/// What was asked, as far as it decides what an answer means.
enum class call { read, head, list, write, create, update, remove };

constexpr bool is_write(call what) noexcept { return what != call::read && what != call::head && what != call::list; }

/// The service's own words in an answer without success.
struct service_error {
    std::string code{};     ///< `NoSuchBucket`; empty: the body had none.
    std::string message{};  ///< One line, cut to a readable length.
    std::string region{};   ///< Where the bucket is, if the answer says so.
};

/// A service's text on one line, cut to a readable length, without what could disturb a terminal.
std::string one_line(std::string_view text);

/// Reads the error document and the headers that go with it.
service_error read_service_error(http::response const& answer);

/// The meaning of an answer that is no success. A create that lost is `already_exists`; a remove of what is not there
/// is `not_found`: for both the caller makes it a value. `is_s3s`: the answer shows that S3 gave it, and no proxy.
errc meaning(call what, int status, std::string_view code, bool is_s3s) noexcept;

/// The error of an answer that is no success, with everything it tells.
error to_error(call what, http::response const& answer);

/// The error of an exchange without an answer.
error to_error(call what, http::exchange_error const& ended);

/// The error of an object that is larger than was allowed, whether its body was read or not.
error too_large(http::response const& answer, std::uint64_t max_bytes);
/// The rest of a cut read was refused: the object is another one now.
error changed_meanwhile(http::response const& answer);
/// An answer whose success cannot be: `protocol`, and for a write `outcome_unknown`.
error malformed(http::response const& answer, std::string detail);
error undecided(http::response const& answer, std::string detail);

/// What an answer tells beside its content, but for the attempts.
answer_info info_of(http::response const& answer);

/// Each reads the answer to its request; what is not what was asked for is `protocol`, for a write `outcome_unknown`.
/// A whole object that does not have the sum that the store tells of it is `unavailable`: reading again may help.
result<object> read_object(http::response answer, get_options const& options);
result<object_meta> read_head(http::response const& answer, object_key const& key);
result<put_answer> read_put(http::response const& answer);
result<create_answer> read_create(http::response const& answer);
result<update_answer> read_update(http::response const& answer);
result<remove_answer> read_remove(http::response const& answer);
/// Of `keys`, those that the answer does not say are gone; one that it does not name is `outcome_unknown`.
result<std::vector<key_failure>> read_remove_many(http::response const& answer, location const& where,
                                                  std::vector<object_key> const& keys);
/// A page, and whether its keys are in byte order.
struct listed {
    list_page page{};
    bool ordered = true;
};
result<listed> read_list(http::response const& answer, location const& where, list_options const& options);

/// What the store knows about its requests, and an answer may correct.
struct request_facts {
    std::string_view region{};
    time_ms signed_at{};
};

/// Why a call's request is to be sent once more, at once.
enum class resend {
    no,
    fresh_connection,   ///< A reused connection was stale, and this is a read.
    other_region,       ///< The bucket is in the region that the answer names.
    fresh_credentials,  ///< The credentials have ended, or may have: a HEAD has no body to say it in.
    server_clock,       ///< The signature's time was refused: sign with the server's `Date`.
};

/// The one rule by which a request is sent again below the port. Nothing of it can have been applied.
resend why_resend(call what, http::exchange_result const& got, request_facts const& sent);

}  // namespace headwater::s3
