// Answers are made when an object is written, so that reading one is a copy.
#include "bench/server/objects.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <set>

namespace headwater::bench {

namespace {

constexpr std::string_view common_fields =
    "x-amz-request-id: 4442587FB7D0A2F9\r\n"
    "x-amz-id-2: dGhpcyBpcyBhIHN5bnRoZXRpYyBpZCBmb3IgYmVuY2htYXJrcyBvbmx5IGFhYWFhYWFhYWE=\r\n"
    "Date: Mon, 15 Sep 2025 01:33:20 GMT\r\n"
    "Server: bench\r\n";

std::string status_line(int status)
{
    return "HTTP/1.1 " + std::to_string(status) + (status < 300 ? " OK\r\n" : " Refused\r\n");
}

std::string with_length(std::size_t length) { return "Content-Length: " + std::to_string(length) + "\r\n\r\n"; }

std::string refusal(int status, std::string const& code, std::string const& azure_code, bool with_body)
{
    auto const body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code + "</Code></Error>";
    std::string out = status_line(status);
    out += common_fields;
    out += "x-ms-error-code: " + azure_code + "\r\nContent-Type: application/xml\r\n" + with_length(body.size());
    return with_body ? out + body : out;
}

// FNV-1a over the content: an etag is opaque.
std::string tag_of(std::string_view content)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (unsigned char const byte : content) hash = (hash ^ byte) * 0x100000001b3ULL;
    char text[40];
    std::snprintf(text, sizeof text, "\"%016llx%016zx\"", static_cast<unsigned long long>(hash), content.size());
    return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The value of a header; `name` in lower case.
std::string_view field(std::string_view fields, std::string_view name)
{
    while (!fields.empty()) {
        auto const line = fields.substr(0, fields.find("\r\n"));
        fields.remove_prefix(std::min(line.size() + 2, fields.size()));
        bool const same = line.size() > name.size() && line[name.size()] == ':'
                          && std::ranges::equal(line.substr(0, name.size()), name, {}, lower);
        if (!same) continue;
        auto const value = line.substr(name.size() + 1);
        return value.substr(std::min(value.find_first_not_of(' '), value.size()));
    }
    return {};
}

int hex_digit(char c) { return c <= '9' ? c - '0' : lower(c) - 'a' + 10; }

std::string decoded(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%' && at + 2 < text.size()) {
            out += static_cast<char>(hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2]));
            at += 2;
        } else {
            out += text[at];
        }
    }
    return out;
}

std::string parameter(std::string_view query, std::string_view name)
{
    while (!query.empty()) {
        auto const part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        auto const equals = std::min(part.find('='), part.size());
        if (part.substr(0, equals) == name) return decoded(part.substr(std::min(equals + 1, part.size())));
    }
    return {};
}

