// The Azure adapter: Azure Blob Storage and Azurite over the native HTTP client.
#pragma once

#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/http.hpp>
#include <headwater/object_store.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace headwater {

/// Where a container is and how to talk to it.
///
/// Keys: all that UTF-8 has but control characters and the backslash, which Azure turns into a slash:
/// `invalid_argument`. Listing: before version 2026-02-06 the service cannot begin at a key, so `start_after` fetches
/// and drops every page below it: one request for each `max_keys` of them. `ordered_listing` ends with the first page
/// that is in another order, as those of accounts with a hierarchical namespace are.
struct azure_options {
    std::string account{};
    std::string container{};
    std::string prefix{};    ///< Blobs live below it; no slash at either end; may be empty.
    std::string endpoint{};  ///< `https://host[:port][/base]`; empty: `https://{account}.blob.core.windows.net`.
                             ///< With an IP address or localhost the account is the first path segment, as in Azurite.
    std::string api_version = "2021-12-02";  ///< `x-ms-version`
    bool allow_http = false;                 ///< Plain http to anything but loopback.
    body_checksum checksum = body_checksum::none;
    http_options http{};
};

/// A store in one container. Requests run on `executor`; `time` signs them; both outlive the store.
/// Errors of the factory: `configuration` and `invalid_argument` for what can be seen without a request.
/// https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api
HEADWATER_EXPORT result<std::unique_ptr<object_store>> make_azure_store(boost::asio::any_io_executor executor,
                                                                        clock& time, azure_options options,
                                                                        azure_credentials credentials);

/// The same with credentials that may change: asked for before every attempt, and once anew when the service says that
/// they have ended.
HEADWATER_EXPORT result<std::unique_ptr<object_store>> make_azure_store(boost::asio::any_io_executor executor,
                                                                        clock& time, azure_options options,
                                                                        std::shared_ptr<azure_provider> credentials);

/// A URL that reads the blob `key` for whoever has it, for `valid` from `now` on: 1 second to `longest_presigned`. It
/// is a secret as long as it is good: a service SAS for this blob. Nothing is sent, and nothing is known of the blob.
/// Errors: `invalid_argument`; `unsupported` without the account key; `configuration` as of the store.
/// https://learn.microsoft.com/rest/api/storageservices/create-service-sas
HEADWATER_EXPORT result<std::string> presign_azure_get(azure_options const& options,
                                                       azure_credentials const& credentials, object_key const& key,
                                                       time_ms now, std::chrono::seconds valid);

}  // namespace headwater
