// The reader of ListObjectsV2's page: names decoded, whether rows are in order, a continuation that moves on.
#include "adapters/http/date.hpp"
#include "adapters/http/encoding.hpp"
#include "adapters/s3/s3_response.hpp"
#include "adapters/xml/xml.hpp"

#include <charconv>
#include <utility>

namespace headwater::s3 {

namespace {

std::optional<std::uint64_t> parse_size(std::string_view text) noexcept
{
    std::uint64_t value = 0;
    auto const* const end = text.data() + text.size();
    auto const [stop, failed] = std::from_chars(text.data(), end, value);
    if (text.empty() || failed != std::errc() || stop != end) return std::nullopt;
    return value;
}

/// Reads one page; the first thing that does not fit is kept in `wrong` and ends it.
class page_reader {
public:
    page_reader(location const& where, list_options const& options) : where_(where), options_(options) {}

    std::optional<listed> read(xml::element const& root)
    {
        if (root.name != "ListBucketResult") return fail("the document is no listing");
        encoded_ = root.text_of("EncodingType") == "url";
        listed out;
        auto& page = out.page;
        for (auto const& each : root.children) {
            bool const good = each.name == "Contents"         ? add_object(each, out)
                              : each.name == "CommonPrefixes" ? add_prefix(each, page)
                                                              : true;
            if (!good) return std::nullopt;
        }
        return read_continuation(root, page) ? std::optional(std::move(out)) : std::nullopt;
    }

    char const* wrong() const noexcept { return wrong_; }

private:
    std::nullopt_t fail(char const* why) noexcept
    {
        wrong_ = why;
        return std::nullopt;
    }
    bool refuse(char const* why) noexcept
    {
        wrong_ = why;
        return false;
    }

    /// A name below the store's prefix. Listings escape a space as `+`.
    std::optional<std::string> name(std::string_view text)
    {
        auto full = encoded_ ? http::percent_decode(text, http::plus::space) : std::string(text);
        if (!full || !http::is_utf8(*full)) return fail("a name is not valid");
        if (!full->starts_with(where_.root())) return fail("a name is outside the prefix");
        full->erase(0, where_.root().size());
        return full;
    }

    bool add_object(xml::element const& row, listed& out)
    {
        auto& rows = out.page.objects;
        auto key = name(row.text_of("Key"));
        if (!key) return false;
        auto const size = parse_size(row.text_of("Size"));
        if (!size) return refuse("a size is not a number");
        if (!rows.empty() && *key == rows.back().key.text()) return refuse("a key is there twice");
        if (!rows.empty() && *key < rows.back().key.text()) out.ordered = false;
        if (*key <= options_.start_after) return true;  // Some stores include it.
        object_meta meta(object_key(*std::move(key)), *size, etag(std::string(row.text_of("ETag"))));
        meta.last_modified = http::parse_iso_date(row.text_of("LastModified"));
        rows.push_back(std::move(meta));
        return true;
    }

    bool add_prefix(xml::element const& row, list_page& page)
    {
        auto text = name(row.text_of("Prefix"));
        if (!text) return false;
        page.common_prefixes.push_back(*std::move(text));
        return true;
    }

    bool read_continuation(xml::element const& root, list_page& page)
    {
        std::string_view const truncated = root.text_of("IsTruncated");
        if (truncated == "false") return true;
        if (truncated != "true") return refuse("it does not say whether it is the last page");
        std::string_view const token = root.text_of("NextContinuationToken");
        if (token.empty()) return refuse("it is not the last page but has no continuation token");
        if (token == options_.continuation) return refuse("its continuation token is the one it was asked with");
        page.next = std::string(token);
        return true;
    }

    location const& where_;
    list_options const& options_;
    bool encoded_ = false;
    char const* wrong_ = "";
};

error unusable(http::response const& answer, std::string const& detail)
{
    return malformed(answer, "the listing cannot be used: " + detail);
}

}  // namespace

result<listed> read_list(http::response const& answer, location const& where, list_options const& options)
{
    if (answer.status != 200) return to_error(call::list, answer);
    auto const document = xml::parse(answer.body);
    if (!document) return unusable(answer, document.error().why()->detail);
    if (document->name == "Error") return to_error(call::list, answer);
    page_reader reader(where, options);
    auto read = reader.read(*document);
    if (!read) return unusable(answer, reader.wrong());
    read->page.info = info_of(answer);
    return *std::move(read);
}

}  // namespace headwater::s3
