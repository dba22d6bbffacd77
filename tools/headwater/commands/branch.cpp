// headwater branch: make, list, merge and delete branches.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/reading.hpp"
#include "tools/headwater/commands/stopping.hpp"
#include "tools/headwater/print_branches.hpp"

#include <headwater/branches.hpp>
#include <headwater/merge.hpp>

namespace headwater::cli {

task<void> perform(session& in, branch_create_arguments const& wanted)
{
    auto name = branch_name::parse(wanted.name);
    if (!name) co_return name.error();
    auto const at = parse_optional_point(wanted.at);
    if (!at) co_return at.error();
    reader from(in.store(), wanted.from, in.time());
    auto fork = co_await read_at(from, *at);
    if (!fork) co_return fork.error();
    branches all(in.store(), in.time(), in.chance(), {.proofs = &in.proofs()});
    auto const made = co_await all.create(std::move(*name), std::move(*fork));
    if (!made) co_return made.error();
    co_return in.report("the branch was made", branch_created_json(*made, in.spent()), branch_created_text(*made),
                        in.spent());
}

task<void> perform(session& in, branch_list_arguments const&)
{
    branches all(in.store(), in.time(), in.chance());
    auto const live = co_await all.list();
    if (!live) co_return live.error();
    co_return in.answer(branch_list_json(*live, in.spent()), branch_list_text(*live), in.spent());
}

task<void> perform(session& in, branch_delete_arguments const& wanted)
{
    auto name = branch_name::parse(wanted.name);
    if (!name) co_return name.error();
    branches all(in.store(), in.time(), in.chance(), {.proofs = &in.proofs()});
    auto removing = wanted.force ? all.remove_unreadable(std::move(*name)) : all.remove(std::move(*name));
    auto const ended = co_await std::move(removing);
    if (!ended) co_return ended.error();
    co_return in.report("the branch was deleted", branch_deleted_json(*ended, in.spent()), branch_deleted_text(*ended),
                        in.spent());
}

task<void> perform(session& in, branch_merge_arguments const& wanted)
{
    auto source = branch_name::parse(wanted.source);
    if (!source) co_return source.error();
    auto into = branch_name::parse(wanted.into);
    if (!into) co_return into.error();
    if (wanted.delete_branch && source->is_main()) co_return error(errc::invalid_argument, "main cannot be deleted");
    merge_options how;
    how.proofs = &in.proofs();
    how.ended_is_merged = wanted.delete_branch;  // This may be the second try, after a stop.
    merge_resolver const nobody;
    branch_name const name = *source;
    auto const done =
        co_await merge(in.store(), std::move(*source), std::move(*into), in.time(), in.chance(), how, nobody);
    if (!done) co_return done.error();
    bool removed = false;
    if (wanted.delete_branch) {
        branches all(in.store(), in.time(), in.chance(), {.proofs = &in.proofs()});
        position const merged = done->source;
        auto ending = cancelled_as_error(all.remove_at(name, merged));
        auto const ended = co_await std::move(ending);
        removed = ended || (done->source_ended && ended.error() == errc::branch_not_found);
        // The merge stands, and is what was asked for first.
        if (!removed) in.warn(ended.error());
    }
    co_return in.report(std::string(to_string(done->outcome)), branch_merged_json(*done, removed, in.spent()),
                        branch_merged_text(*done, removed), in.spent());
}

}  // namespace headwater::cli
