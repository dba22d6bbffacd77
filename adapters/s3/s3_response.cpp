// The table, and the readers of each operation's answer.
#include "adapters/s3/s3_response.hpp"

#include "adapters/credentials/sigv4.hpp"
#include "adapters/http/checksum.hpp"
#include "adapters/http/content_range.hpp"
#include "adapters/http/date.hpp"
#include "adapters/http/encoding.hpp"
#include "adapters/s3/s3_address.hpp"
#include "adapters/xml/xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace headwater::s3 {

namespace {

constexpr std::size_t longest_message = 300;
constexpr char const* no_etag = "the answer has no ETag: it is not a store's own; check the endpoint and any proxy";
/// No wait that a server asks for is taken for longer.
constexpr std::chrono::hours longest_retry_after{24};

struct code_row {
    std::string_view code;
    errc for_read;
    errc for_write;
};

/// Service codes that mean the same whatever the status; the rest goes by status.
constexpr std::array code_table{
    code_row{"NoSuchBucket", errc::configuration, errc::configuration},
    code_row{"InvalidBucketName", errc::configuration, errc::configuration},
    code_row{"AuthorizationHeaderMalformed", errc::configuration, errc::configuration},
    code_row{"PermanentRedirect", errc::configuration, errc::configuration},
    code_row{"TemporaryRedirect", errc::configuration, errc::configuration},
    code_row{"IllegalLocationConstraintException", errc::configuration, errc::configuration},
    code_row{"RequestTimeTooSkewed", errc::configuration, errc::configuration},
    code_row{"ConditionalRequestConflict", errc::unavailable, errc::unavailable},
    code_row{"OperationAborted", errc::unavailable, errc::unavailable},
    code_row{"SlowDown", errc::unavailable, errc::outcome_unknown},
    code_row{"InternalError", errc::unavailable, errc::outcome_unknown},
    code_row{"ServiceUnavailable", errc::unavailable, errc::outcome_unknown},
    code_row{"RequestTimeout", errc::unavailable, errc::outcome_unknown},
    code_row{"BadDigest", errc::unavailable, errc::unavailable},
    code_row{"XAmzContentChecksumMismatch", errc::unavailable, errc::unavailable},
    code_row{"XAmzContentSHA256Mismatch", errc::unavailable, errc::unavailable},
    code_row{"AccessDenied", errc::access_denied, errc::access_denied},
    code_row{"AllAccessDisabled", errc::access_denied, errc::access_denied},
    code_row{"AccountProblem", errc::access_denied, errc::access_denied},
    code_row{"ExpiredToken", errc::access_denied, errc::access_denied},
    code_row{"InvalidToken", errc::access_denied, errc::access_denied},
    code_row{"InvalidAccessKeyId", errc::access_denied, errc::access_denied},
    code_row{"SignatureDoesNotMatch", errc::access_denied, errc::access_denied},
    code_row{"KeyTooLongError", errc::invalid_argument, errc::invalid_argument},
    code_row{"InvalidRange", errc::invalid_argument, errc::invalid_argument},
    code_row{"EntityTooLarge", errc::protocol, errc::limit_exceeded},
    code_row{"QuotaExceeded", errc::access_denied, errc::limit_exceeded},
    code_row{"NotImplemented", errc::unsupported, errc::unsupported},
};

errc absent(call what, std::string_view code, bool is_s3s) noexcept
{
    if (code == "NoSuchKey" || code == "NoSuchVersion") {
        return what == call::update ? errc::precondition_failed : errc::not_found;
    }
    // What some other server answers, a proxy, proves nothing absent.
    if (!is_s3s) return errc::configuration;
    switch (what) {
    case call::read:
    case call::head: return errc::not_found;
    case call::update: return errc::precondition_failed;
    default: return errc::configuration;
    }
}

errc by_status(call what, int status, std::string_view code, bool is_s3s) noexcept
{
    switch (status) {
    case 304:
        if (what == call::create) return errc::already_exists;
        if (what == call::read || what == call::head) return errc::not_modified;
        break;
    case 412: return what == call::create ? errc::already_exists : errc::precondition_failed;
    case 404: return absent(what, code, is_s3s);
    case 401:
    case 403: return errc::access_denied;
    case 405:
    case 501: return errc::unsupported;
    // A read sends nothing that could be too large; its own limit is the caller's max_bytes.
    case 413: return is_write(what) ? errc::limit_exceeded : errc::protocol;
    case 414:
    case 416: return errc::invalid_argument;
    // A conflict or a limit that the table does not know may be a proxy's, of a request that it sent on and again.
    case 408:
    case 409:
    case 429:
    case 499: return is_write(what) ? errc::outcome_unknown : errc::unavailable;
    default: break;
    }
    if (status >= 500) return is_write(what) ? errc::outcome_unknown : errc::unavailable;
    if (status >= 400 || (status >= 300 && status != 304)) return errc::configuration;
    return is_write(what) ? errc::outcome_unknown : errc::protocol;
}

std::optional<std::uint64_t> parse_number(std::string_view text) noexcept
{
    std::uint64_t value = 0;
    auto const* const end = text.data() + text.size();
    auto const [stop, failed] = std::from_chars(text.data(), end, value);
    if (text.empty() || failed != std::errc() || stop != end) return std::nullopt;
    return value;
}

/// Seconds, or a date; a date counts from the answer's own, so that our clock does not matter.
std::optional<std::chrono::milliseconds> retry_after(http::response const& answer)
{
    std::string_view const text = answer.find("retry-after");
    std::chrono::milliseconds wait{};
    if (auto const seconds = parse_number(text)) {
        wait = std::chrono::seconds(std::min<std::uint64_t>(*seconds, 86'400));
    } else {
        auto const until = http::parse_http_date(text), now = http::parse_http_date(answer.find("date"));
        if (!until || !now) return std::nullopt;
        wait = std::max(*until - *now, std::chrono::milliseconds(0));
    }
    return std::min<std::chrono::milliseconds>(wait, longest_retry_after);
}

diagnostics describe(http::response const& answer)
{
    diagnostics why;
    why.status = answer.status;
    why.request_id = one_line(answer.find("x-amz-request-id"));
    // Amazon's support asks for both.
    if (auto const extended = answer.find("x-amz-id-2"); !extended.empty()) {
        why.facts.emplace_back("x-amz-id-2", one_line(extended));
    }
    why.date = http::parse_http_date(answer.find("date"));
    return why;
}

/// Whether the answer is S3's own. Without a code only the id of a request tells, and no body that is another server's;
/// a HEAD is read by its status (STORE section 1).
bool is_from_s3(call what, http::response const& answer, std::string_view code) noexcept
{
    if (!code.empty()) return true;
    bool const has_id = !answer.find("x-amz-request-id").empty();
    return answer.body.empty() && (what == call::head || has_id);
}

/// A HEAD's 400 says nothing more; S3 answers so when credentials have ended.
bool is_silent_refusal(call what, http::response const& answer) noexcept
{
    return what == call::head && answer.status == 400 && answer.body.empty();
}

bool is_success(int status) noexcept { return status >= 200 && status <= 204; }

/// What a person should look at, where the service did not say it itself.
std::string explain(call what, service_error const& service, http::response const& answer)
{
    int const status = answer.status;
    if (service.code == "NoSuchBucket") return "there is no such bucket";
    if (service.code == "RequestTimeTooSkewed") return "the clocks of this machine and of the store are too far apart";
    if (service.code == "BadDigest") return "the content was damaged on its way";
    if (service.code == "SignatureDoesNotMatch") return "the secret access key does not belong to the access key id";
    if (status == 416) return "the range begins after the object's end";
    if (!service.region.empty() && status != 403) return "the bucket is in the region " + service.region;
    if (status >= 300 && status < 400 && status != 304) return "the store is elsewhere: check endpoint and region";
    if (status == 404 && !is_from_s3(what, answer, service.code)) {
        return "this is no S3 answer: check the endpoint and any proxy";
    }
    if (is_write(what) && is_success(status)) return "the answer is not what a store says of a write: check any proxy";
    if (is_silent_refusal(what, answer)) return "the store does not say why: have the credentials ended?";
    return {};
}

etag tag_of(http::response const& answer) { return etag(std::string(answer.find("etag"))); }

/// Whether a write is done. Some stores commit to a 200 before they know: an error document in it is an error all the
/// same. A proxy's page proves nothing either, whatever its status: a store tells the etag of what it has written, and
/// says nothing about what it has removed.
bool is_done(call what, http::response const& answer)
{
    if (!is_success(answer.status) || answer.body.find("<Error") != answer.body.npos) return false;
    return what == call::remove ? answer.body.empty() : !answer.find("etag").empty();
}

/// The sums that S3 may tell of an object; the first that it does is checked.
struct told_sum {
    std::string_view field;
    http::sum which;
};
constexpr std::array told_sums{
    told_sum{"x-amz-checksum-crc64nvme", http::sum::crc64}, told_sum{"x-amz-checksum-crc32c", http::sum::crc32c},
    told_sum{"x-amz-checksum-crc32", http::sum::crc32},     told_sum{"x-amz-checksum-sha256", http::sum::sha256},
    told_sum{"x-amz-checksum-sha1", http::sum::sha1},       told_sum{"content-md5", http::sum::md5},
};

/// Whether the whole object has the sum that the store tells. One of an upload in parts (`sum-parts`) is none of its
/// bytes.
bool sum_fits(http::response const& answer)
{
    if (answer.status != 200 || answer.find("x-amz-checksum-type") == "COMPOSITE") return true;
    for (auto const& [field, which] : told_sums) {
        auto const told = answer.find(field);
        if (told.empty() || told.find('-') != told.npos) continue;
        auto const computed = http::sum_base64(which, answer.body);
        return computed.empty() || computed == told;  // Empty: nothing to compare with.
    }
    return true;
}

error damaged(http::response const& answer)
{
    auto why = describe(answer);
    why.detail = "the content does not have the checksum that the store tells: damaged on its way, or at rest";
    return {errc::unavailable, std::move(why)};
}

}  // namespace

error malformed(http::response const& answer, std::string detail)
{
    auto why = describe(answer);
    why.detail = std::move(detail);
    return {errc::protocol, std::move(why)};
}

error undecided(http::response const& answer, std::string detail)
{
    return {errc::outcome_unknown, *malformed(answer, std::move(detail)).why()};
}

answer_info info_of(http::response const& answer)
{
    answer_info info;
    info.date = http::parse_http_date(answer.find("date"));
    info.status = answer.status;
    info.request_id = one_line(answer.find("x-amz-request-id"));
    return info;
}

std::string one_line(std::string_view text)
{
    std::string out(text.substr(0, longest_message));
    for (char& c : out) {
        if ((c >= 0 && c < ' ') || c == '\x7f') c = ' ';
    }
    return out;
}

service_error read_service_error(http::response const& answer)
{
    service_error read;
    read.region = answer.find("x-amz-bucket-region");
    auto const document = xml::parse(answer.body);
    if (!document || document->name != "Error") return read;
    read.code = one_line(document->text_of("Code"));
    read.message = one_line(document->text_of("Message"));
    if (read.region.empty()) read.region = document->text_of("Region");
    if (read.region.empty()) read.region = region_of_host(document->text_of("Endpoint"));
    return read;
}

errc meaning(call what, int status, std::string_view code, bool is_s3s) noexcept
{
    auto const row =
        std::find_if(code_table.begin(), code_table.end(), [&](auto const& each) { return each.code == code; });
    if (row != code_table.end()) return is_write(what) ? row->for_write : row->for_read;
    return by_status(what, status, code, is_s3s);
}

error to_error(call what, http::response const& answer)
{
    auto const service = read_service_error(answer);
    auto why = describe(answer);
    why.service_code = service.code;
    why.detail = service.message.empty() ? explain(what, service, answer) : service.message;
    why.retry_after = retry_after(answer);
    if (!service.region.empty()) why.facts.emplace_back("region", service.region);
    return {meaning(what, answer.status, service.code, is_from_s3(what, answer, service.code)), std::move(why)};
}

error to_error(call what, http::exchange_error const& ended)
{
    using enum http::broken;
    bool const unanswered =
        ended.how == stale || ended.how == ambiguous || (ended.how == refused && ended.why == errc::limit_exceeded);
    auto const told = with(ended.why, [&](diagnostics& why) {
        if (ended.part.status == 0) return;
        auto about = describe(ended.part);
        about.detail = std::move(why.detail);
        why = std::move(about);
    });
    return is_write(what) && unanswered ? error(errc::outcome_unknown, *told.why()) : told;
}

error too_large(http::response const& answer, std::uint64_t max_bytes)
{
    auto why = describe(answer);
    why.detail = "the object is larger than max_bytes (" + std::to_string(max_bytes) + ")";
    return {errc::limit_exceeded, std::move(why)};
}

error changed_meanwhile(http::response const& answer)
{
    auto why = describe(answer);
    why.detail = "the object changed while it was read: read it again";
    return {errc::unavailable, std::move(why)};
}

result<object> read_object(http::response answer, get_options const& options)
{
    if (answer.status < 200 || answer.status > 299) return to_error(call::read, answer);
    auto const size = http::full_size(answer, options.range);
    if (!size) return malformed(answer, "the answer is not the part of the object that was asked for");
    if (answer.find("etag").empty()) return malformed(answer, no_etag);
    if (answer.body.size() > options.max_bytes) return too_large(answer, options.max_bytes);
    if (!sum_fits(answer)) return damaged(answer);
    object read;
    read.content = bytes(std::move(answer.body));
    read.tag = tag_of(answer);
    read.last_modified = http::parse_http_date(answer.find("last-modified"));
    read.full_size = *size;
    read.info = info_of(answer);
    return read;
}

result<object_meta> read_head(http::response const& answer, object_key const& key)
{
    if (answer.status < 200 || answer.status > 299) return to_error(call::head, answer);
    auto const size = parse_number(answer.find("content-length"));
    if (!size) return malformed(answer, "the answer has no usable Content-Length");
    if (answer.find("etag").empty()) return malformed(answer, no_etag);
    object_meta read(key, *size, tag_of(answer));
    read.last_modified = http::parse_http_date(answer.find("last-modified"));
    read.info = info_of(answer);
    return read;
}

result<put_answer> read_put(http::response const& answer)
{
    if (!is_done(call::write, answer)) return to_error(call::write, answer);
    put_answer read(tag_of(answer));
    read.info = info_of(answer);
    return read;
}

result<create_answer> read_create(http::response const& answer)
{
    create_answer read;
    read.info = info_of(answer);
    read.created = is_done(call::create, answer);
    if (!read.created) {
        auto failed = to_error(call::create, answer);
        if (!(failed == errc::already_exists)) return failed;
    }
    read.tag = tag_of(answer);
    return read;
}

result<update_answer> read_update(http::response const& answer)
{
    if (!is_done(call::update, answer)) return to_error(call::update, answer);
    update_answer read;
    read.tag = tag_of(answer);
    read.info = info_of(answer);
    return read;
}

result<remove_answer> read_remove(http::response const& answer)
{
    if (!is_done(call::remove, answer)) {
        auto failed = to_error(call::remove, answer);
        if (!(failed == errc::not_found)) return failed;
    }
    return remove_answer(info_of(answer));
}

resend why_resend(call what, http::exchange_result const& got, request_facts const& sent)
{
    if (!got) {
        return got.error().how == http::broken::stale && !is_write(what) ? resend::fresh_connection : resend::no;
    }
    http::response const& answer = *got;
    bool const misdirected =
        answer.status == 301 || answer.status == 307 || answer.status == 308 || answer.status == 400;
    bool const refused = answer.status == 400 || answer.status == 403;
    if (!misdirected && !refused) return resend::no;

    auto const service = read_service_error(answer);
    if (misdirected && is_region(service.region) && service.region != sent.region) return resend::other_region;
    if (service.code == "ExpiredToken" || service.code == "TokenRefreshRequired") return resend::fresh_credentials;
    // Of these codes each can come from a wrong clock; a HEAD has none to tell.
    constexpr std::array<std::string_view, 4> clock_codes{"", "RequestTimeTooSkewed", "RequestExpired",
                                                          "SignatureDoesNotMatch"};
    bool const by_clock = std::find(clock_codes.begin(), clock_codes.end(), service.code) != clock_codes.end();
    auto const date = http::parse_http_date(answer.find("date"));
    if (by_clock && date && credentials::is_skewed(sent.signed_at, *date)) return resend::server_clock;
    return is_silent_refusal(what, answer) ? resend::fresh_credentials : resend::no;
}

}  // namespace headwater::s3
