// The rules of an Azure address: names, hosts, and where the account stands.
#include "adapters/azure/location.hpp"

#include "adapters/http/encoding.hpp"
#include "adapters/http/url.hpp"

#include <algorithm>
#include <string_view>

namespace headwater::azure {

namespace {

constexpr std::size_t longest_name = 63;
constexpr std::size_t shortest_container = 3;

bool is_lower_or_digit(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Azure's rule has 3 to 24 letters and digits; emulators are told others.
bool is_account(std::string_view name)
{
    return !name.empty() && name.size() <= longest_name
           && std::ranges::all_of(name, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

// https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
bool is_container(std::string_view name)
{
    if (name == "$root" || name == "$web") return true;
    return name.size() >= shortest_container && name.size() <= longest_name && is_lower_or_digit(name.front())
           && is_lower_or_digit(name.back()) && name.find("--") == name.npos
           && std::ranges::all_of(name, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_prefix(std::string_view prefix)
{
    return prefix.size() <= max_root_bytes && !prefix.starts_with('/') && !prefix.ends_with('/') && !name_fault(prefix);
}

bool is_version(std::string_view text)
{
    constexpr std::string_view shape = "0000-00-00";
    return text.size() == shape.size() && std::ranges::equal(text, shape, [](char c, char form) {
               return form == '-' ? c == '-' : c >= '0' && c <= '9';
           });
}

error misconfigured(std::string detail) { return {errc::configuration, std::move(detail)}; }

// Container and prefix are what the caller names, not what is set up.
error misspelt(std::string detail) { return {errc::invalid_argument, std::move(detail)}; }

std::string endpoint_text(azure_options const& options)
{
    return options.endpoint.empty() ? "https://" + options.account + ".blob.core.windows.net" : options.endpoint;
}

// The path before the container.
std::string account_path(http::url const& address, std::string const& account)
{
    auto path = address.path;
    while (path.ends_with('/')) path.pop_back();
    auto const segment = "/" + account;
    bool const named_by_host = !http::is_ip_address(address.host) && address.host.find('.') != std::string::npos;
    return named_by_host || path.ends_with(segment) ? path : path + segment;
}

}  // namespace

char const* name_fault(std::string_view name)
{
    if (name.size() > max_name_bytes) return "is longer than 1,024 bytes with the store's prefix";
    if (name.find('\\') != name.npos) return "has a backslash, which Azure would turn into a slash";
    bool const has_control = std::ranges::any_of(name, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
    if (has_control) return "has a control character";
    return http::is_utf8(name) ? nullptr : "is not UTF-8";
}

result<location> locate(azure_options const& options)
{
    if (!is_account(options.account)) return misconfigured("the account's name: lower-case letters and digits");
    if (!is_container(options.container)) {
        return misspelt("the container's name: 3 to 63 lower-case letters, digits and single hyphens");
    }
    if (!is_prefix(options.prefix)) {
        return misspelt("the prefix has more than 700 bytes, a slash at an end, or is no part of a blob's name");
    }
    if (!is_version(options.api_version)) return misconfigured("the API version is a date: 2021-12-02");
    auto const address = http::parse_url(endpoint_text(options));
    if (!address) return address.error();
    auto where = http::endpoint_of(*address, options.allow_http);
    if (!where) return where.error();

    location out;
    out.container_path = account_path(*address, options.account) + "/" + options.container;
    out.address = address->scheme + "://" + where->authority + out.container_path;
    out.where = std::move(*where);
    out.account = options.account;
    if (!options.prefix.empty()) {
        out.prefix = options.prefix + "/";
        out.address += "/" + options.prefix;
    }
    out.api_version = options.api_version;
    out.checksum = options.checksum;
    return out;
}

}  // namespace headwater::azure
