// Where a bucket is: the endpoint to connect to and the path before a key. Pure.
#pragma once

#include "adapters/http/transport.hpp"

#include <headwater/adapters/s3.hpp>

#include <string>
#include <string_view>

namespace headwater::s3 {

/// A bucket's place on the network.
struct address {
    http::endpoint where{};
    std::string base{};           ///< The path before `/key`, encoded: empty, `/bucket` or `/base/bucket`.
    bool follows_region = false;  ///< The host names the region: another region is another host.
    std::string text{};           ///< For messages: `https://host/bucket/prefix`.
};

/// Works the address out. `configuration`: region, endpoint or their combination cannot be used;
/// `invalid_argument`: the bucket is no name of one, the prefix is no key or has a slash at an end.
result<address> address_of(s3_options const& options);

/// Whether Amazon lists the bucket in no order: S3 Express.
bool is_directory_bucket(std::string_view name) noexcept;

/// Whether `name` can be a region: it becomes part of a host name, wherever it came from.
bool is_region(std::string_view name) noexcept;

/// The region that one of Amazon's hosts names: `bucket.s3.eu-west-1.amazonaws.com`. Empty: none.
std::string_view region_of_host(std::string_view host) noexcept;

}  // namespace headwater::s3
