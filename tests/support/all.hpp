// all: several tasks at once, their answers in the order of the tasks.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headwater::test {

/// Runs `works` together on the awaiting executor and waits for every one; then rethrows the first exception, if any.
/// Not to be cancelled: the works would outlive the caller's frame only as long as they hold what they need.
template <class T>
boost::asio::awaitable<std::vector<T>> all(std::vector<boost::asio::awaitable<T>> works)
{
    struct state {
        explicit state(boost::asio::any_io_executor const& executor)
            : done(executor, boost::asio::steady_timer::time_point::max())
        {
        }
        boost::asio::steady_timer done;
        std::vector<std::optional<T>> answers;
        std::exception_ptr thrown;
        std::size_t running = 0;
    };
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const shared = std::make_shared<state>(executor);
    shared->answers.resize(works.size());
    shared->running = works.size();
    auto const keep = [](boost::asio::awaitable<T> work, std::optional<T>& out) -> boost::asio::awaitable<void> {
        out.emplace(co_await std::move(work));
    };
    for (std::size_t at = 0; at < works.size(); ++at) {
        auto kept = keep(std::move(works[at]), shared->answers[at]);
        boost::asio::co_spawn(executor, std::move(kept), [shared](std::exception_ptr thrown) {
            if (thrown && !shared->thrown) shared->thrown = thrown;
            if (--shared->running == 0) shared->done.cancel();
        });
    }
    boost::system::error_code ignored;
    if (shared->running > 0) {
        co_await shared->done.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    if (shared->thrown) std::rethrow_exception(shared->thrown);
    std::vector<T> answers;
    for (auto& answer : shared->answers) answers.push_back(std::move(*answer));
    co_return answers;
}

}  // namespace headwater::test
