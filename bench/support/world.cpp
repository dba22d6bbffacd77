// The two worlds.
#include "bench/support/world.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/adapters/s3.hpp>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <map>
#include <stdexcept>

namespace headwater::bench {

namespace {

namespace asio = boost::asio;
using std::chrono::nanoseconds;

delay_shape shape_or_throw(std::string const& text)
{
    auto const shape = parse_delays(text);
    if (!shape) throw std::invalid_argument("no such delays: " + text);
    return *shape;
}

// Time that passes only when nothing else can happen.
class virtual_clock final : public clock {
public:
    time_ms now() const override { return time_ms(epoch + std::chrono::floor<std::chrono::milliseconds>(elapsed_)); }
    nanoseconds since_boot() const override { return elapsed_; }

    asio::awaitable<void> sleep_for(nanoseconds length) override
    {
        auto const executor = co_await asio::this_coro::executor;
        sleeper mine(*this, elapsed_ + length, executor);
        boost::system::error_code ended;
        co_await mine.wake.async_wait(asio::redirect_error(asio::use_awaitable, ended));
        if (!mine.due) throw boost::system::system_error(ended);
    }

    bool wake_next()
    {
        for (auto& [when, one] : sleepers_) {
            if (one->due) continue;
            elapsed_ = when;
            one->due = true;
            one->wake.cancel();
            return true;
        }
        return false;
    }

private:
    struct sleeper {
        sleeper(virtual_clock& home, nanoseconds when, asio::any_io_executor const& executor)
            : wake(executor, asio::steady_timer::time_point::max()), clock(home), at(home.sleepers_.emplace(when, this))
        {
        }
        sleeper(sleeper const&) = delete;
        sleeper& operator=(sleeper const&) = delete;
        ~sleeper() { clock.sleepers_.erase(at); }

        asio::steady_timer wake;
        virtual_clock& clock;
        std::multimap<nanoseconds, sleeper*>::iterator at;
        bool due = false;
    };

    static constexpr std::chrono::milliseconds epoch{1'757'900'000'000};
    nanoseconds elapsed_{0};
    std::multimap<nanoseconds, sleeper*> sleepers_;
};

class virtual_world final : public world {
public:
    explicit virtual_world(std::uint64_t seed)
        : seed_(seed),
          delays_(std::make_shared<delay_source>(delay_shape(), seed)),
          memory_(make_memory_store(time_)),
          delayed_(make_delayed_store(*memory_, time_, delays_))
    {
    }

    object_store& store() override { return *delayed_; }
    void set_delays(std::string const& shape) override { *delays_ = delay_source(shape_or_throw(shape), seed_); }
    clock& time() override { return time_; }

private:
    void drive() override
    {
        do {
            io_.restart();
            while (io_.poll() != 0) {}
        } while (time_.wake_next());
    }

    std::uint64_t seed_;
    virtual_clock time_;
    std::shared_ptr<delay_source> delays_;
    std::unique_ptr<object_store> memory_;
    std::unique_ptr<object_store> delayed_;
};

class socket_world final : public world {
public:
    socket_world(std::string const& endpoint, http_options how)
    {
        s3_options where;
        where.bucket = "bench";
        where.endpoint = endpoint;
        where.addressing = s3_addressing::path;
        where.http = std::move(how);
        aws_credentials const anybody{"bench", "bench-secret", ""};
        auto made = make_s3_store(io_.get_executor(), *time_, where, anybody);
        if (!made) throw failure(made.error());
        store_ = std::move(*made);
    }

    object_store& store() override { return *store_; }

    // The server takes its delays from an object.
    void set_delays(std::string const& shape) override
    {
        (void)shape_or_throw(shape);
        object_key const control("_delays");
        auto const done = run(store_->put(control, bytes(shape)));
        if (!done) throw failure(done.error());
    }

    clock& time() override { return *time_; }

private:
    void drive() override
    {
        io_.restart();
        io_.run();
    }

    std::unique_ptr<clock> time_ = make_system_clock();
    std::unique_ptr<object_store> store_;
};

}  // namespace

std::unique_ptr<world> make_virtual_world(std::uint64_t seed) { return std::make_unique<virtual_world>(seed); }

std::unique_ptr<world> make_socket_world(std::string const& endpoint, http_options how)
{
    return std::make_unique<socket_world>(endpoint, std::move(how));
}

}  // namespace headwater::bench
