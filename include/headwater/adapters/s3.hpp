// The S3 adapter: Amazon S3 and what speaks its REST (Ceph RGW, MinIO, R2 …) over the native HTTP client.
#pragma once

#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/http.hpp>
#include <headwater/object_store.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace headwater {

/// How the bucket's name reaches the server.
enum class s3_addressing {
    automatic,     ///< Virtual host on amazonaws.com when the name allows it (no dots), else path.
    path,          ///< `https://endpoint/bucket/key`
    virtual_host,  ///< `https://bucket.endpoint/key`
};

/// Where a bucket is and how to talk to it.
///
/// Listing: `ordered_listing` ends with the first page that is in another order than that of its keys' bytes, and never
/// holds of a directory bucket (`…--x-s3`). A store whose pages are in order, but do not follow each other in order,
/// must be told by the option.
struct s3_options {
    std::string bucket{};
    std::string prefix{};  ///< Keys live below it; no slash at either end; may be empty.
    std::string region = "us-east-1";
    std::string endpoint{};  ///< `https://host[:port][/base]`; empty: Amazon's for the region.
    s3_addressing addressing = s3_addressing::automatic;
    bool allow_http = false;                       ///< Plain http to anything but loopback.
    bool unsigned_payload = false;                 ///< Over TLS: do not hash bodies.
    bool ordered_listing = true;                   ///< False: pages come in no order, and more is listed to find less.
    body_checksum checksum = body_checksum::none;  ///< With another one, reads ask for the object's sum too.
    http_options http{};
};

/// A store in one bucket. Requests run on `executor`; `time` signs them; both outlive the store.
/// Errors of the factory: `configuration` and `invalid_argument` for what can be seen without a request.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/
HEADWATER_EXPORT result<std::unique_ptr<object_store>> make_s3_store(boost::asio::any_io_executor executor, clock& time,
                                                                     s3_options options, aws_credentials credentials);

/// The same with credentials that may change: asked for before every attempt, and once anew when the service says that
/// they have ended.
HEADWATER_EXPORT result<std::unique_ptr<object_store>> make_s3_store(boost::asio::any_io_executor executor, clock& time,
                                                                     s3_options options,
                                                                     std::shared_ptr<aws_provider> credentials);

/// A URL that reads the object `key` for whoever has it, for `valid` from `now` on: 1 second to `longest_presigned`.
/// With temporary credentials it ends when they do, if that is earlier. It is a secret as long as it is good. Nothing
/// is sent, and nothing is known of the object. Errors: `invalid_argument`, and `configuration` as of the store.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
HEADWATER_EXPORT result<std::string> presign_s3_get(s3_options const& options, aws_credentials const& credentials,
                                                    object_key const& key, time_ms now, std::chrono::seconds valid);

}  // namespace headwater
