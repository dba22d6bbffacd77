// Signs a URL with the settings that lead to a store.
#include <headwater/adapters/url.hpp>

#include "adapters/url/place.hpp"
#include "adapters/url/transport_choice.hpp"

#include <utility>

namespace headwater {

namespace {

error no_signature() { return {errc::unsupported, "only objects in S3 and Azure have URLs that can be signed"}; }

}  // namespace

task<std::string> presign_get(boost::asio::any_io_executor executor, clock& time, std::string_view address,
                              object_key key, std::chrono::seconds valid, environment const& settings)
{
    auto where = url::locate(address, settings);
    if (!where) co_return where.error();
    auto chosen = url::transport_from(settings);
    if (!chosen) co_return chosen.error();
    if (auto* const s3 = std::get_if<s3_options>(&*where)) {
        s3->http.transport = *std::move(chosen);
        auto const from = default_aws_provider(executor, time, settings, s3->http);
        if (!from) co_return from.error();
        auto const who = co_await (*from)->current();
        if (!who) co_return who.error();
        co_return presign_s3_get(*s3, **who, key, time.now(), valid);
    }
    if (auto* const azure = std::get_if<azure_options>(&*where)) {
        azure->http.transport = *std::move(chosen);
        auto const from = default_azure_provider(executor, time, settings, azure->http);
        if (!from) co_return from.error();
        auto const who = co_await (*from)->current();
        if (!who) co_return who.error();
        co_return presign_azure_get(*azure, **who, key, time.now(), valid);
    }
    co_return no_signature();
}

}  // namespace headwater
