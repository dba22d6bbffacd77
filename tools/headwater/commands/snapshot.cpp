// headwater snapshot: the state of a branch, now or at a past commit or time.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/reading.hpp"
#include "tools/headwater/print.hpp"
#include "tools/headwater/timeline.hpp"

namespace headwater::cli {

task<void> perform(session& in, snapshot_arguments const& wanted)
{
    auto const at = parse_optional_point(wanted.at);
    if (!at) co_return at.error();
    timeline notes(in.time());
    auto const noted = make_noting_store(in.store(), notes);
    reader from(*noted, in.flags().branch, in.time());
    auto const now = co_await read_at(from, *at);
    if (!now) co_return now.error();
    auto const done = notes.elapsed();
    auto const& flags = in.flags();
    auto const form = flags.json ? snapshot_json : snapshot_text;
    auto const text = form(flags.graph, flags.branch, *now);
    auto told = in.answer(text, text, now->spent());
    if (!told || !wanted.explain) co_return told;
    // JSON is for programs: the timeline goes beside it.
    auto& beside = flags.json ? in.messages() : in.results();
    (void)beside.write(timeline_text(notes.entries(), done));
    co_return beside.flush();
}

}  // namespace headwater::cli
