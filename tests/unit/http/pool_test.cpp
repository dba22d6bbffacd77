// Many requests at once: the pool's bounds, its line, and what happens when all its connections go.
#include "tests/servers/script_server.hpp"
#include "tests/unit/http/client.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <thread>

namespace headwater::http {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::answer;
using test::peer;
using test::script_server;

http_options with_connections(std::size_t count)
{
    http_options out;
    out.max_connections = count;
    return out;
}

}  // namespace

TEST(pool, many_requests_share_few_connections)
{
    script_server server(answer_ok);
    client c(server.port(), with_connections(32));
    for (int round = 0; round < 3; ++round) {
        for (auto const& answered : c.send_all(std::vector<request>(256, get_request()))) expect_body(answered, "ok");
    }
    EXPECT_EQ(server.requests(), 3 * 256);
    EXPECT_LE(server.accepted(), 32);
}

TEST(pool, the_line_is_bounded)
{
    script_server server(answer_ok);
    auto options = with_connections(1);
    options.max_waiters = 2;
    client c(server.port(), options);
    auto const all = c.send_all(std::vector<request>(5, get_request()));
    for (std::size_t i = 0; i < 3; ++i) expect_body(all[i], "ok");
    for (std::size_t i = 3; i < 5; ++i) expect_broken(all[i], broken::nothing_sent, errc::unavailable, "max_waiters");
}

TEST(pool, waiting_in_line_ends_at_its_deadline)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        auto const reply = answer("late");
        co_await p.request();
        co_await p.pause(300ms);
        co_await p.send(reply);
    });
    auto options = with_connections(1);
    options.acquire_timeout = 30ms;
    client c(server.port(), options);
    auto const all = c.send_all(std::vector<request>(3, get_request()));
    expect_body(all[0], "late");
    for (std::size_t i = 1; i < 3; ++i) {
        expect_broken(all[i], broken::nothing_sent, errc::unavailable, "acquire_timeout");
    }
}

TEST(pool, a_connection_that_breaks_frees_its_place_in_line)
{
    script_server server([](peer& p) -> asio::awaitable<void> { co_await p.request(); });
    client c(server.port(), with_connections(1));
    for (auto const& answered : c.send_all(std::vector<request>(4, get_request()))) {
        expect_broken(answered, broken::ambiguous, errc::unavailable, "closed");
    }
    EXPECT_EQ(server.accepted(), 4);
}

TEST(pool, a_cancelled_waiter_leaves_the_line)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        auto const reply = answer("ok");
        for (;;) {
            auto const asked = co_await p.request();
            if (asked.empty()) co_return;
            co_await p.pause(30ms);
            co_await p.send(reply);
        }
    });
    client c(server.port(), with_connections(1));
    auto const what = get_request();
    asio::cancellation_signal cancel;
    std::string ended;
    auto note = [&ended](char mark) {
        return [&ended, mark](std::exception_ptr thrown, exchange_result) { ended += thrown ? 'x' : mark; };
    };
    asio::co_spawn(c.io, c.to->send(what), note('1'));
    asio::co_spawn(c.io, c.to->send(what), asio::bind_cancellation_slot(cancel.slot(), note('2')));
    asio::co_spawn(c.io, c.to->send(what), note('3'));
    while (server.requests() < 1) c.io.run_for(1ms);
    cancel.emit(asio::cancellation_type::terminal);
    c.io.run();
    EXPECT_EQ(ended, "x13");
    EXPECT_EQ(server.accepted(), 1);
}

TEST(pool, fifty_stale_connections_cost_one_new_one)
{
    constexpr int count = 50;
    std::atomic<int> asked = 0;
    script_server server([&asked](peer& p) -> asio::awaitable<void> {
        auto const reply = answer("ok");
        co_await p.request();
        ++asked;
        while (asked < count) co_await p.pause(1ms);
        co_await p.send(reply);  // And closes.
    });
    client c(server.port(), with_connections(64));
    for (auto const& answered : c.send_all(std::vector<request>(count, get_request()))) expect_body(answered, "ok");
    ASSERT_EQ(server.accepted(), count);
    while (server.open() != 0) std::this_thread::yield();
    let_it_idle();
    expect_body(c.send(get_request()), "ok");
    EXPECT_EQ(server.accepted(), count + 1);
    while (server.open() != 0) std::this_thread::yield();
    let_it_idle();
    for (auto const& answered : c.send_all(std::vector<request>(64, get_request()))) expect_body(answered, "ok");
    EXPECT_EQ(server.accepted(), count + 1 + 64);  // The places of the stale ones are free again.
}

TEST(pool, is_purged_once_for_connections_that_went_out_before)
{
    asio::io_context io{1};
    auto const home = std::make_shared<pool>(io.get_executor(), 8, 8);
    auto const now = 1'000s;
    std::vector<lease> out;
    for (int i = 0; i < 3; ++i) {
        out.push_back(home->take(now));
        out.back().fill(std::make_unique<connection>(io.get_executor(), nullptr));
    }
    out[2].keep(now, 4s);
    home->purge(out[0]);
    EXPECT_EQ(home->idle(), 0u);
    auto fresh = home->take(now);
    fresh.fill(std::make_unique<connection>(io.get_executor(), nullptr));
    fresh.keep(now, 4s);
    home->purge(out[1]);
    EXPECT_EQ(home->idle(), 1u) << "it was opened after the others went stale";
    auto again = home->take(now);
    ASSERT_TRUE(again.get());
    home->purge(again);
    EXPECT_EQ(home->open(), 3u);
}

TEST(pool, on_a_strand_of_two_threads_all_is_well)
{
    script_server server(answer_ok);
    auto const time = make_system_clock();
    asio::io_context io{2};
    auto const strand = asio::make_strand(io);
    auto options = with_connections(8);
    options.first_byte_timeout = 5'000ms;
    auto const to = make_native_transport(strand, *time, client::at(server.port()), options);
    auto const what = get_request();
    std::atomic<int> good = 0;
    for (int i = 0; i < 200; ++i) {
        auto finish = [&good](std::exception_ptr thrown, exchange_result got) { good += !thrown && got ? 1 : 0; };
        asio::co_spawn(strand, to->send(what), asio::bind_executor(strand, finish));
    }
    std::thread other([&io] { io.run(); });
    io.run();
    other.join();
    EXPECT_EQ(good, 200);
}

}  // namespace headwater::http
