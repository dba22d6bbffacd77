// content_range: the field that says which part of an object an answer has. Pure; both vendors' readers use it.
#pragma once

#include "adapters/http/message.hpp"

#include <headwater/object_store.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace headwater::http {

/// `bytes first-last/size`
struct content_range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t size = 0;
};

/// Nothing unless all three are there and fit each other.
std::optional<content_range> parse_content_range(std::string_view text) noexcept;

/// The object's full size, if the success has exactly the bytes that were asked for; nothing if it has others.
std::optional<std::uint64_t> full_size(response const& answer, std::optional<byte_range> const& asked) noexcept;

}  // namespace headwater::http
