// The schemes, one function each.
#include "adapters/url/place.hpp"

#include "adapters/credentials/azure_connection_string.hpp"
#include "adapters/credentials/profile_files.hpp"
#include "adapters/credentials/settings.hpp"
#include "adapters/http/encoding.hpp"
#include "adapters/http/url.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace headwater::url {

namespace {

using credentials::enabled;
using credentials::setting;

error refused(std::string why) { return {errc::invalid_argument, "the store's address " + std::move(why)}; }

/// The scheme before the first colon, if the text begins with one. One letter is no scheme: `c:\dir`.
std::optional<std::string> scheme_of(std::string_view address)
{
    auto const colon = address.find(':');
    if (colon == address.npos || colon < 2) return std::nullopt;
    std::string scheme(address.substr(0, colon));
    for (char& c : scheme) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        bool const fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
        if (!fits) return std::nullopt;
    }
    return scheme;
}

/// `name/prefix` after the scheme's slashes. The prefix may end with one slash, which says nothing.
struct name_and_prefix {
    std::string name{};
    std::string prefix{};
};

name_and_prefix split(std::string_view path)
{
    auto const slash = std::min(path.find('/'), path.size());
    name_and_prefix out{std::string(path.substr(0, slash)), std::string(path.substr(slash))};
    if (!out.prefix.empty()) out.prefix.erase(0, 1);
    if (out.prefix.ends_with('/')) out.prefix.pop_back();
    return out;
}

// A zero byte would end the path for the system, and another graph would be opened.
result<std::string> unescaped(std::string_view path)
{
    auto out = http::percent_decode(path);
    if (!out) return refused("has a wrong percent escape");
    if (out->find('\0') != std::string::npos) return refused("has a zero byte");
    return *std::move(out);
}

/// Reads `scheme://name/prefix`, where the name is a bucket or a container and nothing is escaped.
result<name_and_prefix> read_bucket_address(std::string_view address, std::string_view scheme)
{
    std::string const form = std::string(scheme) + "://name/prefix";
    std::string_view rest = address.substr(scheme.size() + 1);
    if (!rest.starts_with("//")) return refused("is written " + form);
    if (rest.find_first_of("?#") != rest.npos) return refused("must not have a query or a fragment: " + form);
    auto parts = split(rest.substr(2));
    if (parts.name.find_first_of("@:") != std::string::npos) {
        return refused("must not hold credentials or a port: " + form + ", the rest comes from the environment");
    }
    if (parts.name.empty()) return refused("has no name: " + form);
    return parts;
}

s3_addressing addressing(environment const& settings)
{
    if (setting(settings, {"AWS_S3_FORCE_PATH_STYLE"}).empty()) return s3_addressing::automatic;
    return enabled(settings, "AWS_S3_FORCE_PATH_STYLE") ? s3_addressing::path : s3_addressing::virtual_host;
}

/// `HEADWATER_LISTING`: whether an S3 store lists in the order of keys.
result<bool> ordered_listing_from(environment const& settings)
{
    auto const name = setting(settings, {"HEADWATER_LISTING"});
    if (name.empty() || name == "ordered") return true;
    if (name == "unordered") return false;
    return error(errc::configuration, "HEADWATER_LISTING is ordered or unordered");
}

/// `HEADWATER_CHECKSUM`: what goes with bodies.
result<body_checksum> checksum_from(environment const& settings)
{
    auto const name = setting(settings, {"HEADWATER_CHECKSUM"});
    if (name.empty() || name == "none") return body_checksum::none;
    if (name == "md5") return body_checksum::md5;
    if (name == "crc64") return body_checksum::crc64;
    return error(errc::configuration, "HEADWATER_CHECKSUM is none, md5 or crc64");
}

