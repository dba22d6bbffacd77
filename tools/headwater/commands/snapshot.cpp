// headwater snapshot: the state of a branch, now or just after a past commit.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/print.hpp"

#include <headwater/reader.hpp>

namespace headwater::cli {

namespace {

task<snapshot> read(session& in, std::optional<point> at)
{
    reader from(in.store(), in.flags().branch, in.time());
    if (!at) co_return co_await from.current();
    if (auto const* const seq = std::get_if<sequence>(&*at)) co_return co_await from.at(*seq);
    commit_id id = std::get<commit_id>(*at);
    co_return co_await from.at(std::move(id));
}

}  // namespace

task<void> perform(session& in, snapshot_arguments const& wanted)
{
    std::optional<point> at;
    if (wanted.at) {
        auto parsed = parse_point(*wanted.at);
        if (!parsed) co_return parsed.error();
        at = std::move(*parsed);
    }
    auto const now = co_await read(in, std::move(at));
    if (!now) co_return now.error();
    auto const& flags = in.flags();
    auto const form = flags.json ? snapshot_json : snapshot_text;
    auto const text = form(flags.graph, flags.branch, *now);
    co_return in.answer(text, text, now->spent());
}

}  // namespace headwater::cli
