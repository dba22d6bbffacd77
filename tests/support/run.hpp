// run: a task's answer as a plain call, for tests. An exception, cancellation included, arrives where run was called.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

namespace headwater::test {

/// Starts `work` on `io` and calls `drive()` until it gives up. Not a template: Asio's spawning is compiled once.
inline void run_with(boost::asio::io_context& io, boost::asio::awaitable<void> work, std::function<void()> const& drive)
{
    std::exception_ptr thrown;
    bool ended = false;
    boost::asio::co_spawn(io, std::move(work), [&](std::exception_ptr what) {
        thrown = what;
        ended = true;
    });
    drive();
    if (thrown) std::rethrow_exception(thrown);
    if (!ended) throw std::logic_error("the work never ended: everything waits and nothing will wake it");
}

/// The same, for the answer of `work`.
template <class T>
T run_with(boost::asio::io_context& io, boost::asio::awaitable<T> work, std::function<void()> const& drive)
{
    std::optional<T> answer;
    auto const keep = [](boost::asio::awaitable<T> inner, std::optional<T>& out) -> boost::asio::awaitable<void> {
        out.emplace(co_await std::move(inner));
    };
    run_with(io, keep(std::move(work), answer), drive);
    return std::move(*answer);
}

/// Runs `work` to its end on `io`, which stores with connections were made with.
template <class T>
T run(boost::asio::io_context& io, boost::asio::awaitable<T> work)
{
    return run_with(io, std::move(work), [&] {
        io.restart();
        io.run();
    });
}

/// Runs `work` to its end on a fresh context.
template <class T>
T run(boost::asio::awaitable<T> work)
{
    boost::asio::io_context io(1);
    return run(io, std::move(work));
}

}  // namespace headwater::test