result<place> locate_s3(std::string_view address, environment const& given)
{
    auto const settings = credentials::with_profile(given);
    auto parts = read_bucket_address(address, "s3");
    if (!parts) return parts.error();
    auto const checksum = checksum_from(settings);
    if (!checksum) return checksum.error();
    auto const ordered = ordered_listing_from(settings);
    if (!ordered) return ordered.error();
    s3_options options;
    options.checksum = *checksum;
    options.ordered_listing = *ordered;
    options.bucket = std::move(parts->name);
    options.prefix = std::move(parts->prefix);
    if (auto region = setting(settings, {"AWS_REGION", "AWS_DEFAULT_REGION"}); !region.empty()) options.region = region;
    options.endpoint = setting(settings, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
    options.addressing = addressing(settings);
    options.allow_http = enabled(settings, "AWS_ALLOW_HTTP");
    options.http.ca_file = setting(settings, {"AWS_CA_BUNDLE", "SSL_CERT_FILE"});
    return place(std::move(options));
}

/// What both spellings of an Azure address share.
result<azure_options> azure_base(environment const& settings)
{
    auto const checksum = checksum_from(settings);
    if (!checksum) return checksum.error();
    azure_options options;
    options.checksum = *checksum;
    options.allow_http = enabled(settings, "AZURE_ALLOW_HTTP");
    options.http.ca_file = setting(settings, {"SSL_CERT_FILE"});
    return options;
}

/// The account that an address names: by its path on an IP address or a name without a dot, else by its host.
std::string account_of(http::url const& address)
{
    bool const in_path = http::is_ip_address(address.host) || address.host.find('.') == std::string::npos;
    if (!in_path) return address.host.substr(0, address.host.find('.'));
    return split(std::string_view(address.path).substr(std::min<std::size_t>(1, address.path.size()))).name;
}

result<place> with_account(azure_options options, environment const& settings)
{
    if (auto const text = setting(settings, {"AZURE_STORAGE_CONNECTION_STRING"}); !text.empty()) {
        auto parts = credentials::parse_azure_connection_string(text);
        if (!parts) return parts.error();
        auto const endpoint = http::parse_url(parts->endpoint);
        if (!endpoint)
            return error(errc::configuration, "the blob endpoint of AZURE_STORAGE_CONNECTION_STRING is no URL");
        options.account = parts->account.empty() ? account_of(*endpoint) : std::move(parts->account);
        options.endpoint = std::move(parts->endpoint);
        return place(std::move(options));
    }
    bool const emulator = enabled(settings, "AZURE_STORAGE_USE_EMULATOR");
    options.account = setting(settings, {"AZURE_STORAGE_ACCOUNT_NAME"});
    if (emulator && options.account.empty()) options.account = credentials::azurite_account;
    options.endpoint = setting(settings, {"AZURITE_BLOB_STORAGE_URL"});
    if (emulator && options.endpoint.empty()) options.endpoint = credentials::azurite_address;
    if (!options.account.empty()) return place(std::move(options));
    return error(errc::configuration,
                 "no Azure account: set AZURE_STORAGE_ACCOUNT_NAME or AZURE_STORAGE_CONNECTION_STRING; for Azurite, "
                 "AZURE_STORAGE_USE_EMULATOR=true");
}

result<place> locate_azure(std::string_view address, environment const& settings)
{
    auto parts = read_bucket_address(address, "az");
    if (!parts) return parts.error();
    auto options = azure_base(settings);
    if (!options) return options.error();
    options->container = std::move(parts->name);
    options->prefix = std::move(parts->prefix);
    return with_account(*std::move(options), settings);
}

/// `https://account.blob.…/container/prefix`, or `http://127.0.0.1:10000/account/container/prefix`.
result<place> locate_blob_url(std::string_view address, environment const& settings)
{
    constexpr auto form = "is written https://account.blob.core.windows.net/container/prefix";
    auto const read = http::parse_url(address);
    if (!read) return refused("cannot be used: " + read.error().why()->detail);
    bool const by_host = read->host.find(".blob.") != std::string::npos;
    if (!by_host && !http::is_loopback(read->host) && !http::is_ip_address(read->host)) return refused(form);

    auto const path = unescaped(read->path);
    if (!path) return path.error();
    auto parts = split(std::string_view(*path).substr(std::min<std::size_t>(1, path->size())));
    auto options = azure_base(settings);
    if (!options) return options.error();
    options->account = account_of(*read);
    if (!by_host) parts = split(parts.prefix);
    if (options->account.empty() || parts.name.empty()) return refused(form);
    options->container = std::move(parts.name);
    options->prefix = std::move(parts.prefix);
    options->endpoint = read->scheme + "://" + http::endpoint_of(*read, true)->authority;
    return place(*std::move(options));
}

result<place> file_place(std::string root)
{
    if (root.size() > max_root_bytes) return refused("names a directory by more than 700 bytes");
    file_options options;
    options.root = std::move(root);
    return place(std::move(options));
}

result<place> locate_file(std::string_view address)
{
    constexpr auto form = "is written file:///directory";
    auto const read = http::parse_url(address);
    if (!read) return refused("cannot be used: " + read.error().why()->detail);
    if ((!read->host.empty() && read->host != "localhost") || read->path.empty()) return refused(form);
    auto path = unescaped(read->path);
    if (!path) return path.error();
    return file_place(*std::move(path));
}

}  // namespace

result<place> locate(std::string_view address, environment const& settings)
{
    if (address.empty()) return refused("is empty");
    if (address.find('\0') != address.npos) return refused("has a zero byte");
    auto const scheme = scheme_of(address);
    if (!scheme) return file_place(std::string(address));
    if (*scheme == "memory" && address.size() == std::string_view("memory:").size()) return place(memory_options());
    if (*scheme == "s3") return locate_s3(address, settings);
    if (*scheme == "az") return locate_azure(address, settings);
    if (*scheme == "https" || *scheme == "http") return locate_blob_url(address, settings);
    if (*scheme == "file") return locate_file(address);
    return refused(
        "is s3://bucket/prefix, az://container/prefix, https://account.blob.core.windows.net/container/prefix, "
        "file:///directory, a path (with a colon in it: ./path), or memory:");
}

}  // namespace headwater::url
