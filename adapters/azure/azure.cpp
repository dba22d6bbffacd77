// The public factory: checks the settings, then puts the store on the native transport.
#include "adapters/azure/azure_store.hpp"

#include <headwater/adapters/azure.hpp>

#include <utility>

namespace headwater {

result<std::unique_ptr<object_store>> make_azure_store(boost::asio::any_io_executor executor, clock& time,
                                                       azure_options options, azure_credentials credentials)
{
    auto const at = azure::locate(options);
    if (!at) return at.error();
    auto const usable = azure::authority::make(options.account, credentials);
    if (!usable) return usable.error();
    auto always = fixed_provider(std::move(credentials));
    return make_azure_store(std::move(executor), time, std::move(options), std::move(always));
}

result<std::unique_ptr<object_store>> make_azure_store(boost::asio::any_io_executor executor, clock& time,
                                                       azure_options options,
                                                       std::shared_ptr<azure_provider> credentials)
{
    if (!credentials) return error(errc::configuration, "an Azure store needs a provider of credentials");
    auto at = azure::locate(options);
    if (!at) return at.error();
    auto transport = http::make_transport(std::move(executor), time, at->where, std::move(options.http));
    return azure::make_store(std::move(transport), time, std::move(*at), std::move(credentials));
}

}  // namespace headwater
