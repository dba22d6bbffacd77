// headwater cleanup: the roots go to a file that appears only when they are complete.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/print_upkeep.hpp"
#include "tools/headwater/whole_file.hpp"

#include <headwater/cleanup.hpp>

namespace headwater::cli {

task<void> perform(session& in, cleanup_arguments const& wanted)
{
    cleanup_options how;
    how.keep = wanted.keep;
    how.older_than = wanted.older_than;
    how.confirm = wanted.confirm;
    how.wait = wanted.wait;
    how.quiesced = wanted.quiesced;
    if (wanted.confirm) how.proofs = &in.proofs();
    whole_file file(wanted.roots.value_or(""), "cleanup");
    root_sink sink;
    if (wanted.roots) {
        if (auto opened = file.open(); !opened) co_return opened.error();
        sink = [&file](root const& one) { return file.write(root_line(one)); };
    }
    auto const done = co_await cleanup(in.store(), in.time(), how, std::move(sink));
    if (!done) co_return done.error();
    if (wanted.roots) {
        if (auto finished = file.finish(); !finished) co_return finished.error();
    }
    auto const what = wanted.confirm ? "the cleanup was done" : "nothing was changed";
    auto const told = in.report(what, cleanup_json(*done), cleanup_text(*done), done->spent);
    if (!told) co_return told.error();
    if (!done->corrupt()) co_return result<void>();
    co_return error(errc::corrupt, diagnostics("cleanup", "",
                                               "a stream cannot be read and was left as it is, and so "
                                               "was all that it may name; see `headwater verify`"));
}

}  // namespace headwater::cli
