// Credentials: as values, and where they come from. Nothing prints them: they have no stream operator, and errors never
// carry them.
#pragma once

#include <headwater/adapters/http.hpp>
#include <headwater/clock.hpp>
#include <headwater/error.hpp>
#include <headwater/export.hpp>
#include <headwater/task.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
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
    std::string account_key{};   ///< Base64, for SharedKey.
    std::string sas_token{};     ///< `sv=…&sig=…`, with or without the leading `?`.
    std::string bearer_token{};  ///< Of Microsoft Entra ID, for https://storage.azure.com.
};

/// Where credentials come from. A store asks before every attempt, so that they may change while it works.
/// Threads: those of the executor of the stores that share it.
template <class T>
class credentials_provider {
public:
    credentials_provider() = default;
    credentials_provider(credentials_provider const&) = delete;
    credentials_provider& operator=(credentials_provider const&) = delete;
    virtual ~credentials_provider() = default;

    /// What to sign with now; never null. The same pointer means the same credentials. Errors: `unavailable` may pass;
    /// `configuration` and `access_denied` will not. No error repeats a secret. Cancellation: at any point.
    virtual task<std::shared_ptr<T const>> current() = 0;
    /// The service takes `these` for ended: `current` answers others. False: there are no others.
    virtual bool refused(std::shared_ptr<T const> const& these) = 0;
};
using aws_provider = credentials_provider<aws_credentials>;
using azure_provider = credentials_provider<azure_credentials>;

/// Always the same credentials.
HEADWATER_EXPORT std::shared_ptr<aws_provider> fixed_provider(aws_credentials credentials);
HEADWATER_EXPORT std::shared_ptr<azure_provider> fixed_provider(azure_credentials credentials);

/// The first of these that `settings` configure:
///
/// 1. `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY` and perhaps `AWS_SESSION_TOKEN`;
/// 2. `AWS_WEB_IDENTITY_TOKEN_FILE` with `AWS_ROLE_ARN` and perhaps `AWS_ROLE_SESSION_NAME`, by STS;
/// 3. the profile `AWS_PROFILE`, or `default`, of `AWS_SHARED_CREDENTIALS_FILE` (~/.aws/credentials) and
///    `AWS_CONFIG_FILE` (~/.aws/config): keys, `role_arn` with `source_profile`, `credential_source` or
///    `web_identity_token_file`, and `credential_process`;
/// 4. `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `_FULL_URI`, with `AWS_CONTAINER_AUTHORIZATION_TOKEN[_FILE]`;
/// 5. the instance's role (IMDSv2), within two seconds and past any proxy, unless `AWS_EC2_METADATA_DISABLED=true`.
///
/// What ends is fetched anew five minutes before, in the background, one fetch at a time; the old ones serve until they
/// end. Requests run on `executor` with `options`; STS is `AWS_ENDPOINT_URL_STS`, or the one of `AWS_REGION`,
/// which the profile may say too. Plain http goes to loopback, and for 4 and 5 to link-local addresses; elsewhere only
/// with `AWS_ALLOW_HTTP=true`.
/// Nothing is sent and no program is run before the first `current`. Error: `configuration`.
/// Lifetime: `time` must outlive the provider.
HEADWATER_EXPORT result<std::shared_ptr<aws_provider>> default_aws_provider(boost::asio::any_io_executor executor,
                                                                            clock& time, environment const& settings,
                                                                            http_options options = {});

/// The first of these that `settings` configure:
///
/// 1. what `azure_credentials_from` reads;
/// 2. the application `AZURE_CLIENT_ID` of `AZURE_TENANT_ID`, with `AZURE_CLIENT_SECRET`, or with the token in
///    `AZURE_FEDERATED_TOKEN_FILE` (workload identity); the authority is `AZURE_AUTHORITY_HOST` or Microsoft's;
/// 3. the managed identity, that of `AZURE_CLIENT_ID` if it is set: of App Service (`IDENTITY_ENDPOINT` with
///    `IDENTITY_HEADER`), else of the virtual machine, within two seconds and past any proxy.
///
/// Plain http goes to loopback, and for 3 to link-local addresses; elsewhere only with `AZURE_ALLOW_HTTP=true`.
/// Renewed as those of AWS. Error: `configuration`. Lifetime: `time` must outlive the provider.
HEADWATER_EXPORT result<std::shared_ptr<azure_provider>> default_azure_provider(boost::asio::any_io_executor executor,
                                                                                clock& time,
                                                                                environment const& settings,
                                                                                http_options options = {});

/// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, if it is set, `AWS_SESSION_TOKEN`. An empty value counts as
/// not set. Error: `configuration`, naming the variables to set.
HEADWATER_EXPORT result<aws_credentials> aws_credentials_from(environment const& settings);

/// Reads the first of these that is set: `AZURE_STORAGE_CONNECTION_STRING`, `AZURE_STORAGE_ACCOUNT_KEY`,
/// `AZURE_STORAGE_SAS_TOKEN`; with `AZURE_STORAGE_USE_EMULATOR=true`, or `UseDevelopmentStorage=true` in the
/// connection string, the published key of Azurite's account devstoreaccount1.
/// Error: `configuration`, naming the variables to set.
HEADWATER_EXPORT result<azure_credentials> azure_credentials_from(environment const& settings);

}  // namespace headwater
