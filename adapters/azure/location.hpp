// Where a container is, ready for building requests: made once from the settings, which it checks. Pure.
#pragma once

#include "adapters/http/transport.hpp"

#include <headwater/adapters/azure.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace headwater::azure {

/// The longest blob name, in bytes; Azure counts characters.
inline constexpr std::size_t max_name_bytes = 1024;

/// A container's address in the parts that requests need.
class location {
public:
    location() = default;

    http::endpoint where;
    std::string account;
    std::string
        container_path;  ///< `/account/container` on an emulator, `/container` on Azure; on the wire as it stands.
    std::string prefix;  ///< Before every key: empty, or ending with a slash.
    std::string api_version;
    body_checksum checksum = body_checksum::none;
    std::string address;  ///< For messages: no secrets, no trailing slash.
};

/// Reads the settings. `configuration` for names that Azure does not allow, a wrong endpoint, plain http to anything
/// but loopback; `invalid_argument` for an address that cannot be read.
///
/// The account leads the path where the host does not name it: an IP address or a name without a dot, as in Azurite.
/// An endpoint that ends with `/account`, as in connection strings, is taken as it is.
/// https://learn.microsoft.com/azure/storage/common/storage-use-azurite#azurite-urls
result<location> locate(azure_options const& options);

/// What is wrong with a blob's name or a prefix of one, as the end of a sentence; null if nothing is.
char const* name_fault(std::string_view name);

}  // namespace headwater::azure
