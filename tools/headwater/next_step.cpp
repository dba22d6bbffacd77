// One row for each verb that writes.
#include "tools/headwater/next_step.hpp"

#include <boost/system/errc.hpp>

#include <algorithm>
#include <string>

namespace headwater::cli {

namespace {

constexpr std::string_view goes_on = "run it again: it goes on where it stopped";

// Whoever only reads leaves nothing behind.
template <class Verb>
constexpr next_step step_after(Verb const&) noexcept
{
    return {};
}

constexpr next_step step_after(init_arguments const&) noexcept
{
    constexpr std::string_view again = "run it again: `already_exists` then means that the graph was made";
    return {again, again};
}

constexpr next_step step_after(demo_arguments const&) noexcept
{
    constexpr std::string_view look = "`headwater commit list` shows what was written";
    return {look, look};
}

constexpr next_step step_after(create_arguments const&) noexcept
{
    return {"nothing was committed", "`headwater commit list` shows whether it stands"};
}

constexpr next_step step_after(import_arguments const&) noexcept
{
    return {"the line was not committed", "`headwater commit list` shows which lines stand"};
}

constexpr next_step step_after(branch_create_arguments const&) noexcept
{
    constexpr std::string_view look = "`headwater branch list` says whether it is there; if not, run it again in a "
                                      "minute";
    return {look, look};
}

constexpr next_step step_after(branch_delete_arguments const&) noexcept
{
    constexpr std::string_view again = "run it again: it goes on where it stopped, and says `branch_not_found` if "
                                       "nothing was left to do";
    return {again, again};
}

constexpr next_step step_after(branch_merge_arguments const&) noexcept
{
    return {"nothing was merged", "run it again: what is merged is not merged twice"};
}

constexpr next_step step_after(cleanup_arguments const&) noexcept { return {goes_on, goes_on}; }
constexpr next_step step_after(repair_arguments const&) noexcept { return {goes_on, goes_on}; }

constexpr next_step step_after(probe_arguments const&) noexcept { return {{}, "run it again"}; }
constexpr next_step step_after(bench_arguments const&) noexcept { return {{}, "run it again"}; }

bool has_token(diagnostics const& why) noexcept
{
    return std::ranges::any_of(why.facts, [](auto const& each) { return each.first == "resume"; });
}

void say_after(diagnostics& why, std::string_view more)
{
    if (more.empty()) return;
    if (!why.detail.empty()) why.detail += "; ";
    why.detail += more;
}

}  // namespace

next_step next_step_of(arguments const& wanted) noexcept
{
    return std::visit([](auto const& own) { return step_after(own); }, wanted.wanted);
}

error with_next_step(error const& what, next_step const& step)
{
    constexpr std::string_view ask = "`headwater resolve` with the token says what became of it";
    constexpr std::string_view by_signal = "stopped by a signal";
    bool const cancelled = what.code() == boost::system::errc::operation_canceled;
    bool const in_doubt = what == errc::outcome_unknown;
    if (!cancelled && !in_doubt) return what;
    diagnostics why = what.why() ? *what.why() : diagnostics();
    if (has_token(why)) {
        say_after(why, cancelled ? by_signal : std::string_view());
        say_after(why, step.after_unknown.empty() ? std::string_view() : ask);
        return {errc::outcome_unknown, std::move(why)};
    }
    if (cancelled && why.detail.empty())
        why.detail = std::string(by_signal);
    else if (cancelled)
        return what;  // A verb that counts says how far it came.
    say_after(why, cancelled ? step.after_stop : step.after_unknown);
    return {what.code(), std::move(why)};
}

}  // namespace headwater::cli
