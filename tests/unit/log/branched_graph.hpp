// branched_graph: kept_graph with branches.
#pragma once

#include "tests/unit/upkeep/kept_graph.hpp"

#include <headwater/branches.hpp>

#include <string>
#include <string_view>

namespace headwater::test {

class branched_graph : public kept_graph {
public:
    using kept_graph::kept_graph;

    static branch_name named(std::string_view text) { return *branch_name::parse(text); }

    snapshot read(std::string_view branch = "main")
    {
        reader of(*store, branch, time);
        return must(of.current());
    }
    snapshot read_at(std::string_view branch, std::uint64_t seq)
    {
        reader of(*store, branch, time);
        return must(of.at(sequence(seq)));
    }
    stream_metadata create(std::string_view name, snapshot from)
    {
        branches all(*store, time, *chance);
        return must(all.create(named(name), std::move(from)));
    }
    /// Of the newest state of `from`.
    stream_metadata create(std::string_view name, std::string_view from = "main") { return create(name, read(from)); }
    stream_metadata remove_branch(std::string_view name)
    {
        branches all(*store, time, *chance);
        return must(all.remove(named(name)));
    }
    std::vector<std::string> names()
    {
        branches all(*store, time, *chance);
        std::vector<std::string> out;
        for (auto const& each : must(all.list())) out.push_back(each.logical);
        return out;
    }
    /// Publishes one commit as `small_graph::wish` has it, with upkeep.
    commit_receipt commit(std::string_view branch) { return commit(branch, wish); }
    commit_receipt commit(std::string_view branch, publisher::plan plan)
    {
        publisher writer(*store, branch, time, *chance);
        auto done = must(writer.publish(std::move(plan)));
        (void)must(writer.upkeep());
        return done;
    }
};

}  // namespace headwater::test
