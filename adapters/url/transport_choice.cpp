// The one place that knows which transports there are.
#include "adapters/url/transport_choice.hpp"

#ifdef HEADWATER_HAS_CURL
#include <headwater/adapters/curl.hpp>
#endif

#include <string>

namespace headwater::url {

result<std::shared_ptr<http::transport_maker const>> transport_from(environment const& settings)
{
    using chosen = std::shared_ptr<http::transport_maker const>;
    auto const name = settings("HEADWATER_TRANSPORT").value_or(std::string());
    if (name.empty() || name == "native") return chosen();
    if (name != "curl") return error(errc::configuration, "HEADWATER_TRANSPORT is native or curl");
#ifdef HEADWATER_HAS_CURL
    return curl_transport(proxies_from(settings));
#else
    return error(errc::configuration, "HEADWATER_TRANSPORT=curl: this build has no libcurl");
#endif
}

}  // namespace headwater::url
