// How single settings are read: the first name that is set wins.
#include "adapters/credentials/settings.hpp"

#include <algorithm>

namespace headwater::credentials {

std::string setting(environment const& settings, std::initializer_list<std::string_view> names)
{
    for (std::string_view const name : names) {
        if (auto value = settings(name); value && !value->empty()) return *std::move(value);
    }
    return {};
}

bool enabled(environment const& settings, std::string_view name)
{
    std::string value = setting(settings, {name});
    std::transform(value.begin(), value.end(), value.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return value == "true" || value == "1";
}

bool is_visible_ascii(std::string_view secret) noexcept
{
    return !secret.empty() && std::all_of(secret.begin(), secret.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace headwater::credentials
