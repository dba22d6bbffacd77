// The strict reader of service addresses.
#include "adapters/http/url.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace headwater::http {

namespace {

error refused(char const* why) { return {errc::invalid_argument, std::string("the address ") + why}; }

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

bool is_visible(std::string_view text) noexcept
{
    return std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c <= ' ') || c == '\x7f'; });
}

/// Splits `host[:port]` or `[v6][:port]`; false if the brackets do not close.
bool split_port(std::string_view authority, std::string_view& host, std::string_view& port) noexcept
{
    host = authority;
    port = {};
    if (authority.starts_with('[')) {
        auto const close = authority.find(']');
        if (close == authority.npos) return false;
        host = authority.substr(1, close - 1);
        port = authority.substr(close + 1);
    } else if (auto const colon = authority.find(':'); colon != authority.npos) {
        host = authority.substr(0, colon);
        port = authority.substr(colon);
    }
    return port.empty() || port.starts_with(':');
}

std::optional<std::uint16_t> parse_port(std::string_view digits) noexcept
{
    std::uint16_t value = 0;
    auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc() || end != digits.data() + digits.size() || value == 0) return std::nullopt;
    return value;
}

std::uint16_t default_port(bool tls) noexcept { return tls ? 443 : 80; }

std::string authority_of(std::string const& host, std::uint16_t port, bool tls)
{
    std::string out = host.find(':') == host.npos ? host : "[" + host + "]";
    if (port != default_port(tls)) out += ":" + std::to_string(port);
    return out;
}

}  // namespace

result<url> parse_url(std::string_view text)
{
    auto const mark = text.find("://");
    if (mark == text.npos || mark == 0) return refused("has no scheme: it is scheme://host[:port][/path]");
    if (!is_visible(text)) return refused("has white space or a control character");
    if (text.find_first_of("?#") != text.npos) return refused("must not have a query or a fragment");

    url read;
    read.scheme = lower(text.substr(0, mark));
    std::string_view const rest = text.substr(mark + 3);
    std::string_view const authority = rest.substr(0, rest.find('/'));
    read.path = rest.substr(authority.size());
    if (authority.find('@') != authority.npos) return refused("must not hold credentials");

    std::string_view host, port;
    if (!split_port(authority, host, port)) return refused("has a malformed host");
    read.host = lower(host);
    if (port.empty()) return read;
    read.port = parse_port(port.substr(1));
    if (!read.port) return refused("has a wrong port");
    return read;
}

bool is_ip_address(std::string_view host)
{
    boost::system::error_code failed;
    boost::asio::ip::make_address(host, failed);
    return !failed;
}

bool is_loopback(std::string_view host)
{
    if (host == "localhost" || host.ends_with(".localhost")) return true;
    boost::system::error_code failed;
    auto const address = boost::asio::ip::make_address(host, failed);
    return !failed && address.is_loopback();
}

result<endpoint> endpoint_of(url const& address, bool allow_http)
{
    if (address.scheme != "http" && address.scheme != "https") {
        return error(errc::configuration, "an endpoint is https://host[:port][/base], or http:// for loopback");
    }
    if (address.host.empty()) return error(errc::configuration, "the endpoint has no host");
    endpoint made;
    made.tls = address.scheme == "https";
    if (!made.tls && !allow_http && !is_loopback(address.host)) {
        return error(errc::configuration, "plain http to " + address.host
                                              + " is refused: use https, or allow it (AWS_ALLOW_HTTP or "
                                                "AZURE_ALLOW_HTTP=true)");
    }
    made.port = address.port.value_or(default_port(made.tls));
    return with_host(std::move(made), address.host);
}

endpoint with_host(endpoint base, std::string host)
{
    base.authority = authority_of(host, base.port, base.tls);
    base.connect_to = host.ends_with(".localhost") ? "localhost" : "";
    base.host = std::move(host);
    return base;
}

}  // namespace headwater::http
