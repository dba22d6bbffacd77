// The transport against a server that misbehaves on purpose. Each script says what the server does to a connection.
#include "adapters/http/addresses.hpp"
#include "tests/servers/script_server.hpp"
#include "tests/unit/http/client.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <iterator>

namespace headwater::http {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::answer;
using test::peer;
using test::script_server;

// Answers every request with its target.
asio::awaitable<void> echo_target(peer& p)
{
    for (;;) {
        auto const asked = co_await p.request();
        if (asked.empty()) co_return;
        auto const from = asked.find(' ') + 1;
        auto const reply = answer(asked.substr(from, asked.find(' ', from) - from));
        co_await p.send(reply);
    }
}

// Answers each connection's first request with these bytes, and then closes.
test::script sends(std::string wire)
{
    return [wire](peer& p) -> asio::awaitable<void> {
        co_await p.request();
        co_await p.send(wire);
    };
}

// Reads requests and never answers.
asio::awaitable<void> say_nothing(peer& p)
{
    for (;;) {
        auto const asked = co_await p.request();
        if (asked.empty()) co_return;
    }
}

// Lets the other thread act: a test's patience, not its verdict.
template <class Condition>
void wait_until(Condition holds)
{
    asio::io_context io;
    asio::steady_timer timer(io);
    for (int i = 0; i < 5000 && !holds(); ++i) {
        timer.expires_after(1ms);
        timer.wait();
    }
    ASSERT_TRUE(holds());
}

http_options options_with(std::chrono::milliseconds http_options::*which, std::chrono::milliseconds value)
{
    http_options out;
    out.*which = value;
    return out;
}

// Time stands still and nobody ever wakes: whoever sleeps must be woken by cancellation.
class stopped_clock final : public clock {
public:
    time_ms now() const override { return {}; }
    std::chrono::nanoseconds since_boot() const override { return 1s; }
    asio::awaitable<void> sleep_for(std::chrono::nanoseconds) override
    {
        auto const executor = co_await asio::this_coro::executor;
        asio::steady_timer timer(executor, 1h);
        co_await timer.async_wait(asio::use_awaitable);
    }
};

}  // namespace

TEST(transport, requests_in_turn_share_one_connection)
{
    script_server server(echo_target);
    client c(server.port());
    for (auto const* target : {"/a", "/b?c=d", "/%20"}) expect_body(c.send(get_request(target)), target);
    EXPECT_EQ(server.accepted(), 1);
}

TEST(transport, a_request_arrives_byte_for_byte)
{
    std::string got;
    script_server server([&got](peer& p) -> asio::awaitable<void> {
        got = co_await p.request();
        auto const reply = answer("", "ETag: \"1\"\r\n");
        co_await p.send(reply);
    });
    client c(server.port());
    auto what = put_request("body");
    what.fields = {{"If-None-Match", "*"}};
    auto const answered = c.send(what);
    ASSERT_TRUE(answered);
    EXPECT_EQ(answered->find("etag"), "\"1\"");
    EXPECT_EQ(got, "PUT /object HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port())
                       + "\r\nIf-None-Match: *\r\nContent-Length: 4\r\n\r\nbody");
}

TEST(transport, large_bodies_go_both_ways_whole)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        auto const asked = co_await p.request();
        auto const reply = answer(std::string_view(asked).substr(asked.find("\r\n\r\n") + 4));
        co_await p.send(reply);
    });
    client c(server.port());
    std::string large(5 << 20, ' ');
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i * 31 % 26);
    auto what = put_request(large);
    what.max_body = large.size();
    auto const answered = c.send(what);
    ASSERT_TRUE(answered) << answered.error().why.message();
    EXPECT_TRUE(answered->body == large);
}

TEST(transport, a_slow_answer_in_small_pieces_is_whole)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        co_await p.request();
        auto const wire = "HTTP/1.1 100 Continue\r\n\r\n" + answer("hello");
        for (char const byte : wire) {
            std::string const piece(1, byte);
            co_await p.send(piece);
            co_await p.pause(1ms);
        }
    });
    client c(server.port());
    expect_body(c.send(get_request()), "hello");
}

