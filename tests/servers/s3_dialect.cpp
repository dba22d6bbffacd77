// S3: path style, Signature Version 4, ListObjectsV2.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
#include "tests/servers/store_dialect.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace headwater::test {

namespace {

// `Credential=…`, `SignedHeaders=…`, `Signature=…` of the Authorization field.
std::string part_of(std::string_view authorization, std::string_view name)
{
    auto const at = authorization.find(std::string(name) + '=');
    if (at == authorization.npos) return {};
    auto const rest = authorization.substr(at + name.size() + 1);
    return std::string(rest.substr(0, rest.find(',')));
}

std::vector<std::string> split(std::string_view text, char at)
{
    std::vector<std::string> out;
    while (true) {
        auto const end = std::min(text.find(at), text.size());
        out.emplace_back(text.substr(0, end));
        if (end == text.size()) return out;
        text.remove_prefix(end + 1);
    }
}

// 20261130T051731Z
std::optional<std::chrono::sys_seconds> parse_stamp(std::string const& text)
{
    int year = 0;
    unsigned month = 0, day = 0;
    int hour = 0, minute = 0, second = 0;
    if (std::sscanf(text.c_str(), "%4d%2u%2uT%2d%2d%2dZ", &year, &month, &day, &hour, &minute, &second) != 6) {
        return {};
    }
    std::chrono::sys_days const date(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day));
    return date + std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

class s3_dialect final : public store_dialect {
public:
    explicit s3_dialect(server_account who) : who_(std::move(who)) {}

    std::optional<reply> check(asked const& what, std::chrono::sys_seconds now) const override
    {
        // What is signed is what a server makes of the path: decoded and encoded again. Both must be the same bytes.
        if (percent_encoded(percent_decoded(what.path), "/") != what.path) return refuse(400, "InvalidURI");
        auto const root = "/" + who_.bucket;
        if (what.path != root && !what.path.starts_with(root + "/")) return refuse(404, "NoSuchBucket");
        auto const authorization = what.find("authorization");
        auto const scope = split(part_of(authorization, "Credential"), '/');
        if (!authorization.starts_with("AWS4-HMAC-SHA256 ") || scope.size() != 5) return refuse(403, "AccessDenied");
        if (scope[0] != who_.id) return refuse(403, "InvalidAccessKeyId");
        if (scope[2] != who_.region) return wrong_region();
        auto const signed_at = parse_stamp(std::string(what.find("x-amz-date")));
        if (!signed_at || !what.find("x-amz-date").starts_with(scope[1])) return refuse(403, "AccessDenied");
        if (std::chrono::abs(*signed_at - now) > std::chrono::minutes(15)) return refuse(403, "RequestTimeTooSkewed");
        auto const names = split(part_of(authorization, "SignedHeaders"), ';');
        if (!signs_what_it_must(what, names)) return refuse(403, "SignatureDoesNotMatch");
        if (signature(what, scope, names) != part_of(authorization, "Signature")) {
            return refuse(403, "SignatureDoesNotMatch");
        }
        auto const promised = what.find("x-amz-content-sha256");
        if (promised != "UNSIGNED-PAYLOAD" && promised != hex(sha256(what.body))) {
            return refuse(400, "XAmzContentSHA256Mismatch");
        }
        auto const told_md5 = what.find("content-md5"), told_crc = what.find("x-amz-checksum-crc64nvme");
        if (batch_of(what) && told_md5.empty()) return refuse(400, "InvalidRequest");
        bool const whole = (told_md5.empty() || told_md5 == to_base64(md5(what.body)))
                           && (told_crc.empty() || told_crc == to_base64(crc64(what.body)));
        if (!whole) return refuse(400, "BadDigest");
        return {};
    }

    std::optional<std::string> key_of(asked const& what) const override
    {
        auto const root = who_.bucket.size() + 2;
        if (what.path.size() <= root) return {};
        return percent_decoded(std::string_view(what.path).substr(root));
    }

    reply list(asked const& what, stored_objects const& all) const override
    {
        auto const token = parameter(what, "continuation-token");
        if (!token.empty() && !token.starts_with(token_mark)) return refuse(400, "InvalidArgument");
        auto const after = token.empty() ? parameter(what, "start-after") : token.substr(token_mark.size());
        auto const most = parameter(what, "max-keys");
        auto const rows = page_of(all, parameter(what, "prefix"), after, parameter(what, "delimiter"),
                                  most.empty() ? 1000 : std::stoul(most));
        bool const encoded = parameter(what, "encoding-type") == "url";
        auto const name = [&](std::string_view key) { return encoded ? percent_encoded(key, "/") : xml_text(key); };
        reply out;
        out.body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
        if (encoded) out.body += "<EncodingType>url</EncodingType>";
        for (auto const* row : rows.objects) {
            out.body += "<Contents><Key>" + name(row->first) + "</Key><LastModified>2026-11-30T05:17:31.000Z"
                        + "</LastModified><ETag>&quot;" + row->second.tag + "&quot;</ETag><Size>"
                        + std::to_string(row->second.content.size()) + "</Size></Contents>";
        }
        for (auto const& prefix : rows.prefixes) {
            out.body += "<CommonPrefixes><Prefix>" + name(prefix) + "</Prefix></CommonPrefixes>";
        }
        bool const more = !rows.next_after.empty();
        out.body += std::string("<IsTruncated>") + (more ? "true" : "false") + "</IsTruncated>";
        if (more) {
            out.body += "<NextContinuationToken>" + xml_text(std::string(token_mark) + rows.next_after)
                        + "</NextContinuationToken>";
        }
        out.body += "</ListBucketResult>";
        return out;
    }

