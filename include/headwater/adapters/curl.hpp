// The other transport: the S3 and Azure adapters over libcurl, for proxies and other corporate set-ups.
#pragma once

#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/http.hpp>
#include <headwater/export.hpp>

#include <memory>
#include <string>

namespace headwater {

/// Through which proxy libcurl goes: `http://host:port` or `https://host:port`, with `user:password@` where it asks for
/// that; a request is `configuration` through another one. Empty: none.
struct proxy_options {
    std::string for_http{};
    std::string for_https{};
    std::string never_for{};                            ///< Hosts and domains, with commas between them; `*`: all.
    std::string http_name = "proxy_options::for_http";  ///< What errors call it: the variable that it comes from.
    std::string https_name = "proxy_options::for_https";
};

/// Reads the names that curl reads, lower case first: `http_proxy` (lower case alone), `https_proxy`, `all_proxy`,
/// `no_proxy`.
HEADWATER_EXPORT proxy_options proxies_from(environment const& settings);

/// Makes libcurl what sends a store's requests: put it in `http_options::transport`. It uses libcurl's multi interface
/// on the store's executor, with the deadlines and limits of http_options, and no thread: host names are resolved as
/// the native transport does. It sends each request once, by HTTP/1.1, which is what S3 and Azure speak, and
/// leaves process-wide settings of libcurl alone.
/// Threads: the answer may be shared by any number of stores on any threads.
HEADWATER_EXPORT std::shared_ptr<http::transport_maker const> curl_transport(proxy_options proxies);

}  // namespace headwater
