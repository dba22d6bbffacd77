// Many requests at once, connections that went stale, deadlines, certificates, cancellation: on both transports.
#include "tests/faults/rig.hpp"

#include "adapters/http/cut_read.hpp"
#include "tests/servers/certificates.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace headwater::faults {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::deed;

struct connections : testing::TestWithParam<wire_kind> {};

INSTANTIATE_TEST_SUITE_P(wires, connections, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

// So many reads of the key at once, each answer in a word.
std::vector<std::string> read_at_once(rig& on, std::size_t count)
{
    std::vector<std::string> out(count);
    for (auto& word : out) {
        asio::co_spawn(on.io, on.adapter->get(key, get_options()), [&word](std::exception_ptr thrown, auto answer) {
            if (thrown) std::rethrow_exception(thrown);
            word = told(answer);
        });
    }
    on.io.restart();
    on.io.run();
    return out;
}

std::vector<std::string> words(std::size_t count, char const* word) { return std::vector<std::string>(count, word); }

// A test's patience, not its verdict: lets the server's thread act.
void pause(rig& on, std::chrono::milliseconds length) { asio::steady_timer(on.io, length).wait(); }

// Until the server has closed every connection, and a little longer: until the client can see it.
void wait_for_closing(rig& on)
{
    for (int i = 0; i < 5'000 && on.server.wire().open() != 0; ++i) pause(on, 1ms);
    ASSERT_EQ(on.server.wire().open(), 0);
    pause(on, 10ms);
}

http_options with_connections(std::size_t count)
{
    http_options out;
    out.max_connections = count;
    return out;
}

// `count` answers that all wait for the last request: each has a connection of its own.
std::vector<deed> at_once(std::size_t count, deed what)
{
    what.gathers = static_cast<int>(count);
    return std::vector<deed>(count, std::move(what));
}

// Until its end this process can open so many files, and not one more.
class no_more_files {
public:
    explicit no_more_files(rlim_t but)
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        auto now = before_;
        int const free = ::dup(0);
        ::close(free);
        now.rlim_cur = static_cast<rlim_t>(free) + but;
        ::setrlimit(RLIMIT_NOFILE, &now);
    }
    no_more_files(no_more_files const&) = delete;
    no_more_files& operator=(no_more_files const&) = delete;
    ~no_more_files() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

std::string message(result<object> const& answer) { return answer ? std::string() : answer.error().message(); }

}  // namespace

TEST_P(connections, many_requests_share_few)
{
    rig on(GetParam(), "", with_connections(32));
    on.server.put("key", std::string(1'000, 'x'));
    for (int round = 0; round < 3; ++round) EXPECT_EQ(read_at_once(on, 256), words(256, "ok"));
    EXPECT_EQ(on.server.wire().requests(), 3 * 256);
    EXPECT_LE(on.server.wire().accepted(), 32);
}

TEST_P(connections, that_went_stale_cost_nobody_an_error)
{
    constexpr std::size_t count = 50;
    rig on(GetParam(), "", with_connections(64));
    on.server.put("key", "content");
    on.server.next(at_once(count, test::close_afterwards()));
    ASSERT_EQ(read_at_once(on, count), words(count, "ok"));
    ASSERT_EQ(on.server.wire().most(), static_cast<int>(count));
    wait_for_closing(on);
    EXPECT_EQ(told(on.run(on.adapter->put_if_absent(object_key("new"), bytes("x")))), "created");
    EXPECT_EQ(read_at_once(on, count), words(count, "ok"));
}

TEST_P(connections, go_with_the_first_one_that_is_stale)
{
    rig on(GetParam(), "", with_connections(8));
    on.server.put("key", "content");
    on.server.next(at_once(8, test::honest()));
    ASSERT_EQ(read_at_once(on, 8), words(8, "ok"));
    ASSERT_EQ(on.server.wire().open(), 8);
    on.server.next({test::drop()});
    EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok");
    for (int i = 0; i < 5'000 && on.server.wire().open() > 1; ++i) pause(on, 1ms);
    EXPECT_EQ(on.server.wire().open(), 1);
}

TEST_P(connections, that_go_stale_together_are_replaced_once)
{
    constexpr std::size_t count = 4;
    // When one has ended, libcurl takes the next kept one before it tells us: a later request begins on a new one.
    if (GetParam().curl) return;
    rig on(GetParam(), "", with_connections(16));
    on.server.put("key", "content");
    on.server.next(at_once(count, test::honest()));
    ASSERT_EQ(read_at_once(on, count), words(count, "ok"));
    on.server.next(at_once(count, test::drop()));
    EXPECT_EQ(read_at_once(on, count), words(count, "ok"));
    auto const replaced = on.server.wire().accepted();
    EXPECT_LE(replaced, static_cast<int>(2 * count));
    // Those that replaced them are good, and are kept.
    on.server.next(at_once(static_cast<std::size_t>(on.server.wire().open()), test::honest()));
    auto const kept = static_cast<std::size_t>(on.server.wire().open());
    EXPECT_EQ(read_at_once(on, kept), words(kept, "ok"));
    EXPECT_EQ(on.server.wire().accepted(), replaced);
}

TEST_P(connections, that_nobody_uses_are_closed_on_time_by_option_and_keep_nothing_running_else)
{
    for (bool const on_time : {false, true}) {
        http_options options;
        options.keep_idle = on_time ? 1'000ms : 60'000ms;
        options.close_idle_on_time = on_time;
        rig on(GetParam(), "", options);
        on.server.put("key", "content");
        auto const began = on.time->since_boot();
        EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok");
        auto const took = on.time->since_boot() - began;
        if (on_time) {
            EXPECT_GE(took, 1'000ms);
            wait_for_closing(on);
        } else {
            EXPECT_LT(took, 30s);
            EXPECT_EQ(on.server.wire().open(), 1);
        }
    }
}

TEST_P(connections, without_a_descriptor_are_a_setting_at_once)
{
    // The first request of an io_context makes its reactor, which needs descriptors too; its connection is not kept.
    auto const used = [](rig& on) {
        on.server.put("key", "content");
        on.server.next({test::change([](test::reply& answer) { answer.fields.emplace_back("Connection", "close"); })});
        EXPECT_EQ(told(on.run(on.store->get(key, get_options()))), "ok");
        wait_for_closing(on);
    };
    rig on(GetParam());
    used(on);
    {
        no_more_files const limit(0);
        auto const refused = on.run(on.store->put_if_absent(key, bytes("x")));
        EXPECT_EQ(told(refused), "configuration");
        EXPECT_NE(refused.error().message().find("too many open files"), std::string::npos)
            << refused.error().message();
        EXPECT_EQ(refused.error().why()->attempts, 1u);
    }
    EXPECT_EQ(told(on.run(on.store->get(key, get_options()))), "ok");
    if (!GetParam().curl) return;
    // A socket, and no second descriptor to wait for it.
    rig other(GetParam());
    used(other);
    no_more_files const limit(1);
    EXPECT_EQ(told(other.run(other.store->put_if_absent(key, bytes("x")))), "configuration");
}

TEST_P(connections, that_the_server_will_close_are_not_used_again)
{
    for (auto const& field : {std::pair{"Connection", "close"}, std::pair{"Keep-Alive", "timeout=1"}}) {
        rig on(GetParam());
        on.server.put("key", "content");
        on.server.always(
            test::change([field](test::reply& answer) { answer.fields.emplace_back(field.first, field.second); }));
        for (int i = 0; i < 3; ++i) EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok");
        EXPECT_EQ(on.server.wire().accepted(), 3) << field.first;
    }
}

TEST_P(connections, are_kept_over_refusals)
{
    rig on(GetParam());
    for (int status : {304, 404, 409, 412, 500, 503}) {
        on.server.next({test::refuse(status, "")});
        EXPECT_NE(told(on.run(on.adapter->get(key, get_options()))), "ok");
    }
    EXPECT_EQ(on.server.wire().accepted(), 1);
}

TEST_P(connections, deadlines_are_named_in_the_error)
{
    struct row {
        deed what;
        std::chrono::milliseconds http_options::*limit;
        char const* name;
    };
    deed never;
    never.waits = 10s;
    for (auto const& [what, limit, name] :
         {row{test::stall_after(0), &http_options::first_byte_timeout, "first_byte_timeout"},
          row{test::stall_after(20'000), &http_options::idle_timeout, "idle_timeout"},
          row{never, &http_options::total_timeout, "total_timeout"}}) {
        http_options options;
        options.*limit = 250ms;
        rig on(GetParam(), "", options);
        // What is cut is gone on with: it takes that many records of TLS to be cut in the end.
        bool const is_cut = what.passes > 0 && what.then == deed::end::stalls;
        on.server.put("key", std::string(is_cut ? 1'000'000 : 100'000, 'x'));
        on.server.next(std::vector<deed>(http::max_resumes + 1, what));
        EXPECT_NE(message(on.run(on.adapter->get(key, get_options()))).find(name), std::string::npos) << name;
        on.server.forget();
        on.server.put("key", "content");
        EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok") << name;
    }
}

TEST_P(connections, the_line_for_one_ends_at_its_deadline_and_is_bounded)
{
    auto options = with_connections(1);
    options.max_waiters = 2;
    options.acquire_timeout = 500ms;
    rig on(GetParam(), "", options);
    on.server.put("key", "content");
    deed slow;
    slow.waits = 1'500ms;
    on.server.next({slow});
    auto all = read_at_once(on, 5);
    std::ranges::sort(all);
    EXPECT_EQ(all, (std::vector<std::string>{"ok", "unavailable", "unavailable", "unavailable", "unavailable"}));
    EXPECT_EQ(read_at_once(on, 3), words(3, "ok"));
}

TEST_P(connections, cancelled_at_any_step_leave_the_rest_sound)
{
    constexpr int enough = 60;
    int cancelled = 0;
    for (int steps = 0; steps < enough; ++steps) {
        rig on(GetParam(), "", with_connections(1));
        on.server.put("key", "content");
        asio::cancellation_signal cancel;
        std::optional<std::string> ended;
        auto finish = [&](std::exception_ptr thrown, result<create_answer> answer) {
            ended = thrown ? "cancelled" : told(answer);
        };
        asio::co_spawn(on.io, on.adapter->put_if_absent(object_key("new"), bytes("x")),
                       asio::bind_cancellation_slot(cancel.slot(), finish));
        for (int i = 0; i < steps && !ended; ++i) on.io.run_one();
        bool const was_done = ended.has_value();
        cancel.emit(asio::cancellation_type::terminal);
        on.io.restart();
        on.io.run();
        ASSERT_TRUE(ended) << steps;
        cancelled += *ended == "cancelled" ? 1 : 0;
        EXPECT_TRUE(*ended == "cancelled" || *ended == "created") << *ended;
        auto const after = on.run(on.adapter->get(key, get_options()));
        EXPECT_EQ(told(after), "ok") << steps << message(after);
        auto const again = told(on.run(on.store->put_if_absent(object_key("new"), bytes("y"))));
        EXPECT_TRUE(again == "created" || again == "exists") << again;
        EXPECT_EQ(on.server.writes("new"), 1);
        if (was_done) break;
    }
    EXPECT_GE(cancelled, 3);
}

TEST_P(connections, a_strangers_certificate_is_refused_before_anything_is_sent)
{
    if (!GetParam().tls) return;
    test::certificate_authority const stranger("stranger");
    for (auto const* names : {"IP:127.0.0.1", "DNS:other.example"}) {
        test::fault_server const elsewhere(GetParam().speaks, stranger.issue(names));
        rig strict(GetParam(), elsewhere.url());
        auto const refused = strict.run(strict.adapter->put_if_absent(key, bytes("secret")));
        EXPECT_EQ(told(refused), "configuration") << refused.error().message();
        EXPECT_EQ(elsewhere.wire().requests(), 0);
        http_options trusting;
        trusting.verify_tls = false;
        rig lax(GetParam(), elsewhere.url(), trusting);
        EXPECT_EQ(told(lax.run(lax.adapter->put_if_absent(key, bytes("secret")))), "created");
    }
}

TEST_P(connections, sessions_are_resumed)
{
    if (!GetParam().tls) return;
    rig on(GetParam());
    on.server.put("key", "content");
    on.server.always(test::change([](test::reply& answer) { answer.fields.emplace_back("Connection", "close"); }));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok");
    EXPECT_EQ(on.server.wire().accepted(), 4);
    EXPECT_GE(on.server.wire().resumed(), 2);
}

}  // namespace headwater::faults
