// When credentials are fetched: once for all who wait, before their end in the background, anew when refused.
#include "adapters/credentials/refreshing.hpp"

#include "tests/support/run.hpp"
#include "tests/support/virtual_clock.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace headwater::credentials {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

TEST(renewal, table)
{
    constexpr time_ms end{1h};
    struct row {
        std::chrono::milliseconds whole;  // For how long they were good when they came.
        std::chrono::milliseconds before_end;
        std::optional<std::chrono::milliseconds> since_failure;
        renewal what;
    };
    constexpr row rows[] = {
        {1h, 1h, {}, renewal::none},
        {1h, 5min + 1ms, {}, renewal::none},
        {1h, 5min, {}, renewal::background},
        {1h, 1min, 19s, renewal::none},
        {1h, 1min, 20s, renewal::background},
        {1h, 1min, -1s, renewal::background},
        {1h, 10s + 1ms, {}, renewal::background},
        {1h, 10s, {}, renewal::first},
        {1h, 10s, 1s, renewal::none},
        {1h, 1ms, 1s, renewal::none},
        {1h, 0s, 1s, renewal::first},
        {1h, -1h, {}, renewal::first},
        {4min, 4min, {}, renewal::none},
        {4min, 2min + 1ms, {}, renewal::none},
        {4min, 2min, {}, renewal::background},
        {16s, 8s + 1ms, {}, renewal::none},
        {16s, 8s, {}, renewal::background},
        {16s, 4s + 1ms, {}, renewal::background},
        {16s, 4s, {}, renewal::first},
        {-1h, -1h, {}, renewal::none},
        {-1h, -1h - 20s, {}, renewal::background},
        {-1h, -1h - 30s, 10s, renewal::none},
        {-1h, -1h - 30s, 20s, renewal::background},
    };
    for (auto const& [whole, before_end, since_failure, what] : rows) {
        auto const now = end - before_end;
        std::optional<time_ms> failed;
        if (since_failure) failed = now - *since_failure;
        EXPECT_EQ(renewal_at(now, term{end - whole, end}, failed), what) << whole.count() << ' ' << before_end.count();
    }
    EXPECT_EQ(renewal_at(end, {}, {}), renewal::none);
}

struct renewed : testing::Test {
    using lease = leased<std::string>;

    task<lease> fetch()
    {
        ++fetches;
        for (int turn = 0; turn < 3; ++turn) co_await asio::post(asio::use_awaitable);
        if (thrown) std::rethrow_exception(thrown);
        if (answers.empty()) co_return error(errc::unavailable, "nothing more");
        auto next = std::move(answers.front());
        answers.pop_front();
        co_return next;
    }

    std::string now()
    {
        auto const got = test::run(io, provider->current());
        return got ? **got : std::string(to_string(static_cast<errc>(got.error().code().value())));
    }

    result<lease> good_for(char const* value, std::chrono::milliseconds length)
    {
        return lease(value, time.now() + length);
    }

    test::virtual_clock time;
    asio::io_context io{1};
    std::deque<result<lease>> answers;
    std::exception_ptr thrown;  // By the next fetches.
    int fetches = 0;
    std::unique_ptr<refreshing<std::string>> provider =
        std::make_unique<refreshing<std::string>>(io.get_executor(), time, [this] { return fetch(); });
};

TEST_F(renewed, many_who_ask_at_once_share_one_fetch)
{
    answers = {good_for("a", 1h)};
    std::vector<std::string> got;
    for (int each = 0; each < 50; ++each) {
        asio::co_spawn(io, provider->current(), [&](std::exception_ptr, auto answer) { got.push_back(**answer); });
    }
    io.run();
    EXPECT_EQ(got, std::vector<std::string>(50, "a"));
    EXPECT_EQ(fetches, 1);
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(fetches, 1);
}

TEST_F(renewed, old_ones_serve_while_the_next_are_fetched)
{
    answers = {good_for("a", 1h), good_for("b", 3h)};
    EXPECT_EQ(now(), "a");
    time.pass(56min);
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(fetches, 2);
    EXPECT_EQ(now(), "b");
    EXPECT_EQ(fetches, 2);
}

