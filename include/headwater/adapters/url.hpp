// Opens a store by its address, with the settings that the vendors' own tools use.
#pragma once

#include <headwater/adapters/credentials.hpp>
#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace headwater {

/// Opens the store at `address`; nothing is sent yet. Accepted are
///
/// - `s3://bucket/prefix`, with credentials as `default_aws_provider` finds them; `AWS_REGION` or
///   `AWS_DEFAULT_REGION`; `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`; `AWS_S3_FORCE_PATH_STYLE` (true: path, false:
///   virtual host); `AWS_ALLOW_HTTP`; `AWS_CA_BUNDLE`; where they are not set, what the profile says: `region`,
///   `endpoint_url`, also of its `services`, `ca_bundle`, and `addressing_style` of `s3`; with
///   `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true` no endpoint of either counts;
/// - `az://container/prefix`, with the account from `AZURE_STORAGE_CONNECTION_STRING` or `AZURE_STORAGE_ACCOUNT_NAME`,
///   or Azurite's with `AZURE_STORAGE_USE_EMULATOR=true` (at `AZURITE_BLOB_STORAGE_URL` if that is set); credentials
///   as `default_azure_provider` finds them; `AZURE_ALLOW_HTTP`;
/// - `https://account.blob.core.windows.net/container/prefix`, the same with the account from the address; on an IP
///   address or localhost the account leads the path;
/// - `file:///directory`, or a plain path;
/// - `memory:`, a new and empty one.
///
/// The prefix of `s3://` and `az://` is taken as it stands, that of `https://` and `file://` is percent-decoded.
/// `SSL_CERT_FILE` names the trusted roots of both services. `HEADWATER_CHECKSUM=md5` or `crc64` sends a checksum with
/// what is written (`body_checksum`). `HEADWATER_LISTING=unordered` says that an S3 store lists in no order
/// (`s3_options`). `HEADWATER_TRANSPORT=curl` sends their requests with libcurl, through the proxies that `http_proxy`,
/// `https_proxy`, `all_proxy` and `no_proxy` name as curl reads them. Errors: `invalid_argument` for another address,
/// for credentials, a query or a fragment in it; `configuration` for settings that are missing or wrong. No message
/// repeats the address or a secret. Lifetime: `time` and `chance` must outlive the store. Threads: the store runs on
/// `executor`.
HEADWATER_EXPORT result<std::unique_ptr<object_store>> open_store(boost::asio::any_io_executor executor, clock& time,
                                                                  random& chance, std::string_view address,
                                                                  environment const& settings);

/// A URL that reads the object `key` of the store at `address` for whoever has it, for `valid` from now on, with the
/// settings that `open_store` reads: see `presign_s3_get` and `presign_azure_get`. Nothing is asked of the store.
/// Errors: theirs and `open_store`'s; `unsupported` for files and memory.
/// Lifetime: `time`, `address` and `settings` must outlive the task.
HEADWATER_EXPORT task<std::string> presign_get(boost::asio::any_io_executor executor, clock& time,
                                               std::string_view address, object_key key, std::chrono::seconds valid,
                                               environment const& settings);

}  // namespace headwater
