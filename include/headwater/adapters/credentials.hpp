// Credentials as values. Nothing prints them: they have no stream operator, and errors never carry them.
#pragma once

#include <headwater/error.hpp>
#include <headwater/export.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

/// Looks a name up among the process's settings; nothing if it is not set. The environment, or a test's table.
using environment = std::function<std::optional<std::string>(std::string_view name)>;

/// The process environment. Not safe beside a thread that changes it.
HEADWATER_EXPORT environment process_environment();

/// An access key, for AWS Signature Version 4.
struct aws_credentials {
    std::string access_key_id{};
    std::string secret_access_key{};
    std::string session_token{};  ///< Of temporary credentials; else empty.
};

/// The longest that a presigned URL is good: Amazon's limit, kept for Azure too.
inline constexpr std::chrono::seconds longest_presigned = std::chrono::hours(7 * 24);

/// One way to authenticate to Azure Blob Storage: exactly one member is set.
struct azure_credentials {
    std::string account_key{};  ///< Base64, for SharedKey.
    std::string sas_token{};    ///< `sv=…&sig=…`, with or without the leading `?`.
};

/// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, if it is set, `AWS_SESSION_TOKEN`. An empty value counts as
/// not set. Error: `configuration`, naming the variables to set.
HEADWATER_EXPORT result<aws_credentials> aws_credentials_from(environment const& settings);

/// Reads the first of these that is set: `AZURE_STORAGE_CONNECTION_STRING`, `AZURE_STORAGE_ACCOUNT_KEY`,
/// `AZURE_STORAGE_SAS_TOKEN`; with `AZURE_STORAGE_USE_EMULATOR=true`, or `UseDevelopmentStorage=true` in the
/// connection string, the published key of Azurite's account devstoreaccount1.
/// Error: `configuration`, naming the variables to set.
HEADWATER_EXPORT result<azure_credentials> azure_credentials_from(environment const& settings);

}  // namespace headwater