TEST(transport, chunked_answers_keep_the_connection)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        std::string const wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        co_await test::answer_each(p, wire);
    });
    client c(server.port());
    expect_body(c.send(get_request()), "abc");
    expect_body(c.send(get_request()), "abc");
    EXPECT_EQ(server.accepted(), 1);
}

TEST(transport, answers_that_are_errors_keep_the_connection)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        auto const wire = answer("gone", {}, "404 Not Found");
        co_await test::answer_each(p, wire);
    });
    client c(server.port());
    for (int i = 0; i < 3; ++i) {
        auto const answered = c.send(get_request());
        ASSERT_TRUE(answered);
        EXPECT_EQ(answered->status, 404);
    }
    EXPECT_EQ(server.accepted(), 1);
}

TEST(transport, a_head_has_no_body_and_keeps_the_connection)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        std::string const wire = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
        co_await test::answer_each(p, wire);
    });
    client c(server.port());
    auto head = get_request("/", 0);
    head.method = "HEAD";
    for (int i = 0; i < 2; ++i) {
        auto const answered = c.send(head);
        ASSERT_TRUE(answered);
        EXPECT_EQ(answered->find("content-length"), "1000");
    }
    EXPECT_EQ(server.accepted(), 1);
}

TEST(transport, a_cut_body_is_never_data)
{
    for (auto const* wire :
         {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 200 OK\r\nContent-Le"}) {
        script_server server(sends(wire));
        client c(server.port());
        expect_broken(c.send(get_request()), broken::ambiguous, errc::unavailable, "inside an answer");
    }
}

TEST(transport, more_bytes_than_promised_cost_the_connection)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        auto const wire = answer("hello") + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        co_await test::answer_each(p, wire);
    });
    client c(server.port());
    expect_body(c.send(get_request()), "hello");
    expect_body(c.send(get_request()), "hello");
    EXPECT_EQ(server.accepted(), 2);
}

TEST(transport, garbage_is_a_protocol_error)
{
    script_server server(sends("+OK POP3 ready\r\n"));
    client c(server.port());
    expect_broken(c.send(get_request()), broken::ambiguous, errc::protocol, "not HTTP");
}

TEST(transport, a_body_over_the_limit_is_refused_before_it_is_read)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        co_await p.request();
        std::string const wire = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";
        co_await p.send(wire);
        co_await p.request();
    });
    client c(server.port());
    expect_broken(c.send(get_request("/", 1000)), broken::refused, errc::limit_exceeded, "max_body");
}

