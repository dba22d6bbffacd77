// world: where a benchmark runs: an executor, a clock and a store whose answers take time, virtual or real.
// In virtual time nothing but the delays takes any, so a thousand reads are exact, repeatable and done in a second.
#pragma once

#include "bench/support/delays.hpp"

#include <headwater/adapters/http.hpp>
#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace headwater::bench {

class world {
public:
    world() = default;
    world(world const&) = delete;
    world& operator=(world const&) = delete;
    virtual ~world() = default;

    /// The store, which answers as fast as it can until `set_delays`.
    virtual object_store& store() = 0;
    virtual void set_delays(std::string const& shape) = 0;
    virtual clock& time() = 0;

    /// Runs `work` to its end. What it throws arrives here.
    void run(boost::asio::awaitable<void> work)
    {
        std::exception_ptr thrown;
        boost::asio::co_spawn(io_, std::move(work), [&](std::exception_ptr what) { thrown = what; });
        drive();
        if (thrown) std::rethrow_exception(thrown);
    }

    template <class T>
    T run(boost::asio::awaitable<T> work)
    {
        std::optional<T> answer;
        auto const keep = [](boost::asio::awaitable<T> inner, std::optional<T>& out) -> boost::asio::awaitable<void> {
            out.emplace(co_await std::move(inner));
        };
        run(keep(std::move(work), answer));
        return std::move(*answer);
    }

    boost::asio::io_context& io() noexcept { return io_; }

protected:
    virtual void drive() = 0;

    boost::asio::io_context io_{1};
};

/// A memory store in virtual time.
std::unique_ptr<world> make_virtual_world(std::uint64_t seed);
/// `bench_server` at `http[s]://host:port`, over the S3 adapter, in real time.
std::unique_ptr<world> make_socket_world(std::string const& endpoint, http_options how);

/// Waits as `source` says before each call.
std::unique_ptr<object_store> make_delayed_store(object_store& next, clock& time, std::shared_ptr<delay_source> source);

}  // namespace headwater::bench
