// Successes about one blob, read and checked: lengths, ranges, etags, dates, checksums.
#include "adapters/azure/azure_response.hpp"

#include "adapters/http/checksum.hpp"
#include "adapters/http/content_range.hpp"
#include "adapters/http/date.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace headwater::azure {

namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) noexcept
{
    std::uint64_t value = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

constexpr char const* no_etag = "the answer has no ETag: it is not a store's own; check the endpoint and any proxy";

// Azurite answers a range that begins right at the end with 206 and a range that ends before it begins.
bool begins_at_end(http::response const& answer, std::optional<byte_range> const& asked)
{
    if (!asked || asked->first == 0) return false;
    auto const end = std::to_string(asked->first);
    return answer.find("content-range") == "bytes " + end + "-" + std::to_string(asked->first - 1) + "/" + end;
}

bool checksum_fits(http::response const& answer)
{
    auto const promised = answer.find("content-md5");
    if (promised.empty() || answer.status != 200) return true;
    auto const computed = http::md5_base64(answer.body);  // Empty: nothing to compare with.
    return computed.empty() || computed == promised;
}

error damaged_blob(call const& of, http::response const& answer)
{
    auto const seen =
        malformed(of, answer, "the content does not have its Content-MD5: damaged on its way, or at rest");
    return {errc::unavailable, *seen.why()};
}

// Whether the refusal of a create means that there is a blob.
bool says_taken(http::response const& answer)
{
    constexpr std::string_view taken[] = {"BlobAlreadyExists", "UnauthorizedBlobOverwrite", "BlobImmutableDueToPolicy",
                                          "InvalidBlobType"};
    bool const by_code = std::ranges::find(taken, error_code_of(answer)) != std::end(taken);
    return by_code || answer.status == 412 || answer.status == 304;
}

}  // namespace

answer_info info_of(call const& of, http::response const& answer)
{
    answer_info out;
    out.date = http::parse_http_date(answer.find("date"));
    out.attempts = of.attempts;
    out.status = answer.status;
    out.request_id = answer.find("x-ms-request-id");
    return out;
}

etag quoted(std::string_view text)
{
    if (text.empty() || text.find('"') != text.npos) return etag(std::string(text));
    return etag('"' + std::string(text) + '"');
}

result<object> read_object(call const& of, http::response answer, get_options const& options)
{
    if (answer.status != 200 && answer.status != 206) return refusal(of, answer);
    if (answer.body.size() > options.max_bytes) return too_large(of, answer, options.max_bytes);
    if (begins_at_end(answer, options.range)) {
        auto const seen = malformed(of, answer, "the range begins after the object's end");
        return error(errc::invalid_argument, *seen.why());
    }
    auto const size = http::full_size(answer, options.range);
    if (!size) return malformed(of, answer, "the answer is not the range that was asked for");
    if (answer.find("etag").empty()) return malformed(of, answer, no_etag);
    if (!checksum_fits(answer)) return damaged_blob(of, answer);
    object out;
    out.tag = quoted(answer.find("etag"));
    out.last_modified = http::parse_http_date(answer.find("last-modified"));
    out.full_size = *size;
    out.info = info_of(of, answer);
    out.content = bytes(std::move(answer.body));
    return out;
}

error too_large(call const& of, http::response const& answer, std::uint64_t max_bytes)
{
    auto const seen = malformed(of, answer, "the object is larger than max_bytes (" + std::to_string(max_bytes) + ")");
    return {errc::limit_exceeded, *seen.why()};
}

error changed_meanwhile(call const& of, http::response const& answer)
{
    auto const seen = malformed(of, answer, "the object changed while it was read: read it again");
    return {errc::unavailable, *seen.why()};
}

result<object_meta> read_properties(call const& of, http::response const& answer)
{
    if (answer.status != 200) return refusal(of, answer);
    auto const size = parse_number(answer.find("content-length"));
    if (!size) return malformed(of, answer, "the answer has no Content-Length");
    if (answer.find("etag").empty()) return malformed(of, answer, no_etag);
    object_meta out(object_key(of.key), *size, quoted(answer.find("etag")));
    out.last_modified = http::parse_http_date(answer.find("last-modified"));
    out.info = info_of(of, answer);
    return out;
}

result<put_answer> read_put(call const& of, http::response const& answer)
{
    if (answer.status != 201) return refusal(of, answer);
    put_answer out(quoted(answer.find("etag")));
    out.info = info_of(of, answer);
    return out;
}

result<create_answer> read_create(call const& of, http::response const& answer)
{
    bool const created = answer.status == 201;
    if (!created && !says_taken(answer)) return refusal(of, answer);
    create_answer out;
    out.created = created;
    if (created) out.tag = quoted(answer.find("etag"));
    out.info = info_of(of, answer);
    return out;
}

result<update_answer> read_update(call const& of, http::response const& answer)
{
    if (answer.status != 201) return refusal(of, answer);
    update_answer out;
    out.tag = quoted(answer.find("etag"));
    out.info = info_of(of, answer);
    return out;
}

result<remove_answer> read_remove(call const& of, http::response const& answer)
{
    if (answer.status != 202) {
        auto why = refusal(of, answer);
        if (why != errc::not_found) return why;
    }
    return remove_answer(info_of(of, answer));
}

}  // namespace headwater::azure
