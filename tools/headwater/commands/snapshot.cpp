// headwater snapshot: the state of a branch, now or at a past commit or time.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/reading.hpp"
#include "tools/headwater/print.hpp"

namespace headwater::cli {

task<void> perform(session& in, snapshot_arguments const& wanted)
{
    auto const at = parse_optional_point(wanted.at);
    if (!at) co_return at.error();
    reader from(in.store(), in.flags().branch, in.time());
    auto const now = co_await read_at(from, *at);
    if (!now) co_return now.error();
    auto const& flags = in.flags();
    auto const form = flags.json ? snapshot_json : snapshot_text;
    auto const text = form(flags.graph, flags.branch, *now);
    co_return in.answer(text, text, now->spent());
}

}  // namespace headwater::cli
