// The public factory: the S3 store over the native HTTP client.
#include "adapters/s3/s3_store.hpp"

#include <utility>

namespace headwater {

result<std::unique_ptr<object_store>> make_s3_store(boost::asio::any_io_executor executor, clock& time,
                                                    s3_options options, aws_credentials credentials)
{
    if (credentials.access_key_id.empty() || credentials.secret_access_key.empty()) {
        return error(errc::configuration, "an S3 store needs an access key id and a secret access key");
    }
    auto always = fixed_provider(std::move(credentials));
    return make_s3_store(std::move(executor), time, std::move(options), std::move(always));
}

result<std::unique_ptr<object_store>> make_s3_store(boost::asio::any_io_executor executor, clock& time,
                                                    s3_options options, std::shared_ptr<aws_provider> credentials)
{
    auto make = [executor = std::move(executor), &time, http = options.http](http::endpoint where) {
        return http::make_transport(executor, time, std::move(where), http);
    };
    return s3::make_store(std::move(make), time, std::move(options), std::move(credentials));
}

}  // namespace headwater
