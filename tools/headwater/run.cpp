// Dispatches to the commands; every error is printed here and nowhere else.
#include "tools/headwater/run.hpp"

#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/stopping.hpp"
#include "tools/headwater/next_step.hpp"
#include "tools/headwater/thrown.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>

namespace headwater::cli {

namespace {

// Who asks what a store does wants to hear it fail: a call that never works is tried for seconds, not for a minute.
template <class Verb>
constexpr bool examines_store = std::is_same_v<Verb, probe_arguments> || std::is_same_v<Verb, conform_arguments>
                                || std::is_same_v<Verb, bench_arguments>;

// No `deadline`: no request begins later than a minute after a call's first, and none takes longer than two, so that a
// call ends by itself; a timer for each would only cut off what a slow line still carries.
template <class Verb>
retry_options retries_of()
{
    retry_options out;
    if constexpr (examines_store<Verb>) {
        out.budget = std::chrono::seconds(5);
        out.max_attempts = 4;
    }
    return out;
}

// These write, and a signal ends them at once. Others that write look at it themselves; who reads dies of it as ever.
template <class Verb>
constexpr bool is_cancelled_by_signal =
    std::is_same_v<Verb, init_arguments> || std::is_same_v<Verb, branch_create_arguments>
    || std::is_same_v<Verb, branch_delete_arguments> || std::is_same_v<Verb, branch_merge_arguments>
    || std::is_same_v<Verb, cleanup_arguments> || std::is_same_v<Verb, repair_arguments>;

template <class Verb>
task<void> perform_until_stopped(session& in, Verb const& own)
{
    stop_request stop(in.executor());
    auto work = perform(in, own);
    co_return co_await cancelled_by(in, stop, std::chrono::milliseconds(0), std::move(work));
}

template <class Verb>
task<void> started(session& in, Verb const& own)
{
    if constexpr (is_cancelled_by_signal<Verb>) return perform_until_stopped(in, own);
    return perform(in, own);
}

template <class Verb>
result<void> run_verb(common_arguments const& flags, Verb const& own, output& results, output& messages)
{
    boost::asio::io_context io(1);
    session in(io.get_executor(), flags, results, messages);
    if (auto opened = in.open(retries_of<Verb>()); !opened) return opened;
    result<void> out;
    std::exception_ptr thrown;
    boost::asio::co_spawn(io, started(in, own), [&](std::exception_ptr what, result<void> ended) {
        thrown = what;
        out = std::move(ended);
        // What is idle, a kept connection, must not keep the process.
        io.stop();
    });
    io.run();
    if (thrown) std::rethrow_exception(thrown);
    return out;
}

result<void> run_command(arguments const& wanted, output& results, output& messages)
{
    auto const one = [&](auto const& own) -> result<void> {
        if constexpr (std::is_same_v<decltype(own), version_arguments const&>) {
            return print_version(results, wanted.common.json);
        } else {
            return run_verb(wanted.common, own, results, messages);
        }
    };
    return std::visit(one, wanted.wanted);
}

// Who closed the pipe has read enough: no news to anybody, as long as there is nothing else to tell.
bool is_reader_gone(error const& what)
{
    auto const* const why = what.why();
    return what.code() == boost::system::errc::broken_pipe && why && why->operation == "write" && why->detail.empty();
}

}  // namespace

exit_code finish(result<void> done, bool json, output& results, output& messages)
{
    auto const flushed = results.flush();
    if (done && !flushed) done = flushed.error();
    if (!done && !is_reader_gone(done.error())) {
        (void)messages.write(json ? error_json(done.error()) : error_line(done.error()));
    }
    (void)messages.flush();
    return done ? exit_code::done : exit_code_of(done.error());
}

exit_code run(arguments const& wanted, output& results, output& messages)
{
    result<void> done;
    try {
        done = run_command(wanted, results, messages);
    } catch (...) {
        done = error_of_thrown();
    }
    if (!done) done = with_next_step(done.error(), next_step_of(wanted));
    return finish(std::move(done), wanted.common.json, results, messages);
}

}  // namespace headwater::cli