TEST_F(renewed, failed_renewal_is_tried_again_after_a_pause_and_told_only_at_the_end)
{
    answers = {good_for("a", 1h)};
    EXPECT_EQ(now(), "a");
    time.pass(56min);
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(fetches, 2);
    time.pass(20s);
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(fetches, 3);
    time.pass(5min);
    EXPECT_EQ(now(), "unavailable");
    answers = {good_for("b", 1h)};
    EXPECT_EQ(now(), "b");
}

TEST_F(renewed, that_live_shortly_are_not_fetched_for_each_call)
{
    answers = {good_for("a", 4min), good_for("b", 8min)};
    for (int call = 0; call < 10; ++call) EXPECT_EQ(now(), "a");
    EXPECT_EQ(fetches, 1);
    time.pass(2min);
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(now(), "b");
    EXPECT_EQ(fetches, 2);
}

TEST_F(renewed, that_are_over_when_they_come_serve_and_are_fetched_again_after_a_pause)
{
    answers = {good_for("a", -2h), good_for("b", -2h)};
    for (int call = 0; call < 10; ++call) EXPECT_EQ(now(), "a");
    EXPECT_EQ(fetches, 1);
    time.pass(20s);
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(now(), "b");
    EXPECT_EQ(fetches, 2);
}

TEST_F(renewed, serve_to_their_end_when_a_late_renewal_fails)
{
    answers = {good_for("a", 1h)};
    EXPECT_EQ(now(), "a");
    time.pass(1h - 9s);
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(now(), "a");
    EXPECT_EQ(fetches, 2) << "after a failure there is a pause";
    time.pass(9s);
    EXPECT_EQ(now(), "unavailable");
}

TEST_F(renewed, fetch_that_throws_is_a_typed_error_of_all_who_wait)
{
    thrown = std::make_exception_ptr(boost::system::system_error(asio::error::no_descriptors));
    int failed = 0;
    for (int each = 0; each < 3; ++each) {
        asio::co_spawn(io, provider->current(), [&](std::exception_ptr how, auto answer) {
            failed += !how && !answer && answer.error() == errc::unavailable ? 1 : 0;
        });
    }
    io.run();
    EXPECT_EQ(failed, 3);
    EXPECT_EQ(fetches, 1);
    thrown = std::make_exception_ptr(std::runtime_error("hush"));
    auto const got = test::run(io, provider->current());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().message().find("hush"), std::string::npos);
    thrown = nullptr;
    answers = {good_for("a", 1h)};
    EXPECT_EQ(now(), "a");
}

TEST_F(renewed, refused_ones_are_not_answered_again)
{
    answers = {good_for("a", 1h), good_for("b", 1h)};
    auto const first = test::run(io, provider->current()).value();
    EXPECT_TRUE(provider->refused(first));
    EXPECT_EQ(now(), "b");
    EXPECT_TRUE(provider->refused(first)) << "what is no longer held changes nothing";
    EXPECT_EQ(now(), "b");
    EXPECT_EQ(fetches, 2);
}

TEST_F(renewed, end_of_the_provider_ends_those_who_wait)
{
    bool ended = false;
    asio::co_spawn(io, provider->current(), [&](std::exception_ptr thrown, auto const&) { ended = thrown != nullptr; });
    io.poll_one();
    provider.reset();
    io.run();
    EXPECT_TRUE(ended);
}

TEST_F(renewed, end_of_the_provider_before_the_fetch_began_is_no_error)
{
    answers = {good_for("a", 1h)};
    bool ended = false;
    // The fetch runs elsewhere: it has been spawned there when the provider ends here.
    asio::io_context here{1};
    asio::co_spawn(here, provider->current(),
                   [&](std::exception_ptr thrown, auto const&) { ended = thrown != nullptr; });
    here.poll();
    asio::post(io, [&] { provider.reset(); });
    here.restart();
    io.run();
    here.run();
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace headwater::credentials
