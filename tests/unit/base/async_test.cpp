// The door to completion tokens: cancellation at every step of a task's life, from inside its executor and from
// outside.
#include "tests/support/virtual_clock.hpp"

#include <headwater/async.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>

namespace headwater {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// What a task does while it is cancelled: nothing that waits, or some naps.
task<int> napping(clock& time, int naps)
{
    for (int at = 0; at < naps; ++at) co_await time.sleep_for(1s);
    co_return naps;
}

enum class from { inside, outside };

struct door : testing::TestWithParam<from> {
    // Cancels after so many handlers have run; whether that was before the end.
    void cancel_after(int steps, int naps)
    {
        asio::io_context io(1);
        test::virtual_clock time;
        auto signal = std::make_unique<asio::cancellation_signal>();
        std::optional<result<int>> ended;
        auto const cancel = [&] { signal->emit(asio::cancellation_type::terminal); };
        // Queued before the task is: it comes when the task has been spawned and has not begun.
        if (steps == 0 && GetParam() == from::inside) asio::post(io, cancel);
        async(io.get_executor(), napping(time, naps),
              asio::bind_cancellation_slot(signal->slot(), [&](result<int> answer) { ended = std::move(answer); }));
        for (int at = 0; at < steps; ++at) {
            io.restart();
            if (io.poll_one() == 0) time.wake_next();
        }
        bool const was_over = ended.has_value();
        if (GetParam() == from::outside) cancel();
        if (GetParam() == from::inside && steps > 0) asio::post(io, cancel);
        if (was_over) {
            io.restart();
            io.poll();
            signal.reset();  // A caller may let go of it as soon as it was told.
        }
        test::drive(io, time);
        ASSERT_TRUE(ended) << steps;
        if (*ended) {
            EXPECT_EQ(**ended, naps);
            last = was_over;
        } else {
            EXPECT_EQ(ended->error().code(), asio::error::operation_aborted);
            ++cancelled;
        }
    }

    int cancelled = 0;
    bool last = false;  // The task was over before it was cancelled.
};

INSTANTIATE_TEST_SUITE_P(async, door, testing::Values(from::inside, from::outside),
                         [](auto const& one) { return one.param == from::inside ? "inside" : "outside"; });

}  // namespace

TEST_P(door, a_task_that_waits_can_be_cancelled_at_every_step)
{
    int steps = 0;
    for (; !last && steps < 50; ++steps) cancel_after(steps, 3);
    EXPECT_TRUE(last);
    EXPECT_GE(cancelled, 3);
}

TEST_P(door, a_task_that_does_not_wait_can_be_cancelled_at_every_step)
{
    int steps = 0;
    for (; !last && steps < 50; ++steps) cancel_after(steps, 0);
    EXPECT_TRUE(last);
}

TEST(async, gives_callbacks_and_futures)
{
    asio::io_context io(1);
    test::virtual_clock time;
    int told = 0;
    async(io.get_executor(), napping(time, 0), [&](result<int> const& answer) { told += answer ? 1 : 0; });
    std::future<result<int>> later = async(io.get_executor(), napping(time, 0), asio::use_future);
    io.run();
    EXPECT_EQ(told, 1);
    EXPECT_TRUE(later.get());
}

}  // namespace headwater
