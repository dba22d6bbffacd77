// Reads Content-Range and compares it with what was asked and what came.
#include "adapters/http/content_range.hpp"

#include <algorithm>
#include <charconv>

namespace headwater::http {

namespace {

std::optional<std::uint64_t> range_number(std::string_view text) noexcept
{
    std::uint64_t value = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<content_range> parse_content_range(std::string_view text) noexcept
{
    constexpr std::string_view unit = "bytes ";
    if (!text.starts_with(unit)) return std::nullopt;
    text.remove_prefix(unit.size());
    auto const dash = text.find('-'), slash = text.find('/');
    if (dash == text.npos || slash == text.npos || slash < dash) return std::nullopt;
    auto const first = range_number(text.substr(0, dash));
    auto const last = range_number(text.substr(dash + 1, slash - dash - 1));
    auto const size = range_number(text.substr(slash + 1));
    if (!first || !last || !size || *first > *last || *last >= *size) return std::nullopt;
    return content_range{*first, *last, *size};
}

std::optional<std::uint64_t> full_size(response const& answer, std::optional<byte_range> const& asked) noexcept
{
    if (!asked) return answer.status == 200 ? std::optional<std::uint64_t>(answer.body.size()) : std::nullopt;
    if (answer.status != 206) return std::nullopt;
    auto const range = parse_content_range(answer.find("content-range"));
    if (!range || range->first != asked->first) return std::nullopt;
    if (range->last != std::min(asked->last, range->size - 1)) return std::nullopt;
    if (answer.body.size() != range->last - range->first + 1) return std::nullopt;
    return range->size;
}

}  // namespace headwater::http
