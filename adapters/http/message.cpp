// Looking a response's fields up.
#include "adapters/http/message.hpp"

#include <algorithm>

namespace headwater::http {

bool same_field(std::string_view left, std::string_view right) noexcept
{
    constexpr auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(left, right, {}, lower, lower);
}

error body_too_large(int status, std::uint64_t most)
{
    bool const success = status / 100 == 2;
    auto const bytes_long = std::to_string(most) + " bytes";
    // The limit is for what was asked for: a refusal that is as long as this is none that we know.
    if (!success) return {errc::protocol, "max_refusal: the answer's body is larger than " + bytes_long};
    return {errc::limit_exceeded, "max_body: the answer's body is larger than " + bytes_long};
}

std::string_view response::find(std::string_view name) const noexcept
{
    for (auto const& [label, value] : fields) {
        if (same_field(label, name)) return value;
    }
    return {};
}

}  // namespace headwater::http
