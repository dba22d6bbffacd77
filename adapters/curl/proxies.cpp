// The names and rules of curl: https://everything.curl.dev/usingcurl/proxies/env.html
#include "adapters/curl/proxies.hpp"

#include "adapters/http/message.hpp"
#include "adapters/http/url.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace headwater {

namespace {

/// The first that is set, and what it is called; `into` and `named` stay as they are if none is.
void take_first(environment const& settings, std::initializer_list<std::string_view> names, std::string& into,
                std::string& named)
{
    for (auto const name : names) {
        auto value = settings(name);
        if (!value || value->empty()) continue;
        into = *std::move(value);
        named = name;
        return;
    }
}

}  // namespace

proxy_options proxies_from(environment const& settings)
{
    proxy_options out;
    // HTTP_PROXY in capitals is what a CGI server makes of a request's field `Proxy`: not to be trusted.
    take_first(settings, {"http_proxy", "all_proxy", "ALL_PROXY"}, out.for_http, out.http_name);
    take_first(settings, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}, out.for_https, out.https_name);
    std::string unsaid;
    take_first(settings, {"no_proxy", "NO_PROXY"}, out.never_for, unsaid);
    return out;
}

}  // namespace headwater

namespace headwater::curl {

bool is_exempt(std::string_view list, std::string_view host)
{
    constexpr std::string_view between = ", ";
    while (!list.empty()) {
        list.remove_prefix(std::min(list.find_first_not_of(between), list.size()));
        auto item = list.substr(0, list.find_first_of(between));
        list.remove_prefix(item.size());
        if (item == "*") return true;
        if (item.starts_with('.')) item.remove_prefix(1);
        if (item.empty() || item.size() > host.size()) continue;
        if (!http::same_field(host.substr(host.size() - item.size()), item)) continue;
        if (item.size() == host.size() || host[host.size() - item.size() - 1] == '.') return true;
    }
    return false;
}

std::string proxy_for(proxy_options const& proxies, http::endpoint const& where)
{
    if (http::is_loopback(where.host) || is_exempt(proxies.never_for, where.host)) return {};
    return where.tls ? proxies.for_https : proxies.for_http;
}

result<proxy_place> place_of(std::string_view proxy, std::string_view name)
{
    auto const refused = [&] {
        return error(errc::configuration, std::string(name)
                                              + " is no proxy that can be used: it is written "
                                                "http://host:port or https://host:port");
    };
    constexpr std::uint16_t usual_port = 1080;
    constexpr std::uint16_t tls_port = 443;
    proxy_place out;
    out.port = usual_port;
    if (auto const end = proxy.find("://"); end != proxy.npos) {
        auto const scheme = proxy.substr(0, end);
        // Through socks5 libcurl would look the endpoint's name up by itself, on a thread.
        bool const tls = http::same_field(scheme, "https");
        if (!tls && !http::same_field(scheme, "http")) return refused();
        if (tls) out.port = tls_port;
        proxy.remove_prefix(end + 3);
    }
    proxy = proxy.substr(0, proxy.find('/'));
    if (auto const user = proxy.rfind('@'); user != proxy.npos) proxy.remove_prefix(user + 1);
    auto const bracket = proxy.find(']');
    bool const is_v6 = proxy.starts_with('[') && bracket != proxy.npos;
    auto const colon = proxy.find(':', is_v6 ? bracket : 0);
    out.host = is_v6 ? proxy.substr(1, bracket - 1) : proxy.substr(0, colon);
    if (out.host.empty()) return refused();
    if (colon == proxy.npos) return out;
    auto const digits = proxy.substr(colon + 1);
    auto const [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
    if (wrong != std::errc() || end != digits.data() + digits.size() || out.port == 0) return refused();
    return out;
}

error login_refusal(std::string const& what, std::string const& proxy)
{
    return {errc::configuration, "the proxy of " + proxy + " refused " + what + " with " + std::to_string(wants_login)
                                     + ": write http://user:password@host:port, as it asks"};
}

std::optional<error> tunnel_refusal(long status, std::string const& proxy)
{
    if (status == 0 || status / 100 == 2) return std::nullopt;
    if (status == wants_login) return login_refusal("a tunnel", proxy);
    auto const text = "the proxy of " + proxy + " refused a tunnel with " + std::to_string(status);
    bool const passes = status >= 500 || status == 408 || status == 429;
    if (passes) return error(errc::unavailable, text);
    return error(errc::configuration, text + ": let it through there, or name the store's host in no_proxy");
}

}  // namespace headwater::curl
