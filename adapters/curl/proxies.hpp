// Which proxy an endpoint is reached through. Pure: libcurl is told the answer and never reads the environment itself.
#pragma once

#include "adapters/http/transport.hpp"

#include <headwater/adapters/curl.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater::curl {

/// The proxy's address as it was given; empty: straight to the endpoint. A host of this machine has none.
std::string proxy_for(proxy_options const& proxies, http::endpoint const& where);

/// Whether `list`, as in `no_proxy`, has the host: itself, a domain that it is in, or `*`.
bool is_exempt(std::string_view list, std::string_view host);

/// Where a proxy listens.
struct proxy_place {
    std::string host{};
    std::uint16_t port = 0;
};

/// Reads `[scheme://][user[:password]@]host[:port]`; without a port it is curl's 1080, or 443 for `https://`.
/// `configuration`, calling the proxy by `name` and repeating nothing of it: it cannot be used.
result<proxy_place> place_of(std::string_view proxy, std::string_view name);

/// The status by which a proxy, and no server, refuses whoever has not said who he is.
inline constexpr int wants_login = 407;
/// That `proxy`, as a person calls it, refused `what` for that. `configuration`.
error login_refusal(std::string const& what, std::string const& proxy);

/// What a proxy's answer to CONNECT means, `proxy` being what a person calls it. Nothing: the tunnel stands, or there
/// was no answer (0). `unavailable`: it may let us through later; `configuration`: not before a setting is changed.
std::optional<error> tunnel_refusal(long status, std::string const& proxy);

}  // namespace headwater::curl