TEST(transport, a_header_over_the_limit_says_nothing_of_the_body)
{
    script_server server(sends("HTTP/1.1 200 OK\r\na: " + std::string(100'000, 'x')));
    client c(server.port());
    expect_broken(c.send(get_request()), broken::ambiguous, errc::protocol, "max_header_bytes");
}

TEST(transport, a_chunk_header_without_end_is_refused)
{
    script_server server(sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100'000, 'x')));
    client c(server.port());
    expect_broken(c.send(get_request()), broken::ambiguous, errc::protocol, "max_header_bytes");
}

TEST(transport, an_invalid_request_is_refused_without_a_connection)
{
    script_server server(echo_target);
    client c(server.port());
    expect_broken(c.send(get_request("no slash")), broken::refused, errc::invalid_argument, "target");
    EXPECT_EQ(server.accepted(), 0);
}

TEST(transport, a_close_before_the_first_answer_is_ambiguous)
{
    script_server server([](peer& p) -> asio::awaitable<void> { co_await p.request(); });
    client c(server.port());
    expect_broken(c.send(put_request("x")), broken::ambiguous, errc::unavailable, "closed");
}

TEST(transport, a_close_or_reset_of_a_reused_connection_before_the_answer_is_stale)
{
    for (bool const reset : {false, true}) {
        script_server server([&reset](peer& p) -> asio::awaitable<void> {
            auto const reply = answer("ok");
            co_await p.request();
            co_await p.send(reply);
            co_await p.request();
            if (reset) p.reset();
        });
        client c(server.port());
        expect_body(c.send(get_request()), "ok");
        expect_broken(c.send(put_request("x")), broken::stale, errc::unavailable, reset ? "reset" : "closed");
        EXPECT_EQ(server.requests(), 2);
        EXPECT_EQ(server.accepted(), 1);
    }
}

TEST(transport, a_cut_inside_the_answer_is_ambiguous_also_when_reused)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        auto const reply = answer("ok");
        std::string const half = "HTTP/1.1 20";
        co_await p.request();
        co_await p.send(reply);
        co_await p.request();
        co_await p.send(half);
    });
    client c(server.port());
    expect_body(c.send(get_request()), "ok");
    expect_broken(c.send(get_request()), broken::ambiguous, errc::unavailable, "inside an answer");
}

TEST(transport, a_kept_connection_that_was_closed_meanwhile_is_replaced)
{
    script_server server(sends(answer("ok")));
    client c(server.port());
    for (int i = 1; i <= 3; ++i) {
        expect_body(c.send(get_request()), "ok");
        EXPECT_EQ(server.accepted(), i);
        wait_until([&] { return server.open() == 0; });
        let_it_idle();
    }
}

TEST(transport, a_write_looks_at_its_connection_however_fresh_it_is)
{
    script_server server(sends(answer("ok")));
    client c(server.port());
    for (int i = 1; i <= 20; ++i) {
        expect_body(c.send(put_request("x")), "ok");
        EXPECT_EQ(server.accepted(), i);
        wait_until([&] { return server.open() == 0; });
    }
}

TEST(transport, sockets_do_not_outlive_the_process_in_its_children)
{
    script_server server(echo_target);
    client c(server.port());
    expect_body(c.send(get_request("/a")), "/a");
    int sockets = 0;
    for (int descriptor = 3; descriptor < 256; ++descriptor) {
        struct stat about {};
        sockaddr_in peer{};
        socklen_t length = sizeof peer;
        if (::fstat(descriptor, &about) != 0 || !S_ISSOCK(about.st_mode)) continue;
        if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0) continue;
        if (ntohs(peer.sin_port) != server.port()) continue;
        ++sockets;
        EXPECT_TRUE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    }
    EXPECT_EQ(sockets, 1);
}

TEST(transport, a_server_that_announces_the_close_is_not_asked_again)
{
    for (auto const* line : {"Connection: close\r\n", "Keep-Alive: timeout=1\r\n"}) {
        script_server server([line](peer& p) -> asio::awaitable<void> {
            auto const reply = answer("ok", line);
            co_await test::answer_each(p, reply);
        });
        client c(server.port());
        expect_body(c.send(get_request()), "ok");
        expect_body(c.send(get_request()), "ok");
        EXPECT_EQ(server.accepted(), 2) << line;
    }
}

TEST(transport, a_connection_idle_for_too_long_is_not_used_again)
{
    script_server server(echo_target);
    client c(server.port(), options_with(&http_options::keep_idle, 20ms));
    expect_body(c.send(get_request("/a")), "/a");
    auto const begin = c.time->since_boot();
    wait_until([&] { return c.time->since_boot() - begin > 20ms; });
    expect_body(c.send(get_request("/b")), "/b");
    EXPECT_EQ(server.accepted(), 2);
}

TEST(transport, an_early_refusal_or_redirect_of_a_large_body_is_read)
{
    for (int const status : {307, 413}) {
        script_server server([status](peer& p) -> asio::awaitable<void> {
            auto const reply = answer("not here", "Connection: close\r\n", std::to_string(status) + " No");
            co_await p.send(reply);
            co_await p.pause(20ms);
        });
        client c(server.port());
        auto const answered = c.send(put_request(std::string(20 << 20, 'x')));
        if (answered) {
            EXPECT_EQ(answered->status, status);
        } else {  // The reset may overtake the answer.
            EXPECT_EQ(answered.error().how, broken::ambiguous);
            EXPECT_NE(answered.error().why, errc::protocol) << status;
        }
    }
}

