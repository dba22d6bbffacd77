// The machine's clock: the one home of wall clocks, boot clocks and timers. All else takes a clock& (clock.hpp).
#include <headwater/clock.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <ctime>
#include <system_error>

namespace headwater {

namespace {

class system_clock final : public clock {
public:
    time_ms now() const override
    {
        return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    }

    // CLOCK_BOOTTIME and not steady_clock: a laptop that slept for an hour must see that its metadata are old.
    std::chrono::nanoseconds since_boot() const override
    {
        timespec at{};
        if (::clock_gettime(CLOCK_BOOTTIME, &at) != 0) {
            throw std::system_error(errno, std::generic_category(), "clock_gettime(CLOCK_BOOTTIME)");
        }
        return std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec);
    }

    boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds length) override
    {
        auto const executor = co_await boost::asio::this_coro::executor;
        boost::asio::steady_timer timer(executor, length);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
};

}  // namespace

std::unique_ptr<clock> make_system_clock() { return std::make_unique<system_clock>(); }

}  // namespace headwater
