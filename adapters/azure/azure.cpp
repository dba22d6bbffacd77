// The public factory: checks the settings, then puts the store on the native transport.
#include "adapters/azure/azure_store.hpp"

#include <headwater/adapters/azure.hpp>

#include <utility>

namespace headwater {

result<std::unique_ptr<object_store>> make_azure_store(boost::asio::any_io_executor executor, clock& time,
                                                       azure_options options, azure_credentials credentials)
{
    auto at = azure::locate(options);
    if (!at) return at.error();
    auto rights = azure::authority::make(options.account, credentials);
    if (!rights) return rights.error();
    auto transport = http::make_transport(std::move(executor), time, at->where, std::move(options.http));
    return azure::make_store(std::move(transport), time, std::move(*at), std::move(*rights));
}

}  // namespace headwater