TEST(transport, a_refused_connect_sent_nothing)
{
    asio::io_context io;
    asio::ip::tcp::acceptor unused(io, {asio::ip::address_v4::loopback(), 0});
    auto const port = unused.local_endpoint().port();
    unused.close();
    client c(port);
    expect_broken(c.send(put_request("x")), broken::nothing_sent, errc::unavailable, "refused");
}

// A machine without a name server cannot tell that there is no such host: then it takes a few tries.
TEST(transport, an_unknown_host_is_a_setting)
{
    auto where = client::at(80);
    where.host = "no-such-host.invalid";
    client c(where);
    for (int i = 1; i < max_unsure_answers; ++i) c.send(get_request());
    expect_broken(c.send(get_request()), broken::nothing_sent, errc::configuration, "cannot be resolved");
}

TEST(transport, a_thread_is_begun_for_the_first_name_and_none_for_an_address)
{
    auto const threads = [] {
        std::filesystem::directory_iterator const all("/proc/self/task");
        return std::distance(begin(all), end(all));
    };
    script_server server(echo_target);
    auto where = client::at(server.port());
    client c(where);
    auto const before = threads();
    expect_body(c.send(get_request("/a")), "/a");
    EXPECT_EQ(threads(), before);
    where.host = "localhost";
    for (int i = 0; i < 2; ++i) {
        auto const named = make_native_transport(c.io.get_executor(), *c.time, where, {});
        expect_body(test::run(c.io, named->send(get_request("/b"))), "/b");
        EXPECT_EQ(threads(), before + 1);
    }
}

TEST(transport, a_name_is_resolved_and_connect_to_overrides_it)
{
    script_server server(echo_target);
    auto where = client::at(server.port());
    where.host = "localhost";
    client by_name(where);
    expect_body(by_name.send(get_request("/a")), "/a");
    where.host = "bucket.store.invalid";
    where.connect_to = "localhost";
    client redirected(where);
    auto const both = redirected.send_all({get_request("/b"), get_request("/c")});
    expect_body(both[0], "/b");
    expect_body(both[1], "/c");
}

TEST(transport, each_deadline_is_named)
{
    struct {
        std::chrono::milliseconds http_options::*which;
        test::script script;
        broken how;
        char const* named;
    } const rows[] = {
        {&http_options::first_byte_timeout, say_nothing, broken::ambiguous, "first_byte_timeout"},
        {&http_options::idle_timeout,
         [](peer& p) -> asio::awaitable<void> {
             std::string const half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
             co_await p.request();
             co_await p.send(half);
             co_await p.request();
         },
         broken::ambiguous, "idle_timeout"},
        {&http_options::total_timeout,
         [](peer& p) -> asio::awaitable<void> {
             std::string piece = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
             co_await p.request();
             for (int i = 0; i < 1000; ++i) {
                 co_await p.send(piece);
                 co_await p.pause(5ms);
                 piece = "x";
             }
         },
         broken::ambiguous, "total_timeout"},
    };
    for (auto const& row : rows) {
        SCOPED_TRACE(row.named);
        script_server server(row.script);
        client c(server.port(), options_with(row.which, 60ms));
        auto what = get_request("/o?sig=hush");
        what.fields = {{"authorization", "hush"}};
        auto const answered = c.send(what);
        expect_broken(answered, row.how, errc::unavailable, row.named);
        EXPECT_EQ(answered.error().why.message().find("hush"), std::string::npos);
    }
}

TEST(transport, a_connect_without_answer_ends_at_its_deadline)
{
    // A few connections fill a queue of none; the kernel then leaves the next ones unanswered.
    asio::io_context io;
    asio::ip::tcp::acceptor full(io, asio::ip::tcp::v4());
    full.bind({asio::ip::address_v4::loopback(), 0});
    full.listen(0);
    std::vector<asio::ip::tcp::socket> fill;
    for (int i = 0; i < 4; ++i) {
        fill.emplace_back(io, asio::ip::tcp::v4());
        fill.back().async_connect(full.local_endpoint(), [](error_code) {});
    }
    client c(full.local_endpoint().port(), options_with(&http_options::connect_timeout, 60ms));
    expect_broken(c.send(put_request("x")), broken::nothing_sent, errc::unavailable, "connect_timeout");
}

