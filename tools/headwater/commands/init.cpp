// headwater init: makes an empty graph.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/print.hpp"

#include <headwater/graph.hpp>

namespace headwater::cli {

task<void> perform(session& in, init_arguments const& wanted)
{
    init_options settings;
    settings.checkpoint_interval = wanted.checkpoint_interval;
    settings.carry_limit = wanted.carry_limit;
    auto const made = co_await init_graph(in.store(), in.time(), in.chance(), settings);
    if (!made) co_return made.error();
    in.remember_proof(proof_of::creates);
    auto const& graph = in.flags().graph;
    auto const human = in.flags().quiet ? std::string() : init_line(graph, *made);
    co_return in.report("the graph was made", init_json(graph, *made, in.spent()), human, in.spent());
}

}  // namespace headwater::cli
