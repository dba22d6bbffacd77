// call_deadline: the end of one call, its waits and requests together. A request that is on its way then is cancelled.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/error.hpp>
#include <headwater/object_store.hpp>
#include <headwater/task.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace headwater {

class call_deadline {
public:
    /// `total` from now on; 0: there is no end but that of each request. `about` names the call in the error.
    call_deadline(clock& time, std::chrono::milliseconds total, diagnostics about)
        : time_(time), total_(total), began_(time.since_boot()), about_(std::move(about))
    {
    }

    /// The answer; where the end is first, the request is cancelled, and `late` is what is known of it.
    template <class T>
    boost::asio::awaitable<result<T>> within(task<T> request, errc late)
    {
        namespace asio = boost::asio;
        if (total_.count() == 0) co_return co_await std::move(request);
        auto const executor = co_await asio::this_coro::executor;
        auto end = time_.sleep_for(total_ - (time_.since_boot() - began_));
        auto group =
            asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(request), asio::deferred),
                                                    asio::co_spawn(executor, std::move(end), asio::deferred));
        auto [order, thrown, answer, end_thrown] =
            co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
        if (!thrown) co_return std::move(answer);
        // The caller's cancellation ends both.
        if (order[0] == 0 || end_thrown) std::rethrow_exception(thrown);
        auto why = about_;
        why.detail = "deadline: the call has taken " + std::to_string(total_.count()) + " ms";
        co_return error(late, std::move(why));
    }

private:
    clock& time_;
    std::chrono::milliseconds total_;
    std::chrono::nanoseconds began_;
    diagnostics about_;
};

/// What an error of a call on `store` begins with.
inline diagnostics about_call(object_store const& store, std::string operation, std::string subject)
{
    diagnostics why(std::move(operation), std::move(subject), std::string());
    why.store = store.address();
    return why;
}

}  // namespace headwater
