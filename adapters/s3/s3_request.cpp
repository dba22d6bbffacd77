// Builds the requests. What the checks let through cannot break a header or a path.
#include "adapters/s3/s3_request.hpp"

#include "adapters/http/checksum.hpp"
#include "adapters/http/encoding.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headwater::s3 {

namespace {

error refused(std::string why) { return {errc::invalid_argument, std::move(why)}; }

bool is_visible(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != '\x7f'; });
}

http::request make(char const* method, std::string target)
{
    http::request made;
    made.method = method;
    made.target = std::move(target);
    made.max_body = max_answer_body;
    return made;
}

http::request with_body(location const& where, std::string_view key, bytes content)
{
    auto made = make("PUT", where.path(key));
    made.body = std::move(content);
    auto const bytes_of = made.body.view();
    if (where.checksum() == body_checksum::md5) {
        made.fields.emplace_back("Content-MD5", http::md5_base64(bytes_of));
    } else if (where.checksum() == body_checksum::crc64) {
        made.fields.emplace_back("x-amz-checksum-crc64nvme", http::sum_base64(http::sum::crc64, bytes_of));
    }
    return made;
}

std::string range_text(byte_range const& range)
{
    std::string text = "bytes=" + std::to_string(range.first) + '-';
    if (range.last != byte_range().last) text += std::to_string(range.last);
    return text;
}

/// `?name=value&…`, encoded and then sorted by name, as the canonical request wants it.
std::string query_text(std::vector<http::field> fields)
{
    for (auto& [name, value] : fields) {
        name = http::percent_encode(name);
        value = http::percent_encode(value);
    }
    std::sort(fields.begin(), fields.end());
    std::string text;
    for (auto const& [name, value] : fields) text += (text.empty() ? '?' : '&') + name + '=' + value;
    return text;
}

/// White space as references, or a parser would make spaces of it.
std::string xml_text(std::string_view raw)
{
    std::string out;
    out.reserve(raw.size());
    for (char const c : raw) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '\t': out += "&#9;"; break;
        case '\n': out += "&#10;"; break;
        case '\r': out += "&#13;"; break;
        default: out += c;
        }
    }
    return out;
}

}  // namespace

location::location(std::string base, std::string_view prefix, body_checksum with)
    : base_(std::move(base)), root_(prefix), checksum_(with)
{
    if (!root_.empty()) root_ += '/';
}

std::string location::path(std::string_view key) const
{
    return base_ + '/' + http::percent_encode(full(key), http::keep::slashes);
}

std::optional<error> check_key(location const& where, std::string_view key)
{
    if (key.empty()) return refused("a key must not be empty");
    if (where.root().size() + key.size() > max_key_bytes) {
        return refused("a key, the store's prefix included, must not be longer than 1024 bytes");
    }
    if (!http::is_utf8(key)) return refused("a key must be valid UTF-8");
    return std::nullopt;
}

std::optional<error> check_etag(std::string_view tag)
{
    // With or without its quotes it must stay one etag: `*` would match any object, and a list any of several.
    std::string_view const inner = bare_etag(tag).value_or(tag);
    bool const single = !inner.empty() && inner != "*" && inner.find_first_of("\",") == inner.npos;
    if (single && is_visible(inner)) return std::nullopt;
    return refused("an etag must be one that this store gave, exactly as it spelled it");
}

std::optional<error> check(get_options const& options)
{
    if (options.range && options.range->first > options.range->last) return refused("the range ends before it begins");
    if (!is_visible(options.if_none_match)) return refused("an etag must not have white space or control characters");
    return std::nullopt;
}

std::optional<error> check(location const& where, std::string_view prefix, list_options const& options)
{
    if (options.max_keys < 1 || options.max_keys > default_max_keys) return refused("max_keys must be 1 to 1000");
    if (options.delimiter.size() > 1) return refused("a delimiter is one character");
    auto const fits = [&](std::string_view text) {
        return where.root().size() + text.size() <= max_key_bytes && http::is_utf8(text);
    };
    if (!fits(prefix)) return refused("a prefix must be valid UTF-8 and not longer than a key");
    if (!fits(options.start_after)) return refused("start_after must be valid UTF-8 and not longer than a key");
    return std::nullopt;
}

http::request get_request(location const& where, std::string_view key, get_options const& options)
{
    auto made = make("GET", where.path(key));
    if (options.range) made.fields.emplace_back("Range", range_text(*options.range));
    if (!options.if_none_match.empty()) made.fields.emplace_back("If-None-Match", options.if_none_match);
    if (where.checksum() != body_checksum::none) made.fields.emplace_back("x-amz-checksum-mode", "ENABLED");
    made.max_body = options.max_bytes;
    return made;
}

http::request rest_request(location const& where, std::string_view key, byte_range range, std::string_view tag,
                           get_options const& options)
{
    auto made = make("GET", where.path(key));
    made.fields.emplace_back("Range", range_text(range));
    made.fields.emplace_back("If-Match", tag);
    made.max_body = options.max_bytes;
    return made;
}

http::request head_request(location const& where, std::string_view key) { return make("HEAD", where.path(key)); }

http::request put_request(location const& where, std::string_view key, bytes content)
{
    return with_body(where, key, std::move(content));
}

http::request create_request(location const& where, std::string_view key, bytes content)
{
    auto made = with_body(where, key, std::move(content));
    made.fields.emplace_back("If-None-Match", "*");
    return made;
}

http::request update_request(location const& where, std::string_view key, bytes content, std::string_view tag)
{
    auto made = with_body(where, key, std::move(content));
    made.fields.emplace_back("If-Match", tag);
    return made;
}

http::request remove_request(location const& where, std::string_view key) { return make("DELETE", where.path(key)); }

http::request list_request(location const& where, std::string_view prefix, list_options const& options)
{
    std::vector<http::field> query{{"list-type", "2"},
                                   {"encoding-type", "url"},
                                   {"max-keys", std::to_string(options.max_keys)},
                                   {"prefix", where.full(prefix)}};
    if (!options.delimiter.empty()) query.emplace_back("delimiter", options.delimiter);
    if (!options.continuation.empty()) {
        query.emplace_back("continuation-token", options.continuation);
    } else if (!options.start_after.empty()) {
        query.emplace_back("start-after", where.full(options.start_after));
    }
    auto made = make("GET", where.bucket_path() + query_text(std::move(query)));
    made.max_body = max_list_body;
    return made;
}

http::request remove_many_request(location const& where, std::vector<object_key> const& keys)
{
    std::string document = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (auto const& each : keys) document += "<Object><Key>" + xml_text(where.full(each.text())) + "</Key></Object>";
    document += "</Delete>";
    auto made = make("POST", where.bucket_path() + "?delete=");
    made.fields.emplace_back("Content-Type", "application/xml");
    made.fields.emplace_back("Content-MD5", http::md5_base64(document));
    made.body = bytes(std::move(document));
    made.max_body = max_list_body;
    return made;
}

bool fits_xml(std::string_view key) noexcept
{
    // U+FFFE and U+FFFF, which XML has not either, are EF BF BE and EF BF BF.
    if (key.find("\xEF\xBF\xBE") != key.npos || key.find("\xEF\xBF\xBF") != key.npos) return false;
    return std::all_of(key.begin(), key.end(), [](char c) {
        return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r';
    });
}

std::optional<std::string_view> bare_etag(std::string_view tag) noexcept
{
    if (tag.size() < 3 || tag.front() != '"' || tag.back() != '"') return std::nullopt;
    return tag.substr(1, tag.size() - 2);
}

}  // namespace headwater::s3