std::size_t number(std::string_view text, std::size_t otherwise)
{
    std::size_t value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

std::size_t parse_request(std::string_view input, server_request& out)
{
    auto const end = input.find("\r\n\r\n");
    if (end == input.npos) return 0;
    auto const line = input.substr(0, input.find("\r\n"));
    auto const first = line.find(' ');
    auto const second = std::min(line.find(' ', first + 1), line.size());
    out.method = line.substr(0, first);
    auto const target = line.substr(std::min(first + 1, line.size()), second - first - 1);
    out.path = target.substr(0, target.find('?'));
    out.query = target.substr(std::min(out.path.size() + 1, target.size()));
    out.fields = input.substr(line.size() + 2, end - line.size());
    std::size_t const length = out.method == "PUT" ? number(field(out.fields, "content-length"), 0) : 0;
    if (input.size() - (end + 4) < length) return 0;
    out.body = input.substr(end + 4, length);
    return end + 4 + length;
}

void server_objects::answer(server_request const& what, std::string& out)
{
    if (what.method == "GET" && what.query.find("list-type=2") != what.query.npos) return list(what, out);
    if (what.method == "GET") return get(what, true, out);
    if (what.method == "HEAD") return get(what, false, out);
    if (what.method == "PUT") return put(what, out);
    if (what.method == "DELETE") {
        if (auto const at = objects_.find(what.path); at != objects_.end()) objects_.erase(at);
        out += status_line(204);
        out += common_fields;
        out += "\r\n";
        return;
    }
    out += refusal(405, "MethodNotAllowed", "UnsupportedHttpVerb", true);
}

void server_objects::get(server_request const& what, bool with_body, std::string& out) const
{
    auto const at = objects_.find(what.path);
    if (at == objects_.end()) {
        out += refusal(404, "NoSuchKey", "BlobNotFound", with_body);
        return;
    }
    auto const& response = at->second.response;
    out.append(response, 0, with_body ? response.size() : at->second.head_size);
}

void server_objects::put(server_request const& what, std::string& out)
{
    auto const at = objects_.find(what.path);
    auto const expected = field(what.fields, "if-match");
    bool const taken = at != objects_.end() && field(what.fields, "if-none-match") == "*";
    bool const moved = !expected.empty() && (at == objects_.end() || at->second.tag != expected);
    if (taken || moved) {
        out += refusal(412, "PreconditionFailed", "ConditionNotMet", true);
        return;
    }
    stored next;
    next.tag = tag_of(what.body);
    next.response = status_line(200);
    next.response += common_fields;
    next.response += "Last-Modified: Mon, 15 Sep 2025 01:33:20 GMT\r\nETag: " + next.tag
                     + "\r\nAccept-Ranges: bytes\r\nContent-Type: application/json\r\nx-ms-version: 2021-12-02\r\n"
                       "x-ms-blob-type: BlockBlob\r\n"
                     + with_length(what.body.size());
    next.head_size = next.response.size();
    next.response += what.body;
    out += status_line(200);
    out += common_fields;
    out += "ETag: " + next.tag + "\r\n" + with_length(0);
    objects_.insert_or_assign(std::string(what.path), std::move(next));
}

// ListObjectsV2, as far as the library asks for it. Keys here are plain enough to need no encoding.
void server_objects::list(server_request const& what, std::string& out) const
{
    auto const bucket = std::string(what.path) + '/';
    auto const prefix = parameter(what.query, "prefix");
    auto const delimiter = parameter(what.query, "delimiter");
    auto const token = parameter(what.query, "continuation-token");
    auto const after = token.empty() ? parameter(what.query, "start-after") : token;
    auto const most = number(parameter(what.query, "max-keys"), 1000);

    std::string rows;
    std::string last;
    std::set<std::string> groups;
    std::size_t count = 0;
    bool more = false;
    for (auto at = objects_.upper_bound(bucket + std::max(prefix, after)); at != objects_.end(); ++at) {
        std::string_view name = at->first;
        if (!name.starts_with(bucket + prefix)) break;
        name.remove_prefix(bucket.size());
        auto const cut = delimiter.empty() ? name.npos : name.find(delimiter, prefix.size());
        auto const group = cut == name.npos ? std::string() : std::string(name.substr(0, cut + 1));
        if (!group.empty() && (groups.contains(group) || (!after.empty() && group <= after))) continue;
        if (more = count == most; more) break;
        ++count;
        last = group.empty() ? std::string(name) : group;
        if (!group.empty()) {
            groups.insert(group);
            continue;
        }
        auto const size = at->second.response.size() - at->second.head_size;
        rows += "<Contents><Key>" + last + "</Key><LastModified>2025-09-15T01:33:20.000Z</LastModified><ETag>&quot;"
                + at->second.tag.substr(1, at->second.tag.size() - 2) + "&quot;</ETag><Size>" + std::to_string(size)
                + "</Size><StorageClass>STANDARD</StorageClass></Contents>";
    }
    for (auto const& each : groups) rows += "<CommonPrefixes><Prefix>" + each + "</Prefix></CommonPrefixes>";
    auto body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult><Name>bench</Name><Prefix>" + prefix
                + "</Prefix><KeyCount>" + std::to_string(count) + "</KeyCount><MaxKeys>" + std::to_string(most)
                + "</MaxKeys><IsTruncated>" + (more ? "true" : "false") + "</IsTruncated>";
    if (more) body += "<NextContinuationToken>" + last + "</NextContinuationToken>";
    body += rows + "</ListBucketResult>";
    out += status_line(200);
    out += common_fields;
    out += "Content-Type: application/xml\r\n" + with_length(body.size()) + body;
}

}  // namespace headwater::bench
