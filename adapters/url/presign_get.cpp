// Signs a URL with the settings that lead to a store.
#include <headwater/adapters/url.hpp>

#include "adapters/url/place.hpp"

#include <utility>

namespace headwater {

namespace {

error no_signature() { return {errc::unsupported, "only objects in S3 and Azure have URLs that can be signed"}; }

}  // namespace

task<std::string> presign_get(boost::asio::any_io_executor, clock& time, std::string_view address, object_key key,
                              std::chrono::seconds valid, environment const& settings)
{
    auto const where = url::locate(address, settings);
    if (!where) co_return where.error();
    if (auto const* const s3 = std::get_if<s3_options>(&*where)) {
        auto const who = aws_credentials_from(settings);
        if (!who) co_return who.error();
        co_return presign_s3_get(*s3, *who, key, time.now(), valid);
    }
    if (auto const* const azure = std::get_if<azure_options>(&*where)) {
        auto const who = azure_credentials_from(settings);
        if (!who) co_return who.error();
        co_return presign_azure_get(*azure, *who, key, time.now(), valid);
    }
    co_return no_signature();
}

}  // namespace headwater
