// Azure Blob as its emulator addresses it (the account leads the path): SharedKey, List Blobs.
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
#include "tests/servers/store_dialect.hpp"

#include <algorithm>
#include <array>

namespace headwater::test {

namespace {

// XML 1.0 has no way to carry these.
bool fits_xml(std::string_view text)
{
    return std::ranges::none_of(text, [](char each) { return each >= 0 && each < ' '; });
}

std::string name_element(std::string_view name)
{
    if (fits_xml(name)) return "<Name>" + xml_text(name) + "</Name>";
    return "<Name Encoded=\"true\">" + percent_encoded(name, "/") + "</Name>";
}

class azure_dialect final : public store_dialect {
public:
    explicit azure_dialect(server_account who) : who_(std::move(who)) {}

    std::optional<reply> check(asked const& what, std::chrono::sys_seconds now) const override
    {
        auto const root = "/" + who_.id + "/" + who_.bucket;
        if (what.path != root && !what.path.starts_with(root + "/")) return refuse(404, "ContainerNotFound");
        if (what.find("x-ms-version").empty()) return refuse(400, "MissingRequiredHeader");
        // The service reads the date strictly; comparing texts would miss nothing but the seconds.
        if (!is_near(std::string(what.find("x-ms-date")), now)) return refuse(403, "AuthenticationFailed");
        auto const expected = "SharedKey " + who_.id + ':' + signature(what);
        if (what.find("authorization") != expected) return refuse(403, "AuthenticationFailed");
        if (what.method == "PUT" && what.find("x-ms-blob-type") != "BlockBlob") {
            return refuse(400, "MissingRequiredHeader");
        }
        auto const told_md5 = what.find("content-md5"), told_crc = what.find("x-ms-content-crc64");
        if (!told_md5.empty() && told_md5 != to_base64(md5(what.body))) return refuse(400, "Md5Mismatch");
        auto low_first = crc64(what.body);
        std::ranges::reverse(low_first);
        if (!told_crc.empty() && told_crc != to_base64(low_first)) return refuse(400, "Crc64Mismatch");
        return {};
    }

    std::optional<std::string> key_of(asked const& what) const override
    {
        auto const root = who_.id.size() + who_.bucket.size() + 3;
        if (what.path.size() <= root) return {};
        return percent_decoded(std::string_view(what.path).substr(root));
    }

    reply list(asked const& what, stored_objects const& all) const override
    {
        auto const marker = parameter(what, "marker");
        if (!marker.empty() && !marker.starts_with(marker_mark)) return refuse(400, "InvalidQueryParameterValue");
        auto const most = parameter(what, "maxresults");
        auto const after = marker.empty() ? std::string() : marker.substr(marker_mark.size());
        auto const rows = page_of(all, parameter(what, "prefix"), after, parameter(what, "delimiter"),
                                  most.empty() ? 5000 : std::stoul(most));
        reply out;
        out.fields.emplace_back("Content-Type", "application/xml");
        out.body = "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ContainerName=\""
                   + who_.bucket + "\"><Blobs>";
        for (auto const* row : rows.objects) {
            out.body += "<Blob>" + name_element(row->first) + "<Properties><Last-Modified>"
                        + http_date(row->second.modified) + "</Last-Modified><Etag>" + row->second.tag
                        + "</Etag><Content-Length>" + std::to_string(row->second.content.size())
                        + "</Content-Length><BlobType>BlockBlob</BlobType></Properties></Blob>";
        }
        for (auto const& prefix : rows.prefixes) {
            out.body += "<BlobPrefix>" + name_element(prefix) + "</BlobPrefix>";
        }
        out.body += "</Blobs>";
        if (rows.next_after.empty()) {
            out.body += "<NextMarker />";
        } else {
            out.body += "<NextMarker>" + xml_text(std::string(marker_mark) + rows.next_after) + "</NextMarker>";
        }
        out.body += "</EnumerationResults>";
        return out;
    }

    reply put(stored const& made) const override { return {201, {}, {{"ETag", '"' + made.tag + '"'}}, {}}; }
    reply removed(bool was_there) const override { return was_there ? reply{202, {}, {}, {}} : absent(); }
    std::optional<std::vector<std::string>> batch_of(asked const&) const override { return {}; }
    reply removed_batch(removals const&) const override { return refuse(501, "NotImplemented"); }
    // The service computes the sum of every block blob by itself.
    std::vector<std::pair<std::string, std::string>> sums(asked const&, stored const& of) const override
    {
        return {{"Content-MD5", to_base64(md5(of.content))}};
    }
    reply absent() const override { return refuse(404, "BlobNotFound"); }
    reply taken() const override { return refuse(409, "BlobAlreadyExists"); }
    reply mismatch() const override { return refuse(412, "ConditionNotMet"); }

    void spell(reply& what) const override
    {
        what.fields.emplace_back("x-ms-request-id", "d9a2f7c1-001e-0042-0b1f-3c7d2f000000");
        if (what.code.empty()) return;
        what.fields.emplace_back("x-ms-error-code", what.code);
        what.fields.emplace_back("Content-Type", "application/xml");
        what.body = "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>" + what.code
                    + "</Code><Message>As planned &amp; said.\nTime:now</Message></Error>";
    }

private:
    static constexpr std::string_view marker_mark = "2!+/=&";

    static reply refuse(int status, std::string code) { return {status, std::move(code), {}, {}}; }

    static bool is_near(std::string const& date, std::chrono::sys_seconds now)
    {
        for (int minute = -15; minute <= 15; ++minute) {
            // `Mon, 30 Nov 2026 05:17`
            auto const there = http_date(now + std::chrono::minutes(minute)).substr(0, 22);
            if (date.starts_with(there)) return true;
        }
        return false;
    }

    std::string signature(asked const& what) const
    {
        constexpr std::array<std::string_view, 11> standard = {
            "content-encoding",  "content-language", "content-length", "content-md5",         "content-type", "date",
            "if-modified-since", "if-match",         "if-none-match",  "if-unmodified-since", "range"};
        auto text = what.method + '\n';
        for (auto const name : standard) {
            auto const value = what.find(name);
            if (name != "content-length" || value != "0") text += value;
            text += '\n';
        }
        auto vendor = what.fields;
        std::erase_if(vendor, [](auto const& field) { return !field.first.starts_with("x-ms-"); });
        std::ranges::sort(vendor);
        for (auto const& [name, value] : vendor) text += name + ':' + value + '\n';
        text += '/' + who_.id + what.path;
        std::vector<std::pair<std::string, std::string>> query;
        for (auto const& [name, value] : raw_parameters(what.query)) {
            query.emplace_back(lower_case(percent_decoded(name)), percent_decoded(value));
        }
        std::ranges::sort(query);
        for (auto const& [name, value] : query) text += '\n' + name + ':' + value;
        return to_base64(hmac_sha256(from_base64(who_.secret), text));
    }

    server_account who_;
};

}  // namespace

std::unique_ptr<store_dialect> make_azure_dialect(server_account who)
{
    return std::make_unique<azure_dialect>(std::move(who));
}

}  // namespace headwater::test
