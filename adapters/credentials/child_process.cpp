// Runs a program on the caller's executor: its output is read as it comes, its end is asked for, and nobody waits on a
// thread. The program ends with the task, whatever ends that.
#include "adapters/credentials/reach.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace headwater::credentials {

namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds exit_poll{5};
/// What of a program's complaint is told.
constexpr std::size_t max_complaint = 1000;

error process_error(errc code, std::string const& why) { return {code, "the profile's credential_process " + why}; }

// Its end in one line: what a program says last is why it stopped.
std::string one_line(std::string_view complaint)
{
    std::string out;
    for (char const c : complaint) {
        bool const is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!is_space)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

// What the program wrote for people. Its output is never told: that is where the secret would be.
error explained(error const& what, std::string_view complaint)
{
    auto const said = one_line(complaint);
    return with(what, [&](diagnostics& why) {
        why.detail += said.empty() ? ": run it by hand to see why" : "; it says: " + said;
    });
}

/// A started program; ended and taken back in any case.
class child {
public:
    explicit child(pid_t id) noexcept : id_(id) {}
    child(child const&) = delete;
    child& operator=(child const&) = delete;
    ~child()
    {
        if (!id_) return;
        ::kill(-id_, SIGKILL);  // What it started too: it leads a process group.
        while (::waitpid(id_, nullptr, 0) == -1 && errno == EINTR) {}
    }

    /// Its exit code once it has ended; -1 for a signal. A host that ignores SIGCHLD learns of none: 0.
    std::optional<int> ended() noexcept
    {
        int status = 0;
        auto const got = ::waitpid(id_, &status, WNOHANG);
        if (got == 0 || (got == -1 && errno == EINTR)) return std::nullopt;
        id_ = 0;
        if (got == -1) return 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t id_;
};

/// Both ends of a pipe, closed with it.
struct pipe_ends {
    pipe_ends() noexcept
    {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
    }
    pipe_ends(pipe_ends const&) = delete;
    pipe_ends& operator=(pipe_ends const&) = delete;
    ~pipe_ends()
    {
        for (int const each : ends) {
            if (each != -1) ::close(each);
        }
    }
    int release(std::size_t which) noexcept { return std::exchange(ends[which], -1); }

    std::array<int, 2> ends{};
};

std::optional<pid_t> start_shell(std::string& command, int output, int complaints)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    if (::posix_spawn_file_actions_init(&files) != 0) return std::nullopt;
    if (::posix_spawnattr_init(&how) != 0) {
        ::posix_spawn_file_actions_destroy(&files);
        return std::nullopt;
    }
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, complaints, STDERR_FILENO);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    std::string shell = "sh", flag = "-c";
    std::array<char*, 4> words{shell.data(), flag.data(), command.data(), nullptr};
    pid_t id = 0;
    int const failed = ::posix_spawn(&id, "/bin/sh", &files, &how, words.data(), environ);
    ::posix_spawnattr_destroy(&how);
    ::posix_spawn_file_actions_destroy(&files);
    return failed ? std::nullopt : std::optional(id);
}

task<std::string> read_to_end(asio::posix::stream_descriptor& from)
{
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
        error_code how;
        auto const into = asio::buffer(buffer);
        auto token = asio::redirect_error(asio::use_awaitable, how);
        auto const length = co_await from.async_read_some(into, token);
        text.append(buffer.data(), length);
        if (how == asio::error::eof) co_return text;
        if (how == asio::error::operation_aborted) throw boost::system::system_error(how);
        if (how) co_return process_error(errc::unavailable, "closed its output with an error");
        if (text.size() > max_secret_file) {
            co_return process_error(errc::limit_exceeded, "printed more than max_secret_file (1 MiB)");
        }
    }
}

task<std::string> read_output(child& program, asio::posix::stream_descriptor& from, clock& time)
{
    auto text = co_await read_to_end(from);
    if (!text) co_return text.error();
    for (;;) {
        if (auto const code = program.ended()) {
            if (*code != 0) co_return process_error(errc::configuration, "failed");
            co_return text;
        }
        co_await time.sleep_for(exit_poll);
    }
}

void keep_end(std::string& of, std::string_view more)
{
    of += more;
    if (of.size() > max_complaint) of.erase(0, of.size() - max_complaint);
}

// As it comes, or the program would wait for a reader; it goes on for as long as the program may run.
asio::awaitable<void> listen(asio::posix::stream_descriptor& from, std::string& heard, clock& time)
{
    std::array<char, 4096> buffer;
    for (;;) {
        error_code how;
        auto const into = asio::buffer(buffer);
        auto token = asio::redirect_error(asio::use_awaitable, how);
        auto const length = co_await from.async_read_some(into, token);
        keep_end(heard, {buffer.data(), length});
        if (how == asio::error::operation_aborted) throw boost::system::system_error(how);
        if (how) break;
    }
    co_await time.sleep_for(2 * process_timeout);
}

// What has come and was not read yet.
void listen_once(asio::posix::stream_descriptor& from, std::string& heard)
{
    std::array<char, 4096> buffer;
    error_code how;
    from.non_blocking(true, how);
    while (!how) {
        auto const length = from.read_some(asio::buffer(buffer), how);
        keep_end(heard, {buffer.data(), length});
        if (heard.size() == max_complaint) return;
    }
}

}  // namespace

task<std::string> reach::run(std::string command) const
{
    pipe_ends output;
    pipe_ends complaints;
    if (output.ends[0] == -1 || complaints.ends[0] == -1)
        co_return process_error(errc::unavailable, "cannot be run: no descriptor is left");
    auto const id = start_shell(command, output.ends[1], complaints.ends[1]);
    if (!id) co_return process_error(errc::configuration, "cannot be run: /bin/sh does not start");
    child program(*id);
    ::close(output.release(1));
    ::close(complaints.release(1));
    // Where the caller runs: a coroutine that is spawned there begins at once, and none is cancelled before it has.
    auto const executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor from(executor, output.release(0));
    asio::posix::stream_descriptor aside(executor, complaints.release(0));
    std::string heard;

    auto reading = read_output(program, from, time_);
    auto waiting = time_.sleep_for(process_timeout);
    auto listening = listen(aside, heard, time_);
    auto group =
        asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(reading), asio::deferred),
                                                asio::co_spawn(executor, std::move(waiting), asio::deferred),
                                                asio::co_spawn(executor, std::move(listening), asio::deferred));
    auto [order, thrown, text, late, deaf] =
        co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    listen_once(aside, heard);
    std::array<std::exception_ptr, 3> const ends{thrown, late, deaf};
    if (auto const& cancelled = ends[order[0]]) std::rethrow_exception(cancelled);
    if (order[0] != 0) {
        co_return explained(process_error(errc::configuration, "took longer than process_timeout (60 s)"), heard);
    }
    if (!text && text.error() == errc::configuration) co_return explained(text.error(), heard);
    co_return std::move(text);
}

}  // namespace headwater::credentials
