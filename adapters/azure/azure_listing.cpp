// How List Blobs spells a page: names, escapes, properties, the marker of the next one.
// https://learn.microsoft.com/rest/api/storageservices/list-blobs
#include "adapters/azure/azure_listing.hpp"

#include "adapters/azure/azure_response.hpp"
#include "adapters/http/date.hpp"
#include "adapters/http/encoding.hpp"
#include "adapters/xml/xml.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace headwater::azure {

namespace {

// A name below the store's prefix; nothing if the row has none.
std::optional<std::string> name_of(xml::element const& row, std::string_view store_prefix)
{
    auto const* const name = row.child("Name");
    if (!name) return {};
    auto text = std::optional(name->text);
    // For what XML cannot carry.
    if (name->attribute("Encoded") == "true") text = http::percent_decode(name->text);
    if (!text || !text->starts_with(store_prefix)) return {};
    return text->substr(store_prefix.size());
}

std::optional<object_meta> read_row(std::string key, xml::element const& properties)
{
    auto const length = properties.text_of("Content-Length");
    std::uint64_t size = 0;
    auto const [end, failed] = std::from_chars(length.data(), length.data() + length.size(), size);
    if (failed != std::errc() || end != length.data() + length.size()) return {};
    object_meta out(object_key(std::move(key)), size, quoted(properties.text_of("Etag")));
    out.last_modified = http::parse_http_date(properties.text_of("Last-Modified"));
    return out;
}

// Adds one row; false if it is malformed.
bool add_row(listing& out, xml::element const& row, std::string_view store_prefix, std::string_view start_after)
{
    bool const is_prefix = row.name == "BlobPrefix";
    if (!is_prefix && row.name != "Blob") return true;
    auto name = name_of(row, store_prefix);
    if (!name) return false;
    if (is_prefix) {
        // Whether keys after `start_after` are among those of a group that it is in, the service does not tell.
        if (*name > start_after || start_after.starts_with(*name)) out.page.common_prefixes.push_back(std::move(*name));
        return true;
    }
    auto const* const properties = row.child("Properties");
    if (!properties) return false;
    // A directory is no object; an empty name is a marker for the store's own prefix.
    if (name->empty() || properties->text_of("ResourceType") == "directory" || *name <= start_after) return true;
    auto meta = read_row(std::move(*name), *properties);
    if (!meta) return false;
    auto& rows = out.page.objects;
    if (!rows.empty() && meta->key <= rows.back().key) out.ordered = false;
    rows.push_back(std::move(*meta));
    return true;
}

}  // namespace

result<listing> read_listing(call const& of, http::response const& answer, std::string_view store_prefix,
                             list_options const& options)
{
    if (answer.status != 200) return refusal(of, answer);
    auto const root = xml::parse(answer.body);
    auto const* const rows = root ? root->child("Blobs") : nullptr;
    if (!rows || root->name != "EnumerationResults") return malformed(of, answer, "the page is no list of blobs");
    listing out;
    for (auto const& row : rows->children) {
        if (!add_row(out, row, store_prefix, options.start_after)) {
            return malformed(of, answer, "a row of the page is malformed or not below the prefix");
        }
    }
    if (auto const next = root->text_of("NextMarker"); !next.empty()) {
        if (next == options.continuation) return malformed(of, answer, "the page is followed by itself");
        out.page.next = std::string(next);
    }
    out.page.info = info_of(of, answer);
    return out;
}

}  // namespace headwater::azure
