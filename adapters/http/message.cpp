// Looking a response's fields up.
#include "adapters/http/message.hpp"

#include <algorithm>

namespace headwater::http {

bool same_field(std::string_view left, std::string_view right) noexcept
{
    constexpr auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(left, right, {}, lower, lower);
}

std::string_view response::find(std::string_view name) const noexcept
{
    for (auto const& [label, value] : fields) {
        if (same_field(label, name)) return value;
    }
    return {};
}

}  // namespace headwater::http
