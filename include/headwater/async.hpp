// async(): the one door from a task to any Asio completion token: callbacks, futures, deferred, use_awaitable.
#pragma once

#include <headwater/task.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>

#include <exception>
#include <utility>

namespace headwater {

/// Starts `work` on `executor` and completes `token` with the signature `void(result<T>)`.
///
/// Cancellation: through the token's cancellation slot; it arrives as `boost::asio::error::operation_aborted`.
/// Another exception leaves through the executor, as it would from `co_spawn`. Threads: `executor` decides.
template <class T, class Token>
auto async(boost::asio::any_io_executor executor, task<T> work, Token&& token)
{
    namespace asio = boost::asio;
    return asio::async_initiate<Token, void(result<T>)>(
        [](auto handler, asio::any_io_executor on, task<T> started) {
            auto slot = asio::get_associated_cancellation_slot(handler);
            auto home = asio::get_associated_executor(handler, on);
            auto finish = [handler = std::move(handler)](std::exception_ptr thrown, result<T> answer) mutable {
                if (thrown) {
                    try {
                        std::rethrow_exception(thrown);
                    } catch (boost::system::system_error const& cancelled) {
                        if (cancelled.code() != asio::error::operation_aborted) throw;
                        answer = error(cancelled.code());
                    }
                }
                std::move(handler)(std::move(answer));
            };
            asio::co_spawn(on, std::move(started),
                           asio::bind_cancellation_slot(slot, asio::bind_executor(home, std::move(finish))));
        },
        token, std::move(executor), std::move(work));
}

}  // namespace headwater
