// The Azure store over any transport: what make_azure_store builds, and tests build over a scripted one.
#pragma once

#include "adapters/azure/location.hpp"
#include "adapters/azure/shared_key.hpp"
#include "adapters/http/transport.hpp"

#include <headwater/object_store.hpp>

#include <memory>

namespace headwater::azure {

/// `time` must outlive the store.
std::unique_ptr<object_store> make_store(std::unique_ptr<http::transport> transport, clock& time, location at,
                                         std::shared_ptr<azure_provider> who);

}  // namespace headwater::azure
