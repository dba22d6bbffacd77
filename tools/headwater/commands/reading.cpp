// One door for the three ways to name a point in history.
#include "tools/headwater/commands/reading.hpp"

namespace headwater::cli {

task<snapshot> read_at(reader& from, std::optional<point> at)
{
    if (!at) co_return co_await from.current();
    if (auto const* const seq = std::get_if<sequence>(&*at)) co_return co_await from.at(*seq);
    if (auto const* const time = std::get_if<time_ms>(&*at)) co_return co_await from.at(*time);
    commit_id id = std::get<commit_id>(*at);
    co_return co_await from.at(std::move(id));
}

result<std::optional<point>> parse_optional_point(std::optional<std::string> const& text)
{
    if (!text) return std::optional<point>();
    auto parsed = parse_point(*text);
    if (!parsed) return parsed.error();
    return std::optional<point>(std::move(*parsed));
}

}  // namespace headwater::cli
