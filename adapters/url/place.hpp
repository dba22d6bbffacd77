// What an address and the settings say about a store, before any adapter is made. Pure.
#pragma once

#include <headwater/adapters/azure.hpp>
#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/file.hpp>
#include <headwater/adapters/memory.hpp>
#include <headwater/adapters/s3.hpp>

#include <string_view>
#include <variant>

namespace headwater::url {

/// The adapter's options, and thereby the adapter.
using place = std::variant<memory_options, file_options, s3_options, azure_options>;

/// Reads an address as `open_store` describes it; credentials are not looked up.
result<place> locate(std::string_view address, environment const& settings);

}  // namespace headwater::url
