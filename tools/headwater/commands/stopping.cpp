// The signal that cancels is shared with whoever waits for the grace to pass: the work may end before.
#include "tools/headwater/commands/stopping.hpp"

#include <headwater/async.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace headwater::cli {

namespace {

using shared_signal = std::shared_ptr<boost::asio::cancellation_signal>;

boost::asio::awaitable<void> cancel_after(clock& time, std::chrono::milliseconds grace, shared_signal cancel)
{
    co_await time.sleep_for(grace);
    cancel->emit(boost::asio::cancellation_type::terminal);
}

}  // namespace

task<void> cancelled_by(session& in, stop_request& stop, std::chrono::milliseconds grace, task<void> work)
{
    auto const cancel = std::make_shared<boost::asio::cancellation_signal>();
    stop.when_made([&in, grace, cancel] {
        if (grace.count() == 0) return cancel->emit(boost::asio::cancellation_type::terminal);
        boost::asio::co_spawn(in.executor(), cancel_after(in.time(), grace, cancel), boost::asio::detached);
    });
    auto token = boost::asio::bind_cancellation_slot(cancel->slot(), boost::asio::use_awaitable);
    auto ending = async(in.executor(), std::move(work), token);
    co_return co_await std::move(ending);
}

}  // namespace headwater::cli
