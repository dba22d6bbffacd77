// How single settings are read from an environment: an empty value counts as not set, as the vendors' tools have it.
#pragma once

#include <headwater/adapters/credentials.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace headwater::credentials {

/// The value of the first of `names` that is set; empty if none is.
std::string setting(environment const& settings, std::initializer_list<std::string_view> names);

/// Whether the setting is `true` (in any case) or `1`.
bool enabled(environment const& settings, std::string_view name);

/// Whether a secret can stand in a header or a URL: not empty, visible ASCII only. A pasted line break is the usual
/// case.
bool is_visible_ascii(std::string_view secret) noexcept;

}  // namespace headwater::credentials
