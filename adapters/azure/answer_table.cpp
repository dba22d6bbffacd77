// The table: what became of an operation, by service code, then by status, then by how the exchange broke.
#include "adapters/azure/answer_table.hpp"

#include "adapters/http/date.hpp"
#include "adapters/xml/xml.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace headwater::azure {

namespace {

constexpr std::size_t longest_detail = 300;

std::string_view name_of(operation what) noexcept
{
    switch (what) {
    case operation::get: return "get";
    case operation::head: return "head";
    case operation::put: return "put";
    case operation::create: return "put_if_absent";
    case operation::update: return "put_if_match";
    case operation::remove: return "remove";
    case operation::list: return "list";
    }
    return {};
}

struct code_row {
    std::string_view code;
    errc meaning;
    std::string_view hint;
};

// The codes whose meaning their status does not tell.
// https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes
constexpr code_row codes[] = {
    {"AccountBeingCreated", errc::unavailable, "the account is being created"},
    {"AccountIsDisabled", errc::access_denied, "the account is disabled"},
    {"AuthenticationFailed", errc::access_denied, "the key, the SAS token or this machine's clock is wrong"},
    {"BlobArchived", errc::unsupported, "the blob is in the archive tier: rehydrate it"},
    {"BlobBeingRehydrated", errc::unsupported, "the blob is being rehydrated"},
    {"BlobImmutableDueToPolicy", errc::access_denied, "an immutability policy protects the blob"},
    {"BlobNotFound", errc::not_found, ""},
    {"ContainerBeingDeleted", errc::configuration, "the container is being deleted"},
    {"ContainerDisabled", errc::configuration, "the container is disabled"},
    {"ContainerNotFound", errc::configuration, "the container does not exist"},
    {"Crc64Mismatch", errc::unavailable, "the content was damaged on its way"},
    {"FeatureVersionMismatch", errc::unsupported, "the blob needs a newer API version"},
    {"InvalidAuthenticationInfo", errc::access_denied, "the credentials are malformed"},
    {"InvalidBlobType", errc::unsupported, "there is a page or append blob"},
    {"InvalidResourceName", errc::invalid_argument, "the service does not take this name"},
    {"InvalidUri", errc::invalid_argument, "the service does not take this name"},
    {"LeaseIdMissing", errc::access_denied, "somebody holds a lease on the blob or container"},
    {"Md5Mismatch", errc::unavailable, "the content was damaged on its way"},
    {"OutOfRangeInput", errc::invalid_argument, "the service does not take this name"},
    {"RequestBodyTooLarge", errc::limit_exceeded, "the service's limit of one Put Blob"},
    {"ResourceNotFound", errc::configuration, "no such account or container"},
    {"SnapshotsPresent", errc::unsupported, "the blob has snapshots: delete them first"},
};

code_row const* row_of(std::string_view code) noexcept
{
    auto const* const row = std::ranges::find(codes, code, &code_row::code);
    return row == std::end(codes) ? nullptr : row;
}

bool is_temporary(int status) noexcept
{
    bool const never = status == 501 || status == 505;  // Not implemented, HTTP version: it will not get better.
    // A conflict whose code the table does not know, and a limit, may be a proxy's, of a request that it sent on and
    // again.
    return status == 408 || status == 409 || status == 429 || status == 499 || (status >= 500 && !never);
}

// Any proxy can answer 404 with a page of its own: without the code BlobNotFound it proves nothing absent. Only to a
// HEAD is the status enough, since services may leave out the code where there is no body for it.
errc meaning_of_404(operation what, std::string_view code) noexcept
{
    return what == operation::head && code.empty() ? errc::not_found : errc::configuration;
}

errc meaning_of_status(operation what, int status, std::string_view code) noexcept
{
    if (is_temporary(status)) return is_write(what) ? errc::outcome_unknown : errc::unavailable;
    switch (status) {
    case 304: return what == operation::get ? errc::not_modified : errc::protocol;
    case 401:
    case 403: return errc::access_denied;
    case 404: return meaning_of_404(what, code);
    case 412: return errc::precondition_failed;
    case 413: return errc::limit_exceeded;
    case 416: return errc::invalid_argument;
    default: break;
    }
    if (status >= 300 && status < 400) return errc::configuration;  // A redirect: the endpoint is another one.
    if (status >= 400) return errc::unsupported;
    // A success of another kind, to a write: it may well have been applied.
    return is_write(what) ? errc::outcome_unknown : errc::protocol;
}

errc meaning_of(operation what, int status, std::string_view code) noexcept
{
    auto const* const row = row_of(code);
    auto const said = row ? row->meaning : meaning_of_status(what, status, code);
    // An update of nothing has lost, like one of something else.
    if (said == errc::not_found && what == operation::update) return errc::precondition_failed;
    // A read sends nothing that could be too large; its own limit is the caller's max_bytes.
    return said == errc::limit_exceeded && !is_write(what) ? errc::protocol : said;
}

// What a person should look at: the table's hint, the service's message, or what the answer looks like.
std::string explain(std::string_view code, int status, std::string message)
{
    auto const* const row = row_of(code);
    if (row && !row->hint.empty()) return std::string(row->hint);
    if (!message.empty()) return message;
    if (status == 404 && code.empty()) return "a 404 without a code of Azure's: check the endpoint and any proxy";
    return "the service answered " + std::to_string(status);
}

// The first line of the service's message, without what it says of signatures.
std::string first_line(std::string_view text)
{
    auto const line = text.substr(0, std::min(text.find_first_of("\r\n"), longest_detail));
    for (auto const* secret : {"sig=", "SharedKey", "signature '"}) {
        if (line.find(secret) != line.npos) return {};
    }
    return std::string(line);
}

struct error_body {
    std::string code;
    std::string message;
};

error_body read_error_body(std::string const& body)
{
    if (body.empty()) return {};
    auto const root = xml::parse(body);
    if (!root || root->name != "Error") return {};
    return {std::string(root->text_of("Code")), first_line(root->text_of("Message"))};
}

std::optional<std::chrono::milliseconds> parse_count(std::string_view text, std::chrono::milliseconds unit)
{
    constexpr std::int64_t most = 86'400'000;  // A day, in either unit: more is nonsense.
    std::int64_t count = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failed != std::errc() || end != text.data() + text.size() || count < 0 || count > most) return {};
    return count * unit;
}

