// The machine's clock, and the virtual one that stands in for it.
#include "tests/support/virtual_clock.hpp"

#include <headwater/clock.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/system/error_code.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> nap(clock& time, std::chrono::nanoseconds length) { co_await time.sleep_for(length); }

boost::system::error_code end_of_cancelled_nap(clock& time, auto drive)
{
    asio::io_context io(1);
    asio::cancellation_signal stop;
    boost::system::error_code ended;
    auto const done = [&](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (boost::system::system_error const& what) {
            ended = what.code();
        }
    };
    asio::co_spawn(io, nap(time, 1h), asio::bind_cancellation_slot(stop.slot(), done));
    io.poll();
    stop.emit(asio::cancellation_type::terminal);
    drive(io);
    return ended;
}

TEST(system_clock, boot_time_passes_during_a_sleep)
{
    auto const time = make_system_clock();
    auto const before = time->since_boot();
    test::run(nap(*time, 2ms));
    EXPECT_GE(time->since_boot() - before, 2ms);
    EXPECT_GT(time->now(), time_ms(std::chrono::milliseconds(1'700'000'000'000)));
}

TEST(system_clock, a_cancelled_sleep_throws_operation_aborted)
{
    auto const time = make_system_clock();
    EXPECT_EQ(end_of_cancelled_nap(*time, [](asio::io_context& io) { io.run(); }), asio::error::operation_aborted);
}

TEST(virtual_clock, an_hour_of_sleep_takes_a_virtual_hour)
{
    test::virtual_clock time;
    auto const before = time.now();
    test::run(time, nap(time, 1h));
    EXPECT_EQ(time.now() - before, 1h);
    EXPECT_EQ(time.since_boot(), 1h);
    ASSERT_EQ(time.waits().size(), 1u);
    EXPECT_EQ(time.waits().front(), 1h);
}

TEST(virtual_clock, a_cancelled_sleep_throws_operation_aborted_and_leaves_no_sleeper)
{
    test::virtual_clock time;
    EXPECT_EQ(end_of_cancelled_nap(time, [](asio::io_context& io) { io.run(); }), asio::error::operation_aborted);
    EXPECT_FALSE(time.wake_next());
}

TEST(virtual_clock, sleepers_wake_in_the_order_of_their_times)
{
    test::virtual_clock time;
    asio::io_context io(1);
    std::string order;
    auto const sleeper = [&](char name, std::chrono::seconds length) -> asio::awaitable<void> {
        co_await time.sleep_for(length);
        order += name;
    };
    asio::co_spawn(io, sleeper('c', 3s), asio::detached);
    asio::co_spawn(io, sleeper('a', 1s), asio::detached);
    asio::co_spawn(io, sleeper('b', 2s), asio::detached);
    test::drive(io, time);
    EXPECT_EQ(order, "abc");
}

TEST(run, work_that_nothing_will_wake_is_an_error)
{
    test::virtual_clock time;
    asio::io_context io(1);
    auto const stuck = [&]() -> asio::awaitable<int> {
        asio::steady_timer never(io, asio::steady_timer::time_point::max());
        co_await never.async_wait(asio::use_awaitable);
        co_return 1;
    };
    auto const drive_nothing = [&] { io.poll(); };
    EXPECT_THROW(test::run_with(io, stuck(), drive_nothing), std::logic_error);
}

}  // namespace
}  // namespace headwater
