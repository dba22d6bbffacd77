// Looking a response's fields up.
#include "adapters/http/message.hpp"

#include <algorithm>

namespace headwater::http {

std::string_view response::find(std::string_view name) const noexcept
{
    constexpr auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    for (auto const& [label, value] : fields) {
        if (std::equal(label.begin(), label.end(), name.begin(), name.end(),
                       [=](char a, char b) { return lower(a) == b; })) {
            return value;
        }
    }
    return {};
}

}  // namespace headwater::http
