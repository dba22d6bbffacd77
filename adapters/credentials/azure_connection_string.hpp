// Azure's connection string, `Name=value;Name=value`, read into the parts that Blob Storage needs. Pure.
#pragma once

#include <headwater/error.hpp>

#include <string>
#include <string_view>

namespace headwater::credentials {

/// Azurite's published account: the same on every machine, no secret.
inline constexpr std::string_view azurite_account = "devstoreaccount1";
inline constexpr std::string_view azurite_key =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
inline constexpr std::string_view azurite_address = "http://127.0.0.1:10000";

/// What a connection string says; empty members were not in it.
struct azure_connection {
    std::string account{};
    std::string account_key{};
    std::string sas_token{};
    std::string endpoint{};  ///< The blob endpoint, given or put together from protocol, account and suffix.
};

/// Reads a connection string. `configuration`: a part has no `=` or the string names neither an account nor an
/// endpoint; the message never repeats it.
/// https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
result<azure_connection> parse_azure_connection_string(std::string_view text);

}  // namespace headwater::credentials
