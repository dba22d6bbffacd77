// run: a task's answer as a plain call, for tests. An exception, cancellation included, arrives where run was called.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace headwater::test {

/// Starts `work` on `io`, calls `drive()` until it gives up, and answers what the work did.
template <class T, class Drive>
T run_with(boost::asio::io_context& io, boost::asio::awaitable<T> work, Drive drive)
{
    std::optional<T> answer;
    std::exception_ptr thrown;
    auto const keep = [](boost::asio::awaitable<T> inner, std::optional<T>& out) -> boost::asio::awaitable<void> {
        out.emplace(co_await std::move(inner));
    };
    boost::asio::co_spawn(io, keep(std::move(work), answer), [&](std::exception_ptr what) { thrown = what; });
    drive();
    if (thrown) std::rethrow_exception(thrown);
    if (!answer) throw std::logic_error("the work never ended: everything waits and nothing will wake it");
    return std::move(*answer);
}

template <class Drive>
void run_with(boost::asio::io_context& io, boost::asio::awaitable<void> work, Drive drive)
{
    auto const wrap = [](boost::asio::awaitable<void> inner) -> boost::asio::awaitable<bool> {
        co_await std::move(inner);
        co_return true;
    };
    run_with(io, wrap(std::move(work)), drive);
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
