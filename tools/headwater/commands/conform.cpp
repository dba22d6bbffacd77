// headwater conform: runs every check, one after the other, each line as it comes. A signal ends it between two checks,
// so that nothing stays behind.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/own_folders.hpp"
#include "tools/headwater/print_conformance.hpp"
#include "tools/headwater/stop_request.hpp"
#include "tools/headwater/whole_file.hpp"

#include <headwater/conformance.hpp>

#include <boost/system/errc.hpp>

namespace headwater::cli {

namespace {

// A store that cannot be used at all would fail every check for the same reason.
task<void> reach(object_store& store)
{
    object_key const nothing("headwater-conform-absent");
    get_options const whole;
    auto const answer = co_await store.get(nothing, whole);
    if (!answer && !(answer.error() == errc::not_found)) co_return answer.error();
    co_return result<void>();
}

boost::asio::awaitable<conformance_report> run_all(session& in, conform_arguments const& wanted)
{
    conformance_report out(in.store().address());
    conformance_subject on(in.store(), in.time(), in.chance());
    own_folders const folders(out.store);
    on.race_rounds = static_cast<std::uint32_t>(wanted.race_rounds);
    bool const shown = !in.flags().json && !in.flags().quiet;
    stop_request stop(in.executor());
    for (auto const& check : conformance_checks()) {
        if (stop.made()) {
            out.stopped = true;
            break;
        }
        out.results.push_back(co_await run_check(check, on));
        folders.clear(out.results.back().prefix);
        if (!shown) continue;
        (void)in.results().write(check_line(out.results.back()));
        (void)in.results().flush();
    }
    out.spent = in.spent();
    co_return out;
}

result<void> write_junit(whole_file& to, conformance_report const& report)
{
    if (auto written = to.write(conformance_junit(report)); !written) return written;
    return to.finish();
}

}  // namespace

task<void> perform(session& in, conform_arguments const& wanted)
{
    whole_file junit(wanted.junit.value_or(""), "conform");
    if (wanted.junit) {
        // Before the first request: a wrong name is no news for after the last check.
        if (auto opened = junit.open(); !opened) co_return opened.error();
    }
    auto const reached = co_await reach(in.store());
    if (!reached) co_return reached.error();
    auto const report = co_await run_all(in, wanted);
    auto const told = in.answer(conformance_json(report), conformance_text(report), report.spent);
    if (!told) co_return told.error();
    if (wanted.junit) {
        if (auto written = write_junit(junit, report); !written) co_return written.error();
    }
    if (report.stopped) {
        co_return error(make_error_code(boost::system::errc::operation_canceled),
                        diagnostics("conform", "", "stopped by a signal before the last check"));
    }
    if (report.count(check_outcome::failed) == 0) co_return result<void>();
    diagnostics why("conform", "", "the store breaks what is required of it: see the checks that failed");
    why.store = report.store;
    co_return error(errc::unsupported, std::move(why));
}

}  // namespace headwater::cli
