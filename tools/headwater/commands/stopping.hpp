// stopping: a signal as the cancellation of what a verb does, so that the verb can still say what became of it.
#pragma once

#include "tools/headwater/session.hpp"
#include "tools/headwater/stop_request.hpp"

#include <headwater/task.hpp>

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace headwater::cli {

/// How long the commit that is under way has to be answered after a signal, where many follow each other.
inline constexpr std::chrono::milliseconds stop_grace{1'000};

/// Cancellation as a value, with the diagnostics of what was under way; after it nothing more can be awaited.
template <class T>
task<T> cancelled_as_error(task<T> work)
{
    try {
        co_return co_await std::move(work);
    } catch (failure const& ended) {
        if (ended.code() != boost::asio::error::operation_aborted) throw;
        co_return ended.what_failed();
    } catch (boost::system::system_error const& ended) {
        if (ended.code() != boost::asio::error::operation_aborted) throw;
        co_return error(ended.code());
    }
}

/// Runs `work`, which is cancelled `grace` after a stop was asked for. Cancelled it ends with `operation_aborted`, with
/// the diagnostics of what was under way. Session and `stop` must outlive it.
task<void> cancelled_by(session& in, stop_request& stop, std::chrono::milliseconds grace, task<void> work);

}  // namespace headwater::cli
