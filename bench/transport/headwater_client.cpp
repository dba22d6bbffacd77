// The library, as a user has it.
#include "bench/support/must.hpp"
#include "bench/support/world.hpp"
#include "bench/transport/client.hpp"

#include <headwater/adapters/curl.hpp>
#include <headwater/stores.hpp>

#include <chrono>
#include <stdexcept>

namespace headwater::bench {

namespace {

using steady = std::chrono::steady_clock;
using microseconds = std::chrono::duration<double, std::micro>;

class headwater_client final : public client {
public:
    explicit headwater_client(std::unique_ptr<world> where)
        : world_(std::move(where)), store_(make_metered_store(world_->store(), counts_))
    {
    }

    std::vector<double> one_by_one(wanted_get const& what, std::size_t count) override
    {
        std::vector<double> took;
        took.reserve(count);
        world_->run(repeat(what, count, took));
        return took;
    }

    double together(std::vector<wanted_get> const& all, std::size_t in_flight) override
    {
        double took = 0;
        world_->run(all_of(all, in_flight, took));
        return took;
    }

private:
    boost::asio::awaitable<void> get(wanted_get const& what)
    {
        object_key key(what.name);
        get_options const whole;
        auto const answer = co_await store_->get(std::move(key), whole);
        if (!answer) throw failure(answer.error());
        if (answer->content.size() != what.size) throw std::runtime_error("an object has another size");
    }

    boost::asio::awaitable<void> repeat(wanted_get const& what, std::size_t count, std::vector<double>& took)
    {
        for (std::size_t i = 0; i != count; ++i) {
            auto const began = steady::now();
            co_await get(what);
            took.push_back(microseconds(steady::now() - began).count());
        }
    }

    task<void> work_off(std::vector<wanted_get> const& all, std::size_t& next)
    {
        while (next < all.size()) {
            auto const& mine = all[next++];
            co_await get(mine);
        }
        co_return result<void>();
    }

    boost::asio::awaitable<void> all_of(std::vector<wanted_get> const& all, std::size_t in_flight, double& took)
    {
        auto const began = steady::now();
        std::size_t next = 0;
        std::vector<task<void>> workers;
        for (std::size_t i = 0; i != std::min(in_flight, all.size()); ++i) workers.push_back(work_off(all, next));
        auto const done = co_await at_once(std::move(workers));
        took = microseconds(steady::now() - began).count();
    }

    std::unique_ptr<world> world_;
    meter counts_;
    std::unique_ptr<object_store> store_;
};

}  // namespace

std::unique_ptr<client> make_headwater_client(target const& to)
{
    http_options native;
    native.ca_file = to.ca_file;
    return std::make_unique<headwater_client>(make_socket_world(to.endpoint(), native));
}

std::unique_ptr<client> make_headwater_over_curl_client(target const& to)
{
    http_options over_curl;
    over_curl.ca_file = to.ca_file;
    over_curl.transport = curl_transport({});
    return std::make_unique<headwater_client>(make_socket_world(to.endpoint(), over_curl));
}

}  // namespace headwater::bench