TEST(transport, the_answer_of_a_finished_request_leaves_nothing_running)
{
    script_server server(echo_target);
    client c(std::make_unique<stopped_clock>(), client::at(server.port()));
    expect_body(c.send(get_request("/a")), "/a");  // Would hang if the sweep slept on.
    expect_body(c.send(get_request("/b")), "/b");
}

TEST(transport, goes_with_its_context_in_the_middle_of_requests)
{
    script_server server(say_nothing);
    http_options few;
    few.max_connections = 2;
    auto c = std::make_unique<client>(server.port(), few);
    auto const what = get_request();
    for (int i = 0; i < 5; ++i) asio::co_spawn(c->io, c->to->send(what), [](std::exception_ptr, exchange_result) {});
    while (server.requests() < 2) c->io.run_for(1ms);
    c.reset();  // The leak checker has the verdict.
}

TEST(transport, destroyed_while_requests_wait_cancels_those_in_line)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        auto const reply = answer("ok");
        co_await p.request();
        co_await p.pause(50ms);
        co_await p.send(reply);
    });
    http_options one;
    one.max_connections = 1;
    client c(server.port(), one);
    auto const what = get_request();
    int answered = 0;
    int cancelled = 0;
    for (int i = 0; i < 3; ++i) {
        asio::co_spawn(c.io, c.to->send(what),
                       [&](std::exception_ptr thrown, exchange_result) { ++(thrown ? cancelled : answered); });
    }
    while (server.requests() < 1) c.io.run_for(1ms);
    c.to.reset();
    c.io.run();
    EXPECT_EQ(answered, 1);
    EXPECT_EQ(cancelled, 2);
}

TEST(transport, cancelled_inside_a_body_throws_and_leaves_the_pool_usable)
{
    std::atomic<bool> half_sent = false;
    script_server server([&half_sent](peer& p) -> asio::awaitable<void> {
        std::string const half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
        auto const whole = answer("whole");
        co_await p.request();
        co_await p.send(p.number() == 0 ? half : whole);
        half_sent = true;
        co_await p.request();
    });
    http_options one;
    one.max_connections = 1;
    client c(server.port(), one);
    auto const what = get_request();
    asio::cancellation_signal cancel;
    std::exception_ptr thrown;
    auto finish = [&thrown](std::exception_ptr how, exchange_result) { thrown = how; };
    asio::co_spawn(c.io, c.to->send(what), asio::bind_cancellation_slot(cancel.slot(), finish));
    while (!half_sent) c.io.run_for(1ms);
    c.io.run_for(5ms);
    cancel.emit(asio::cancellation_type::terminal);
    c.io.run();
    try {
        ASSERT_TRUE(thrown);
        std::rethrow_exception(thrown);
    } catch (boost::system::system_error const& how) {
        EXPECT_EQ(how.code(), asio::error::operation_aborted);
    }
    expect_body(c.send(what), "whole");
    EXPECT_EQ(server.accepted(), 2);
}

TEST(transport, cancelled_at_any_step_leaves_the_pool_usable)
{
    script_server server(echo_target);
    http_options one;
    one.max_connections = 1;
    auto where = client::at(server.port());
    where.host = "localhost";
    auto const what = get_request("/x");
    for (int steps = 0; steps < 25; ++steps) {
        client c(where, one);
        asio::cancellation_signal cancel;
        bool ended = false;
        auto finish = [&ended](std::exception_ptr, exchange_result) { ended = true; };
        asio::co_spawn(c.io, c.to->send(what), asio::bind_cancellation_slot(cancel.slot(), finish));
        for (int i = 0; i < steps && !ended; ++i) c.io.run_one();
        cancel.emit(asio::cancellation_type::terminal);
        c.io.restart();
        c.io.run();
        EXPECT_TRUE(ended) << steps;
        expect_body(c.send(what), "/x");
    }
}

}  // namespace headwater::http
