// Service addresses: `scheme://host[:port][/path]`, read strictly. Pure.
#pragma once

#include "adapters/http/transport.hpp"

#include <headwater/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater::http {

/// An address in its parts; nothing is decoded.
struct url {
    std::string scheme{};  ///< Lower case.
    std::string host{};    ///< Lower case; IPv6 without brackets; may be empty, as in `file:///`.
    std::optional<std::uint16_t> port{};
    std::string path{};  ///< From the first slash on; may be empty.
};

/// Reads an address. `invalid_argument` for one without `://`, with credentials, a query, a fragment, white space or a
/// wrong port. The message never repeats it: it may hold a secret.
result<url> parse_url(std::string_view text);

/// Whether `host` is an IP address.
bool is_ip_address(std::string_view host);

/// Whether `host` is this machine: `localhost` and names below it (RFC 6761), 127.0.0.0/8, ::1.
bool is_loopback(std::string_view host);

/// Where to connect for an `http` or `https` address, and the `Host` field that goes with it.
/// Another scheme or no host: `configuration`; so is plain http to anything but loopback without `allow_http`.
result<endpoint> endpoint_of(url const& address, bool allow_http);

/// The same endpoint under another host name: `Host`, SNI and resolving follow.
endpoint with_host(endpoint base, std::string host);

}  // namespace headwater::http
