// How each operation is spelled in the Blob service's REST.
// https://learn.microsoft.com/rest/api/storageservices/operations-on-blobs
#include "adapters/azure/azure_request.hpp"

#include "adapters/http/checksum.hpp"
#include "adapters/http/encoding.hpp"
#include "adapters/xml/xml.hpp"

#include <algorithm>

namespace headwater::azure {

namespace {

constexpr std::uint32_t most_rows = 1000;

error wrong(std::string detail) { return {errc::invalid_argument, std::move(detail)}; }

http::request request_to(location const& at, std::string method, std::string target)
{
    http::request out;
    out.method = std::move(method);
    out.target = std::move(target);
    out.fields.emplace_back("x-ms-version", at.api_version);
    out.max_body = max_answer_bytes;
    return out;
}

result<http::request> blob_request(location const& at, std::string method, object_key const& key)
{
    if (key.text().empty()) return wrong("a key is not empty");
    auto const name = at.prefix + key.text();
    if (auto const* fault = name_fault(name)) return wrong(std::string("the key ") + fault);
    return request_to(at, std::move(method), at.container_path + "/" + http::percent_encode(name, http::keep::slashes));
}

// `*` is refused: it matches every version, which is not what a version is for.
bool is_field_value(std::string_view tag)
{
    return !tag.empty() && tag != "*" && std::ranges::all_of(tag, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::string range_text(byte_range range)
{
    auto out = "bytes=" + std::to_string(range.first) + "-";
    if (range.last != std::numeric_limits<std::uint64_t>::max()) out += std::to_string(range.last);
    return out;
}

void add_parameter(std::string& target, std::string_view name, std::string_view value)
{
    if (value.empty()) return;
    target += '&';
    target += name;
    target += '=';
    target += http::percent_encode(value);
}

char const* listing_fault(list_options const& options)
{
    if (options.max_keys == 0 || options.max_keys > most_rows) return "max_keys is 1 to 1,000";
    if (options.delimiter.size() > 1) return "a delimiter is one character";
    if (options.delimiter == "\\") return "a backslash is no delimiter here";
    return nullptr;
}

}  // namespace

result<http::request> get_blob(location const& at, object_key const& key, get_options const& options)
{
    auto out = blob_request(at, "GET", key);
    if (!out) return out;
    if (auto const& range = options.range) {
        if (range->last < range->first) return wrong("a range ends before it begins");
        out->fields.emplace_back("x-ms-range", range_text(*range));
    }
    if (!options.if_none_match.empty()) {
        if (!is_field_value(options.if_none_match)) return wrong("that is no etag of a store");
        out->fields.emplace_back("if-none-match", options.if_none_match);
    }
    out->max_body = options.max_bytes;
    return out;
}

result<http::request> get_rest(location const& at, object_key const& key, byte_range range, std::string_view tag,
                               get_options const& options)
{
    get_options part;
    part.range = range;
    part.max_bytes = options.max_bytes;
    auto out = get_blob(at, key, part);
    if (out) out->fields.emplace_back("if-match", tag);
    return out;
}

result<http::request> get_properties(location const& at, object_key const& key)
{
    return blob_request(at, "HEAD", key);
}

result<http::request> put_blob(location const& at, object_key const& key, bytes content)
{
    auto out = blob_request(at, "PUT", key);
    if (!out) return out;
    out->fields.emplace_back("x-ms-blob-type", "BlockBlob");
    out->body = std::move(content);
    if (at.checksum == body_checksum::md5) {
        out->fields.emplace_back("content-md5", http::md5_base64(out->body.view()));
    } else if (at.checksum == body_checksum::crc64) {
        out->fields.emplace_back("x-ms-content-crc64", http::crc64_low_first(out->body.view()));
    }
    return out;
}

result<http::request> create_blob(location const& at, object_key const& key, bytes content)
{
    auto out = put_blob(at, key, std::move(content));
    if (out) out->fields.emplace_back("if-none-match", "*");
    return out;
}

result<http::request> replace_blob(location const& at, object_key const& key, bytes content, etag const& expected)
{
    if (!is_field_value(expected.text())) return wrong("that is no etag of a store");
    auto out = put_blob(at, key, std::move(content));
    if (out) out->fields.emplace_back("if-match", expected.text());
    return out;
}

result<http::request> delete_blob(location const& at, object_key const& key) { return blob_request(at, "DELETE", key); }

result<http::request> list_blobs(location const& at, std::string_view prefix, list_options const& options)
{
    if (auto const* fault = listing_fault(options)) return wrong(fault);
    auto const whole_prefix = at.prefix + std::string(prefix);
    if (auto const* fault = name_fault(whole_prefix)) return wrong(std::string("the prefix ") + fault);

    auto target = at.container_path + "?restype=container&comp=list";
    add_parameter(target, "prefix", whole_prefix);
    add_parameter(target, "delimiter", options.delimiter);
    add_parameter(target, "marker", options.continuation);
    add_parameter(target, "maxresults", std::to_string(options.max_keys));
    // Inclusive, and with a delimiter only for the level below the prefix; so it saves pages and the filter decides.
    bool const can_start = options.delimiter.empty() && at.api_version >= start_from_since;
    if (can_start && !options.start_after.empty()) {
        add_parameter(target, "startFrom", at.prefix + std::string(options.start_after));
    }
    auto out = request_to(at, "GET", std::move(target));
    out.max_body = xml::max_document_bytes;
    return out;
}

}  // namespace headwater::azure
