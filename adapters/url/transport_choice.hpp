// Which transport the settings ask for: the native one, or libcurl where this build has it. Pure.
#pragma once

#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/http.hpp>

#include <memory>

namespace headwater::url {

/// Reads `HEADWATER_TRANSPORT`: `native` or not set, which is null, or `curl`, with the proxies of the settings.
/// `configuration` for another value, or when this build has no libcurl.
result<std::shared_ptr<http::transport_maker const>> transport_from(environment const& settings);

}  // namespace headwater::url
