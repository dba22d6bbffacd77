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

error process_error(errc code, char const* why)
{
    return {code, std::string("the profile's credential_process ") + why};
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

std::optional<pid_t> start_shell(std::string& command, int output)
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
            if (*code != 0) co_return process_error(errc::unavailable, "failed: run it by hand to see why");
            co_return text;
        }
        co_await time.sleep_for(exit_poll);
    }
}

}  // namespace

task<std::string> reach::run(std::string command) const
{
    pipe_ends output;
    if (output.ends[0] == -1) co_return process_error(errc::unavailable, "cannot be run: no descriptor is left");
    auto const id = start_shell(command, output.ends[1]);
    if (!id) co_return process_error(errc::configuration, "cannot be run: /bin/sh does not start");
    child program(*id);
    ::close(output.release(1));
    // Where the caller runs: a coroutine that is spawned there begins at once, and none is cancelled before it has.
    auto const executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor from(executor, output.release(0));

    auto reading = read_output(program, from, time_);
    auto waiting = time_.sleep_for(process_timeout);
    auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(reading), asio::deferred),
                                                         asio::co_spawn(executor, std::move(waiting), asio::deferred));
    auto [order, thrown, text, late] =
        co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    if (order[0] == 1 && !late) {
        co_return process_error(errc::unavailable, "took longer than process_timeout (60 s)");
    }
    if (thrown) std::rethrow_exception(thrown);
    if (late && order[0] == 1) std::rethrow_exception(late);
    co_return std::move(text);
}

}  // namespace headwater::credentials