    reply put(stored const& made) const override { return {200, {}, {{"ETag", '"' + made.tag + '"'}}, {}}; }
    reply removed(bool) const override { return {204, {}, {}, {}}; }
    reply absent() const override { return refuse(404, "NoSuchKey"); }
    std::optional<std::vector<std::string>> batch_of(asked const& what) const override
    {
        if (what.method != "POST" || what.query != "delete=") return {};
        std::vector<std::string> keys;
        constexpr std::string_view open = "<Key>", close = "</Key>";
        for (auto at = what.body.find(open); at != what.body.npos; at = what.body.find(open, at)) {
            at += open.size();
            keys.push_back(plain_text(what.body.substr(at, what.body.find(close, at) - at)));
        }
        return keys;
    }
    reply removed_batch(removals const& all) const override
    {
        reply out;
        out.body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<DeleteResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
        for (auto const& [key, code] : all) {
            auto const name = "<Key>" + xml_text(key) + "</Key>";
            out.body += code.empty()
                            ? "<Deleted>" + name + "</Deleted>"
                            : "<Error>" + name + "<Code>" + code + "</Code><Message>As planned.</Message></Error>";
        }
        out.body += "</DeleteResult>";
        return out;
    }
    std::vector<std::pair<std::string, std::string>> sums(asked const& what, stored const& of) const override
    {
        if (what.find("x-amz-checksum-mode") != "ENABLED") return {};
        return {{"x-amz-checksum-crc64nvme", to_base64(crc64(of.content))}, {"x-amz-checksum-type", "FULL_OBJECT"}};
    }
    reply taken() const override { return refuse(412, "PreconditionFailed"); }
    reply mismatch() const override { return refuse(412, "PreconditionFailed"); }

    void spell(reply& what) const override
    {
        what.fields.emplace_back("x-amz-request-id", "4442587FB7D0A2F9");
        if (what.code.empty()) return;
        what.fields.emplace_back("Content-Type", "application/xml");
        what.body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + what.code
                    + "</Code><Message>As planned &amp; said.</Message>";
        if (what.code == "AuthorizationHeaderMalformed" || what.code == "PermanentRedirect") {
            what.body += "<Region>" + who_.region + "</Region>";
        }
        what.body += "</Error>";
    }

private:
    // What the continuation begins with: opaque, and none of it may reach the query as it stands.
    static constexpr std::string_view token_mark = "1+/=&";

    static reply refuse(int status, std::string code) { return {status, std::move(code), {}, {}}; }
    reply wrong_region() const
    {
        return {400, "AuthorizationHeaderMalformed", {{"x-amz-bucket-region", who_.region}}, {}};
    }

    static bool signs_what_it_must(asked const& what, std::vector<std::string> const& names)
    {
        return std::ranges::all_of(what.fields, [&](auto const& field) {
            bool const must = field.first == "host" || field.first.starts_with("x-amz-") || field.first == "if-match"
                              || field.first == "if-none-match";
            return !must || std::ranges::find(names, field.first) != names.end();
        });
    }

    // What clients write: five names, and white space by its number.
    static std::string plain_text(std::string text)
    {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 6> spelled = {
            {{"&lt;", "<"}, {"&gt;", ">"}, {"&#9;", "\t"}, {"&#10;", "\n"}, {"&#13;", "\r"}, {"&amp;", "&"}}};
        for (auto const& [name, meant] : spelled) {
            for (auto at = text.find(name); at != text.npos; at = text.find(name, at + meant.size())) {
                text.replace(at, name.size(), meant);
            }
        }
        return text;
    }

    std::string signature(asked const& what, std::vector<std::string> const& scope,
                          std::vector<std::string> const& names) const
    {
        auto query = raw_parameters(what.query);
        std::ranges::sort(query);
        std::string canonical = what.method + '\n' + what.path + '\n';
        for (auto const& [name, value] : query) canonical += name + '=' + value + '&';
        if (!query.empty()) canonical.pop_back();
        canonical += '\n';
        std::string joined;
        for (auto const& name : names) {
            canonical += name + ':' + std::string(what.find(name)) + '\n';
            joined += (joined.empty() ? "" : ";") + name;
        }
        std::string const promised(what.find("x-amz-content-sha256"));
        canonical += '\n' + joined + '\n' + promised;

        auto const scope_text = scope[1] + '/' + scope[2] + '/' + scope[3] + '/' + scope[4];
        auto const to_sign = "AWS4-HMAC-SHA256\n" + std::string(what.find("x-amz-date")) + '\n' + scope_text + '\n'
                             + hex(sha256(canonical));
        auto key = "AWS4" + who_.secret;
        for (std::size_t at = 1; at < scope.size(); ++at) key = hmac_sha256(key, scope[at]);
        return hex(hmac_sha256(key, to_sign));
    }

    server_account who_;
};

}  // namespace

std::unique_ptr<store_dialect> make_s3_dialect(server_account who)
{
    return std::make_unique<s3_dialect>(std::move(who));
}

}  // namespace headwater::test
