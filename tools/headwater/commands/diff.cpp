// headwater diff: what separates two states of a branch, table by table.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/reading.hpp"
#include "tools/headwater/print_diff.hpp"

namespace headwater::cli {

task<void> perform(session& in, diff_arguments const& wanted)
{
    auto const first = parse_point(wanted.from);
    if (!first) co_return first.error();
    auto const second = parse_point(wanted.to);
    if (!second) co_return second.error();
    reader from(in.store(), in.flags().branch, in.time());
    auto const before = co_await read_at(from, *first);
    if (!before) co_return before.error();
    auto const after = co_await read_at(from, *second);
    if (!after) co_return after.error();
    auto const changes = diff(before->heads(), after->heads());
    auto const spent = before->spent() + after->spent();
    auto const exact = in.flags().json ? diff_json(in.flags().branch, *before, *after, changes, spent) : std::string();
    auto const human = in.flags().json ? std::string() : diff_text(*before, *after, changes);
    co_return in.answer(exact, human, spent);
}

}  // namespace headwater::cli
