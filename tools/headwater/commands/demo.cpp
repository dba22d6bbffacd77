// headwater demo: makes a graph and writes a believable history to it, one commit after the other as a user would.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/publishing.hpp"
#include "tools/headwater/commands/stopping.hpp"
#include "tools/headwater/demo_graph.hpp"
#include "tools/headwater/print.hpp"
#include "tools/headwater/progress.hpp"
#include "tools/headwater/stop_request.hpp"

#include <headwater/branches.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>

#include <algorithm>
#include <unistd.h>

namespace headwater::cli {

namespace {

// Another branch than main begins empty, as main does.
task<void> make_branch(session& in, branch_name name)
{
    reader from(in.store(), "main", in.time());
    auto empty = co_await from.current();
    if (!empty) co_return empty.error();
    branches all(in.store(), in.time(), in.chance(), {.proofs = &in.proofs()});
    auto const made = co_await all.create(std::move(name), std::move(*empty));
    if (!made) co_return made.error();
    co_return result<void>();
}

task<void> write_history(session& in, demo_graph& graph, stop_request& stop, std::uint64_t commits, summary& so_far)
{
    publisher to(in.store(), in.flags().branch, in.time(), in.chance(), {.proofs = &in.proofs()});
    bool const shown = !in.flags().quiet && ::isatty(STDERR_FILENO) == 1;
    progress bar(in.time(), in.messages(), shown, commits);
    while (so_far.commits < commits) {
        if (stop.made()) co_return stopped("demo", so_far.commits);
        intent wanted = graph.next();
        auto const done = co_await publish(in, to, std::move(wanted));
        if (!done && is_plain_stop(done.error())) co_return stopped("demo", so_far.commits);
        if (!done) co_return done.error();
        count(so_far, *done);
        bar.show(so_far.commits);
    }
    co_return result<void>();
}

task<void> write_demo(session& in, stop_request& stop, branch_name branch, demo_arguments wanted)
{
    init_options const settings;
    auto const made = co_await init_graph(in.store(), in.time(), in.chance(), settings);
    if (!made) co_return made.error();
    in.remember_proof(proof_of::creates);
    if (!branch.is_main()) {
        auto const branched = co_await make_branch(in, std::move(branch));
        if (!branched) co_return branched.error();
    }

    demo_graph graph(wanted.seed, wanted.tables, wanted.commits, made->identity_domain);
    auto const begun = in.time().since_boot();
    summary so_far;
    auto const done = co_await write_history(in, graph, stop, wanted.commits, so_far);
    if (!done) co_return done.error();
    std::chrono::duration<double> const passed = in.time().since_boot() - begun;
    auto const seconds = std::max(passed.count(), 1e-9);

    auto const json = demo_json(in.flags().graph, so_far, graph.live_tables(), seconds);
    auto const human = in.flags().quiet ? std::string() : demo_text(so_far, graph.live_tables(), seconds);
    co_return in.report("the history was written", json, human, so_far.spent);
}

}  // namespace

task<void> perform(session& in, demo_arguments const& wanted)
{
    auto branch = branch_name::parse(in.flags().branch);
    if (!branch) co_return branch.error();
    stop_request stop(in.executor());
    auto writing = write_demo(in, stop, std::move(*branch), wanted);
    co_return co_await cancelled_by(in, stop, stop_grace, std::move(writing));
}

}  // namespace headwater::cli
