// together(): runs several tasks at once on the awaiting coroutine's executor and waits for all of them.
#pragma once

#include <headwater/task.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>
#include <vector>

namespace headwater {

/// The answers, in the order of `work`. Cancellation reaches every task, and throws once all have ended.
template <class T>
boost::asio::awaitable<std::vector<result<T>>> together(std::vector<task<T>> work)
{
    namespace asio = boost::asio;
    std::vector<result<T>> answers;
    if (work.empty()) co_return answers;
    if (work.size() == 1) {
        answers.push_back(co_await std::move(work.front()));
        co_return answers;
    }
    auto const executor = co_await asio::this_coro::executor;
    using operation = decltype(asio::co_spawn(executor, std::move(work.front()), asio::deferred));
    std::vector<operation> operations;
    operations.reserve(work.size());
    for (auto& each : work) operations.push_back(asio::co_spawn(executor, std::move(each), asio::deferred));
    auto group = asio::experimental::make_parallel_group(std::move(operations));
    auto [order, thrown, done] = co_await group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (auto const& each : thrown) {
        if (each) std::rethrow_exception(each);
    }
    co_return std::move(done);
}

}  // namespace headwater
