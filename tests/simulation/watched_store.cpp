// The store and the line to it.
#include "tests/simulation/watched_store.hpp"

#include <headwater/random.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <string>
#include <utility>

namespace headwater::simulation {

namespace {

using std::chrono::milliseconds;

class watched_store final : public object_store {
public:
    watched_store(object_store& next, world& all) : next_(next), all_(all) {}

    task<object> get(object_key key, get_options options) override { return next_.get(std::move(key), options); }
    task<object_meta> head(object_key key) override { return next_.head(std::move(key)); }
    task<list_page> list(std::string prefix, list_options options) override
    {
        return next_.list(std::move(prefix), options);
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        auto answer = co_await next_.put(key, content);
        if (answer) wrote("put", key, content);
        co_return answer;
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        if (all_.store_lies) {
            auto const replaced = co_await next_.put(key, content);
            (void)replaced;
            wrote("create", key, content);
            create_answer told;
            told.created = true;
            co_return told;
        }
        auto answer = co_await next_.put_if_absent(key, content);
        if (answer && answer->created) wrote("create", key, content);
        co_return answer;
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        auto answer = co_await next_.put_if_match(key, content, std::move(expected));
        if (answer) wrote("update", key, content);
        co_return answer;
    }

    task<remove_answer> remove(object_key key) override
    {
        auto answer = co_await next_.remove(key);
        if (answer) {
            all_.tell("store", "remove " + key.text());
            all_.judged([&](oracle& judge) { judge.removed(key.text()); });
        }
        co_return answer;
    }

    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    void wrote(char const* how, object_key const& key, bytes const& content)
    {
        all_.tell("store", std::string(how) + ' ' + key.text());
        all_.judged([&](oracle& judge) { judge.wrote(key.text(), content); });
    }

    object_store& next_;
    world& all_;
};

class rough_store final : public object_store {
public:
    rough_store(object_store& next, world& all, roughness how, std::uint64_t seed)
        : next_(next), all_(all), how_(how), draw_(make_seeded_random(seed))
    {
    }

    task<object> get(object_key key, get_options options) override
    {
        co_await go();
        auto answer = co_await next_.get(std::move(key), options);
        co_await come();
        co_return answer;
    }
    task<object_meta> head(object_key key) override
    {
        co_await go();
        auto answer = co_await next_.head(std::move(key));
        co_await come();
        co_return answer;
    }
    task<list_page> list(std::string prefix, list_options options) override
    {
        co_await go();
        auto answer = co_await next_.list(std::move(prefix), options);
        co_await come();
        co_return answer;
    }
    task<put_answer> put(object_key key, bytes content) override
    {
        co_await go();
        auto answer = co_await next_.put(key, content);
        auto again = [&next = next_, key, content] { return next.put(key, content); };
        co_await repeat(std::move(again));
        co_await come();
        co_return answer;
    }
    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        co_await go();
        auto answer = co_await next_.put_if_absent(key, content);
        auto again = [&next = next_, key, content] { return next.put_if_absent(key, content); };
        co_await repeat(std::move(again));
        co_await come();
        co_return answer;
    }
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        co_await go();
        auto answer = co_await next_.put_if_match(key, content, expected);
        auto again = [&next = next_, key, content, expected] { return next.put_if_match(key, content, expected); };
        co_await repeat(std::move(again));
        co_await come();
        co_return answer;
    }
    task<remove_answer> remove(object_key key) override
    {
        co_await go();
        auto answer = co_await next_.remove(std::move(key));
        co_await come();
        co_return answer;
    }

    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    static constexpr std::uint64_t longest_stop_ms = 3 * 60 * 60 * 1'000;

    bool happens(std::uint64_t per_mille) { return draw_->next() % 1'000 < per_mille; }

    boost::asio::awaitable<void> go()
    {
        milliseconds const wait(1 + draw_->next() % (happens(how_.stops) ? longest_stop_ms : 40));
        co_await all_.time.sleep_for(wait);
    }
    boost::asio::awaitable<void> come()
    {
        milliseconds const wait(1 + draw_->next() % 40);
        co_await all_.time.sleep_for(wait);
    }

    template <class Again>
    static boost::asio::awaitable<void> arrive(world& all, milliseconds after, Again again)
    {
        co_await all.time.sleep_for(after);
        auto const ignored = co_await again();
        (void)ignored;
    }

    template <class Again>
    boost::asio::awaitable<void> repeat(Again again)
    {
        if (!happens(how_.repeats)) co_return;
        milliseconds const after(draw_->next() % (draw_->next() % 2 == 0 ? 1'000 : longest_stop_ms));
        auto const executor = co_await boost::asio::this_coro::executor;
        auto late = arrive(all_, after, std::move(again));
        boost::asio::co_spawn(executor, std::move(late), boost::asio::detached);
    }

    object_store& next_;
    world& all_;
    roughness how_;
    std::unique_ptr<headwater::random> draw_;
};

}  // namespace

std::unique_ptr<object_store> make_watched_store(object_store& next, world& all)
{
    return std::make_unique<watched_store>(next, all);
}

std::unique_ptr<object_store> make_rough_store(object_store& next, world& all, roughness how, std::uint64_t seed)
{
    return std::make_unique<rough_store>(next, all, how, seed);
}

}  // namespace headwater::simulation
