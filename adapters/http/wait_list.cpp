// Suspends into a handler, resumes by posting it: nobody who wakes another is re-entered.
#include "adapters/http/wait_list.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace headwater::http {

namespace asio = boost::asio;
using boost::system::error_code;

void wait_list::wake_all()
{
    while (!empty()) front().wake();
}

void wait_list::abort_all()
{
    while (!empty()) front().finish(asio::error::operation_aborted);
}

asio::awaitable<void> waiter::wait()
{
    // Named, and captures nothing that owns: see rule 4 of the coroutines.
    auto initiate = [this](auto then) {
        bool const may_be_cancelled = asio::get_associated_cancellation_slot(then).is_connected();
        resume_ = std::make_unique<handler>(std::move(then));
        queue_.waiting_.push_back(this);
        if (!may_be_cancelled) return;
        asio::get_associated_cancellation_slot(*resume_).assign(
            [this](asio::cancellation_type) { finish(asio::error::operation_aborted); });
    };
    co_await asio::async_initiate<asio::use_awaitable_t<> const, void(error_code)>(initiate, asio::use_awaitable);
}

void waiter::wake()
{
    woken_ = true;
    finish({});
}

bool waiter::unlink() noexcept
{
    auto const at = std::ranges::find(queue_.waiting_, this);
    if (at == queue_.waiting_.end()) return false;
    queue_.waiting_.erase(at);
    return true;
}

void waiter::finish(error_code how)
{
    if (!unlink()) return;
    asio::post(queue_.executor_, [resume = std::move(resume_), how]() mutable {
        // The slot still points at a waiter that is about to go.
        asio::get_associated_cancellation_slot(*resume).clear();
        std::move (*resume)(how);
    });
}

}  // namespace headwater::http
