// headwater changes poll: what each commit changed, once or for as long as it is wanted.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/stopping.hpp"
#include "tools/headwater/print.hpp"
#include "tools/headwater/print_changes.hpp"

#include <headwater/feed.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headwater::cli {

namespace {

// Who follows a graph that somebody removed wants to hear of it.
constexpr std::chrono::minutes look_while_following{1};

result<feed_start> start_of(changes_arguments const& wanted)
{
    constexpr std::string_view after = "after:";
    if (wanted.cursor) return feed_start::at(*wanted.cursor);
    if (wanted.start == "now") return feed_start::now();
    if (wanted.start == "beginning") return feed_start::beginning();
    bool const names_commit = wanted.start.starts_with(after) && wanted.start.size() > after.size();
    if (names_commit) return feed_start::after(commit_id(wanted.start.substr(after.size())));
    return error(errc::invalid_argument, "--start is now, beginning or after:COMMIT_ID, not " + wanted.start);
}

// Each page as it comes: who reads must not wait for the next one.
result<void> tell(session& in, feed_page const& page, bool with_page_line)
{
    bool const exact = in.flags().json;
    for (auto const& each : page.blocks) (void)in.results().write(exact ? block_json(each) : block_text(each));
    if (with_page_line && (exact || !in.flags().quiet)) {
        (void)in.results().write(exact ? page_json(page) : page_text(page));
    }
    return in.results().flush();
}

// Until it is cancelled, or nobody reads any more.
task<void> follow(session& in, feed& from)
{
    bool is_first = true;
    for (;;) {
        auto const page = co_await from.poll();
        if (!page) co_return page.error();
        bool const idle = page->blocks.empty();
        auto told = tell(in, *page, is_first || !idle);
        is_first = false;
        if (in.results().reader_gone()) co_return result<void>();
        if (!told) co_return told;
        if (idle) co_await in.time().sleep_for(from.idle_wait());
    }
}

// A signal ends the wait at once, and is the way in which following ends.
task<void> follow_until_stopped(session& in, feed& from)
{
    stop_request stop(in.executor());
    auto following = follow(in, from);
    auto const ended = co_await cancelled_by(in, stop, std::chrono::milliseconds(0), std::move(following));
    if (stop.made() && !ended && ended.error().code() == boost::asio::error::operation_aborted)
        co_return result<void>();
    co_return ended;
}

}  // namespace

task<void> perform(session& in, changes_arguments const& wanted)
{
    auto start = start_of(wanted);
    if (!start) co_return start.error();
    feed_options how;
    how.page_commits = static_cast<std::uint32_t>(wanted.limit);
    how.tables = wanted.tables;
    if (wanted.follow) how.look_again = look_while_following;
    feed from(in.store(), in.flags().branch, in.time(), std::move(*start), std::move(how));
    if (wanted.follow) {
        auto const followed = co_await follow_until_stopped(in, from);
        // Beside what streams: whoever stopped it may want to know.
        if (in.flags().cost) (void)in.messages().write(cost_line(in.spent()));
        co_return followed;
    }
    auto const page = co_await from.poll();
    if (!page) co_return page.error();
    auto told = tell(in, *page, true);
    if (told && in.flags().cost && !in.flags().json) told = in.answer({}, {}, page->spent);
    co_return told;
}

}  // namespace headwater::cli
