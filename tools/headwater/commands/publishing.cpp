// A commit stands once it is published; what follows may fail without touching it.
#include "tools/headwater/commands/publishing.hpp"

#include "tools/headwater/commands/stopping.hpp"

#include <utility>

namespace headwater::cli {

namespace {

// Best effort: a failure is a warning, and so is a signal.
task<commit_receipt> keep_up(session& in, publisher& to, commit_receipt done)
{
    auto upkeep = cancelled_as_error(to.upkeep());
    auto const kept = co_await std::move(upkeep);
    if (kept) {
        done.spent = done.spent + *kept;
    } else {
        in.warn(with(kept.error(),
                     [](diagnostics& why) { why.detail = "the commit stands, its upkeep failed: " + why.detail; }));
    }
    co_return done;
}

}  // namespace

task<commit_receipt> publish(session& in, publisher& to, intent wanted)
{
    publisher::plan same = [&wanted](snapshot const&) -> result<intent> { return wanted; };
    auto publishing = cancelled_as_error(to.publish(std::move(same)));
    auto done = co_await std::move(publishing);
    if (!done) co_return done;
    co_return co_await keep_up(in, to, std::move(*done));
}

task<commit_receipt> publish_on(session& in, publisher& to, std::string const& expected, intent wanted)
{
    std::optional<commit_id> newest;
    if (!expected.empty()) newest.emplace(expected);
    auto publishing = cancelled_as_error(to.publish_on(std::move(newest), std::move(wanted)));
    auto done = co_await std::move(publishing);
    if (!done) co_return done;
    co_return co_await keep_up(in, to, std::move(*done));
}

void count(summary& so_far, commit_receipt const& one)
{
    if (so_far.commits++ == 0) so_far.first = one.at;
    so_far.last = one.at;
    so_far.spent = so_far.spent + one.spent;
}

error stopped(std::string operation, std::uint64_t commits)
{
    diagnostics why(std::move(operation), "", "stopped by a signal; " + std::to_string(commits) + " commits stand");
    why.facts.emplace_back("committed", std::to_string(commits));
    return {make_error_code(boost::system::errc::operation_canceled), std::move(why)};
}

bool is_plain_stop(error const& what) noexcept
{
    return what.code() == boost::system::errc::operation_canceled && !what.why();
}

}  // namespace headwater::cli
