// must: an answer or an exception; a benchmark that meets an error has nothing to say. at_once: several tasks together.
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

namespace headwater::bench {

template <class T>
T must(result<T> answer)
{
    if (!answer) throw failure(answer.error());
    return std::move(*answer);
}

inline void must(result<void> answer)
{
    if (!answer) throw failure(answer.error());
}

/// The answers, in the order of `work`.
template <class T>
boost::asio::awaitable<std::vector<result<T>>> at_once(std::vector<task<T>> work)
{
    namespace asio = boost::asio;
    if (work.empty()) co_return std::vector<result<T>>();
    auto const executor = co_await asio::this_coro::executor;
    using operation = decltype(asio::co_spawn(executor, std::move(work.front()), asio::deferred));
    std::vector<operation> operations;
    for (auto& each : work) operations.push_back(asio::co_spawn(executor, std::move(each), asio::deferred));
    auto group = asio::experimental::make_parallel_group(std::move(operations));
    auto [order, thrown, done] = co_await group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (auto const& each : thrown) {
        if (each) std::rethrow_exception(each);
    }
    co_return std::move(done);
}

}  // namespace headwater::bench