// Milliseconds of the service's own, else the standard field's seconds or date.
std::optional<std::chrono::milliseconds> retry_after(http::response const& answer, std::optional<time_ms> date)
{
    using std::chrono::milliseconds;
    for (auto const* name : {"x-ms-retry-after-ms", "retry-after-ms"}) {
        if (auto const wish = parse_count(answer.find(name), milliseconds(1))) return wish;
    }
    auto const text = answer.find("retry-after");
    if (auto const wish = parse_count(text, std::chrono::seconds(1))) return wish;
    auto const until = http::parse_http_date(text);
    if (!until || !date) return {};
    return std::max(milliseconds(0), *until - *date);
}

// What an answer, or the beginning of one, tells whatever it means.
diagnostics facts_of(http::response const& answer)
{
    diagnostics why;
    why.request_id = answer.find("x-ms-request-id");
    why.status = answer.status;
    why.date = http::parse_http_date(answer.find("date"));
    return why;
}

bool refuses_signature(http::response const& answer)
{
    if (answer.status != 403) return false;
    auto const code = error_code_of(answer);
    return code.empty() || code == "AuthenticationFailed";
}

}  // namespace

std::string error_code_of(http::response const& answer)
{
    auto const told = answer.find("x-ms-error-code");
    return told.empty() ? read_error_body(answer.body).code : std::string(told);
}

bool is_write(operation what) noexcept
{
    return what == operation::put || what == operation::create || what == operation::update
           || what == operation::remove;
}

error about(call const& of, error const& what)
{
    return with(what, [&](diagnostics& why) {
        why.operation = name_of(of.what);
        why.key = of.key;
        why.store = *of.store;
        why.attempts = std::max(of.attempts, 1u);
    });
}

error refusal(call const& of, http::response const& answer)
{
    auto body = read_error_body(answer.body);
    auto why = facts_of(answer);
    why.service_code = answer.find("x-ms-error-code");
    if (why.service_code.empty()) why.service_code = std::move(body.code);
    why.detail = explain(why.service_code, answer.status, std::move(body.message));
    why.retry_after = retry_after(answer, why.date);
    auto const meaning = meaning_of(of.what, answer.status, why.service_code);
    return about(of, error(meaning, std::move(why)));
}

error malformed(call const& of, http::response const& answer, std::string detail)
{
    auto const seen = with(refusal(of, answer), [&](diagnostics& why) { why.detail = std::move(detail); });
    return {errc::protocol, *seen.why()};
}

error breakdown(call const& of, http::exchange_error const& broken)
{
    auto const told = with(broken.why, [&](diagnostics& why) {
        if (broken.part.status == 0) return;
        auto seen = facts_of(broken.part);
        seen.detail = std::move(why.detail);
        why = std::move(seen);
    });
    auto why = about(of, told);
    auto const local = why == errc::invalid_argument || why == errc::configuration;
    bool const unsent = broken.how == http::broken::nothing_sent || (broken.how == http::broken::refused && local);
    if (!is_write(of.what) || unsent) return why;
    return {errc::outcome_unknown, why.why() ? *why.why() : diagnostics()};
}

next_step after(call const& of, http::exchange_result const& answer, std::optional<time_ms> signed_at)
{
    if (!answer) {
        bool const stale = answer.error().how == http::broken::stale;
        bool const again = stale && !is_write(of.what) && !of.was_corrected_by(next_step::send_again);
        return again ? next_step::send_again : next_step::fail;
    }
    // Tokens end; keys and SAS are refused with 403.
    if (answer->status == 401 && !of.was_corrected_by(next_step::renew)) return next_step::renew;
    bool const may_sign = signed_at && !of.was_corrected_by(next_step::sign_again);
    if (!may_sign || !refuses_signature(*answer)) return next_step::read;
    auto const date = http::parse_http_date(answer->find("date"));
    bool const skewed = date && std::chrono::abs(*date - *signed_at) > tolerated_skew;
    return skewed ? next_step::sign_again : next_step::read;
}

}  // namespace headwater::azure
