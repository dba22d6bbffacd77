// headwater demo: makes a graph and writes a believable history to it, one commit after the other as a user would.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/publishing.hpp"
#include "tools/headwater/demo_graph.hpp"
#include "tools/headwater/print.hpp"
#include "tools/headwater/progress.hpp"
#include "tools/headwater/stop_request.hpp"

#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>

#include <algorithm>
#include <unistd.h>

namespace headwater::cli {

namespace {

task<void> write_history(session& in, demo_graph& graph, std::uint64_t commits, summary& so_far)
{
    publisher to(in.store(), in.flags().branch, in.time(), in.chance());
    stop_request stop(in.executor());
    bool const shown = !in.flags().quiet && ::isatty(STDERR_FILENO) == 1;
    progress bar(in.time(), in.messages(), shown, commits);
    while (so_far.commits < commits) {
        if (stop.made()) co_return stopped("demo", so_far.commits);
        intent wanted = graph.next();
        auto const done = co_await publish(in, to, std::move(wanted));
        if (!done) co_return done.error();
        count(so_far, *done);
        bar.show(so_far.commits);
    }
    co_return result<void>();
}

}  // namespace

task<void> perform(session& in, demo_arguments const& wanted)
{
    init_options const settings;
    auto const made = co_await init_graph(in.store(), in.time(), in.chance(), settings);
    if (!made) co_return made.error();

    demo_graph graph(wanted.seed, wanted.tables, wanted.commits, made->identity_domain);
    auto const begun = in.time().since_boot();
    summary so_far;
    auto const done = co_await write_history(in, graph, wanted.commits, so_far);
    if (!done) co_return done.error();
    std::chrono::duration<double> const passed = in.time().since_boot() - begun;
    auto const seconds = std::max(passed.count(), 1e-9);

    auto const json = demo_json(in.flags().graph, so_far, graph.live_tables(), seconds);
    auto const human = in.flags().quiet ? std::string() : demo_text(so_far, graph.live_tables(), seconds);
    co_return in.answer(json, human, so_far.spent);
}

}  // namespace headwater::cli
