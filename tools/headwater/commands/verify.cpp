// headwater verify and repair: the answer is the list; the exit code says whether anything is corrupt.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/print_upkeep.hpp"

#include <headwater/repair.hpp>
#include <headwater/verify.hpp>

namespace headwater::cli {

task<void> perform(session& in, verify_arguments const& wanted)
{
    verify_options how;
    how.deep = wanted.deep;
    auto const done = co_await verify(in.store(), in.time(), how);
    if (!done) co_return done.error();
    auto const told = in.answer(verify_json(*done), verify_text(*done), done->spent);
    if (!told) co_return told.error();
    if (!done->corrupt()) co_return result<void>();
    co_return error(errc::corrupt, diagnostics("verify", "", "the graph is not as its format says: see the findings"));
}

task<void> perform(session& in, repair_arguments const& wanted)
{
    repair_options how;
    how.confirm = wanted.confirm;
    if (wanted.confirm) how.proofs = &in.proofs();
    auto const done = co_await repair(in.store(), in.time(), how);
    if (!done) co_return done.error();
    auto const what = wanted.confirm ? "the repair was done" : "nothing was changed";
    auto const told = in.report(what, repair_json(*done), repair_text(*done), done->spent);
    if (!told) co_return told.error();
    if (!done->corrupt()) co_return result<void>();
    co_return error(errc::corrupt, diagnostics("repair", "", "something corrupt is not repaired: see the steps"));
}

}  // namespace headwater::cli
