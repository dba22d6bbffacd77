// Virtual-host and path style, Amazon's endpoints and others'.
#include "adapters/s3/s3_address.hpp"

#include "adapters/http/encoding.hpp"
#include "adapters/http/url.hpp"

#include <algorithm>

namespace headwater::s3 {

namespace {

constexpr std::size_t longest_bucket = 255;  // Of other stores and of old ones at Amazon; today's are 3 to 63.
constexpr std::size_t longest_label = 63;

error wrong(std::string why) { return {errc::configuration, std::move(why)}; }

bool is_digit_or_lower(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

bool is_bucket(std::string_view name) noexcept
{
    auto const plain = [](char c) { return is_digit_or_lower(c) || (c >= 'A' && c <= 'Z'); };
    return !name.empty() && name.size() <= longest_bucket && plain(name.front())
           && std::all_of(name.begin(), name.end(),
                          [&](char c) { return plain(c) || c == '.' || c == '-' || c == '_'; });
}

/// A wildcard certificate covers one label: a dot in the name would break TLS.
bool is_host_label(std::string_view name) noexcept
{
    return name.size() <= longest_label && is_digit_or_lower(name.front()) && is_digit_or_lower(name.back())
           && std::all_of(name.begin(), name.end(), [](char c) { return is_digit_or_lower(c) || c == '-'; });
}

bool is_amazon(std::string_view host) noexcept
{
    return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
}

std::string amazon_endpoint(std::string const& region)
{
    return "https://s3." + region + (region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
}

bool wants_virtual_host(s3_options const& options, http::endpoint const& where) noexcept
{
    if (options.addressing == s3_addressing::automatic) return is_amazon(where.host) && is_host_label(options.bucket);
    return options.addressing == s3_addressing::virtual_host;
}

bool is_prefix(std::string_view prefix) noexcept
{
    return !prefix.starts_with('/') && !prefix.ends_with('/') && prefix.size() <= max_root_bytes
           && http::is_utf8(prefix);
}

}  // namespace

bool is_directory_bucket(std::string_view name) noexcept { return name.ends_with("--x-s3"); }

bool is_region(std::string_view name) noexcept
{
    return !name.empty() && name.size() <= longest_label && std::all_of(name.begin(), name.end(), [](char c) {
        return is_digit_or_lower(c) || c == '-' || c == '_';
    });
}

std::string_view region_of_host(std::string_view host) noexcept
{
    auto const end = host.rfind(".amazonaws.com");
    if (!is_amazon(host) || end == host.npos) return {};
    host = host.substr(0, end);
    for (std::string_view const mark : {"s3.dualstack.", "s3.", "s3-"}) {
        auto const at = host.rfind(mark);
        if (at == host.npos || (at > 0 && host[at - 1] != '.')) continue;
        auto const region = host.substr(at + mark.size());
        return is_region(region) ? region : std::string_view();
    }
    return {};
}

result<address> address_of(s3_options const& options)
{
    if (!is_bucket(options.bucket)) {
        return error(errc::invalid_argument, "the bucket's name is empty or has characters that no bucket has");
    }
    if (!is_region(options.region)) return wrong("the region's name has characters that no region has");
    if (!is_prefix(options.prefix)) {
        return error(errc::invalid_argument,
                     "a store's prefix is UTF-8, at most 700 bytes, without a slash at either end");
    }
    address made;
    made.follows_region = options.endpoint.empty();
    auto const url = http::parse_url(made.follows_region ? amazon_endpoint(options.region) : options.endpoint);
    if (!url) return wrong("the S3 endpoint cannot be used: " + url.error().why()->detail);
    auto where = http::endpoint_of(*url, options.allow_http);
    if (!where) return where.error();

    made.where = *std::move(where);
    made.base = url->path;
    while (made.base.ends_with('/')) made.base.pop_back();
    if (wants_virtual_host(options, made.where)) {
        if (!is_host_label(options.bucket) || http::is_ip_address(made.where.host)) {
            return wrong(
                "the bucket's name cannot stand in a host name, or the endpoint is an IP address: use path style");
        }
        made.where = http::with_host(std::move(made.where), options.bucket + '.' + url->host);
    } else {
        made.base += '/' + options.bucket;
    }
    made.text = url->scheme + "://" + made.where.authority + made.base;
    if (!options.prefix.empty()) made.text += '/' + options.prefix;
    return made;
}

}  // namespace headwater::s3
