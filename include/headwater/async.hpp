// async(): the one door from a task to any Asio completion token: callbacks, futures, deferred, use_awaitable.
#pragma once

#include <headwater/task.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace headwater {

namespace detail {

/// What stands between a caller's cancellation slot and a spawned task. Asio 1.81 lets an exception out through the
/// executor when a coroutine is cancelled before it has begun: so the wish is kept until then.
class launch {
public:
    void cancel(boost::asio::cancellation_type how)
    {
        asked_ |= how;
        if (begun_ && !over_) signal_.emit(how);
    }
    void begin()
    {
        begun_ = true;
        if (asked_ == boost::asio::cancellation_type::none) return;
        throw boost::system::system_error(boost::asio::error::operation_aborted);
    }
    void end() noexcept { over_ = true; }
    boost::asio::cancellation_slot slot() noexcept { return signal_.slot(); }

private:
    boost::asio::cancellation_signal signal_;
    boost::asio::cancellation_type asked_ = boost::asio::cancellation_type::none;
    bool begun_ = false;
    bool over_ = false;
};

template <class T>
task<T> launched(std::shared_ptr<launch> by, task<T> work)
{
    // Here, not in the handler: that may run on another executor, and a cancellation runs on the task's.
    struct on_exit {
        ~on_exit() { by.end(); }
        launch& by;
    };
    on_exit const ends{*by};
    by->begin();
    co_return co_await std::move(work);
}

/// `co_spawn` whose cancellation may come at any time: before the start, after the end, from outside of `on`.
template <class T, class Finish>
void spawn(boost::asio::any_io_executor on, task<T> work, boost::asio::cancellation_slot slot, Finish finish)
{
    namespace asio = boost::asio;
    if (!slot.is_connected()) return asio::co_spawn(on, std::move(work), std::move(finish));
    auto const by = std::make_shared<launch>();
    slot.assign([by, on](asio::cancellation_type how) { asio::dispatch(on, [by, how] { by->cancel(how); }); });
    auto home = asio::get_associated_executor(finish, on);
    // Asio's own end of the slot lives in `by`, and outlives the task.
    auto ended = [by, finish = std::move(finish)](std::exception_ptr thrown, result<T> answer) mutable {
        std::move(finish)(thrown, std::move(answer));
    };
    auto begun = launched(by, std::move(work));
    asio::co_spawn(on, std::move(begun),
                   asio::bind_cancellation_slot(by->slot(), asio::bind_executor(home, std::move(ended))));
}

}  // namespace detail

/// Starts `work` on `executor` and completes `token` with the signature `void(result<T>)`.
///
/// Cancellation: through the token's cancellation slot, at any time; it arrives as
/// `boost::asio::error::operation_aborted`, with the diagnostics of what was cancelled where it has some.
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
                    } catch (failure const& cancelled) {
                        if (cancelled.code() != asio::error::operation_aborted) throw;
                        answer = cancelled.what_failed();
                    } catch (boost::system::system_error const& cancelled) {
                        if (cancelled.code() != asio::error::operation_aborted) throw;
                        answer = error(cancelled.code());
                    }
                }
                std::move(handler)(std::move(answer));
            };
            detail::spawn(on, std::move(started), slot, asio::bind_executor(home, std::move(finish)));
        },
        token, std::move(executor), std::move(work));
}

}  // namespace headwater
