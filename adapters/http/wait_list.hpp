// wait_list: coroutines that wait to be woken, first come first served. No timer: a deadline stops a waiter instead.
// Used by the pool (for a connection) and by the addresses (for the resolver).
#pragma once

#include "adapters/http/sweep.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <deque>
#include <memory>

namespace headwater::http {

class waiter;

/// Threads: those of `executor`. Must be emptied (`abort_all`) before it is destroyed.
class wait_list {
public:
    explicit wait_list(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    std::size_t size() const noexcept { return waiting_.size(); }
    bool empty() const noexcept { return waiting_.empty(); }
    waiter& front() noexcept { return *waiting_.front(); }
    void wake_all();
    /// Ends every wait with `operation_aborted`.
    void abort_all();

private:
    friend class waiter;

    boost::asio::any_io_executor executor_;
    std::deque<waiter*> waiting_;
};

/// One coroutine's place in a list; lives in its frame.
class waiter : public stoppable {
public:
    explicit waiter(wait_list& queue) noexcept : queue_(queue) {}
    virtual ~waiter() { unlink(); }
    waiter(waiter const&) = delete;
    waiter& operator=(waiter const&) = delete;

    /// Completes when woken or stopped; `woken` tells which. Cancellation throws and leaves the list.
    boost::asio::awaitable<void> wait();
    bool woken() const noexcept { return woken_; }
    void wake();
    void stop() noexcept override { finish({}); }

private:
    friend class wait_list;

    bool unlink() noexcept;
    void finish(boost::system::error_code how);

    wait_list& queue_;
    // By pointer: in Asio 1.81 a handler of this type that is copied inside `post` wraps itself without end.
    using handler = boost::asio::any_completion_handler<void(boost::system::error_code)>;
    std::unique_ptr<handler> resume_;
    bool woken_ = false;
};

}  // namespace headwater::http
