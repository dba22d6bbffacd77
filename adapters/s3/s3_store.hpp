// The S3 store over any transport: the seam for tests and for other HTTP clients.
#pragma once

#include "adapters/http/transport.hpp"

#include <headwater/adapters/s3.hpp>

#include <functional>
#include <memory>

namespace headwater::s3 {

/// Makes the transport to one endpoint; called again when the bucket turns out to be in another region.
using transport_maker = std::function<std::unique_ptr<http::transport>(http::endpoint)>;

/// As make_s3_store, over the transports of `make`, which must outlive the store's tasks.
result<std::unique_ptr<object_store>> make_store(transport_maker make, clock& time, s3_options options,
                                                 std::shared_ptr<aws_provider> credentials);

}  // namespace headwater::s3
