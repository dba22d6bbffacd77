// Second requests for late reads: when, how many, whose answer counts, and what they cost.
#include "src/store/hedge_delay.hpp"
#include "tests/support/scripted_store.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/async.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <optional>

namespace headwater {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// A store whose n-th answer takes as long as the n-th delay, and 10 ms after those.
class slow_store final : public object_store {
public:
    explicit slow_store(clock& time) : time_(time) {}

    std::deque<std::chrono::milliseconds> delays;
    std::deque<result<object>> answers;  ///< Of `get`; a found object after those.
    int begun = 0;
    int ended = 0;

    task<object> get(object_key, get_options) override
    {
        co_await take_time();
        if (answers.empty()) co_return test::found("content", "t");
        auto answer = answers.front();
        answers.pop_front();
        co_return answer;
    }
    task<object_meta> head(object_key key) override
    {
        co_await take_time();
        co_return object_meta(key, 1, etag("t"));
    }
    task<put_answer> put(object_key, bytes) override
    {
        co_await take_time();
        co_return put_answer(etag("t"));
    }
    task<create_answer> put_if_absent(object_key, bytes) override
    {
        co_await take_time();
        co_return test::created("t");
    }
    task<update_answer> put_if_match(object_key, bytes, etag) override
    {
        co_await take_time();
        co_return test::updated("t");
    }
    task<list_page> list(std::string, list_options) override
    {
        co_await take_time();
        co_return list_page();
    }
    task<remove_answer> remove(object_key) override
    {
        co_await take_time();
        co_return remove_answer();
    }
    store_capabilities capabilities() const override { return {}; }
    std::string const& address() const override { return address_; }

private:
    asio::awaitable<void> take_time()
    {
        ++begun;
        auto wait = 10ms;
        if (!delays.empty()) {
            wait = delays.front();
            delays.pop_front();
        }
        co_await time_.sleep_for(wait);
        ++ended;
    }

    clock& time_;
    std::string address_ = "slow:";
};

struct hedging : testing::Test {
    // So many reads of 10 ms each: what is usual.
    void learn(int reads = 100)
    {
        for (int i = 0; i < reads; ++i) ASSERT_TRUE(get());
        slow.begun = slow.ended = 0;
    }
    result<object> get() { return test::run(time, store->get(object_key("k"), get_options())); }

    std::chrono::nanoseconds took(std::function<void()> const& work)
    {
        auto const began = time.since_boot();
        work();
        return time.since_boot() - began;
    }

    bool cancel_after(int steps, bool inside);

    test::virtual_clock time;
    slow_store slow{time};
    std::unique_ptr<object_store> store = make_hedging_store(slow, time);
};

}  // namespace

TEST_F(hedging, a_late_read_is_sent_twice_and_the_first_answer_counts)
{
    learn();
    slow.delays = {1'000ms};
    EXPECT_EQ(took([&] {
                  auto const answer = get();
                  ASSERT_TRUE(answer);
                  EXPECT_EQ(answer->info.attempts, 2u);
              }),
              20ms);
    EXPECT_EQ(slow.begun, 2);
    EXPECT_EQ(slow.ended, 1);  // The other one was cancelled.
}

TEST_F(hedging, the_first_request_may_still_win)
{
    learn();
    slow.delays = {15ms, 1'000ms};
    EXPECT_EQ(took([&] { EXPECT_EQ(get()->info.attempts, 2u); }), 15ms);
}

TEST_F(hedging, a_read_in_time_costs_one_request)
{
    learn();
    EXPECT_EQ(get()->info.attempts, 1u);
    EXPECT_EQ(slow.begun, 1);
}

TEST_F(hedging, nothing_is_sent_twice_before_enough_is_known)
{
    learn(static_cast<int>(hedge_delay::least_samples) - 1);
    slow.delays = {1'000ms};
    EXPECT_EQ(get()->info.attempts, 1u);
    EXPECT_EQ(slow.begun, 1);
}

TEST_F(hedging, heads_are_learned_apart)
{
    learn();
    auto const head = [&] { return test::run(time, store->head(object_key("k"))); };
    slow.delays = {1'000ms};
    EXPECT_EQ(head()->info.attempts, 1u);
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(head());
    slow.delays = {2'000ms};
    EXPECT_EQ(head()->info.attempts, 2u);
}

TEST_F(hedging, writes_and_listings_are_never_sent_twice)
{
    learn();
    object_key const key("k");
    slow.delays.assign(5, 5'000ms);
    EXPECT_TRUE(test::run(time, store->put(key, bytes("x"))));
    EXPECT_TRUE(test::run(time, store->put_if_absent(key, bytes("x"))));
    EXPECT_TRUE(test::run(time, store->put_if_match(key, bytes("x"), etag("t"))));
    EXPECT_TRUE(test::run(time, store->remove(key)));
    EXPECT_TRUE(test::run(time, store->list("", list_options())));
    EXPECT_EQ(slow.begun, 5);
}

TEST_F(hedging, a_store_that_is_slow_as_a_whole_is_asked_little_more)
{
    learn(200);
    constexpr int reads = 400;
    slow.delays.assign(2 * reads, 50ms);
    for (int i = 0; i < reads; ++i) ASSERT_TRUE(get());
    // Ten that were saved up, and one for twenty answers.
    EXPECT_LE(slow.begun, reads + 10 + reads / 20);
    EXPECT_GT(slow.begun, reads);
}

TEST_F(hedging, a_failure_in_time_is_not_waited_for)
{
    learn();
    slow.delays = {5ms};
    slow.answers = {errc::unavailable};
    EXPECT_EQ(took([&] { EXPECT_EQ(get().error(), errc::unavailable); }), 5ms);
    EXPECT_EQ(slow.begun, 1);
}

TEST_F(hedging, one_failure_leaves_the_other_request_its_chance)
{
    learn();
    slow.delays = {30ms, 100ms};
    slow.answers = {errc::unavailable};
    auto const answer = get();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->info.attempts, 2u);

    slow.delays = {100ms, 30ms};
    slow.answers = {errc::unavailable};
    EXPECT_TRUE(get());
}

TEST_F(hedging, two_failures_are_one_that_tells_both_requests)
{
    learn();
    slow.delays = {30ms, 100ms};
    slow.answers = {errc::unavailable, errc::unavailable};
    auto const answer = get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::unavailable);
    ASSERT_TRUE(answer.error().why());
    EXPECT_EQ(answer.error().why()->attempts, 2u);
}

TEST_F(hedging, a_refusal_is_an_answer)
{
    learn();
    slow.delays = {30ms, 1'000ms};
    slow.answers = {errc::not_found};
    EXPECT_EQ(took([&] { EXPECT_EQ(get().error(), errc::not_found); }), 30ms);
}

TEST_F(hedging, cancellation_reaches_both_requests)
{
    learn();
    for (int wakes = 0; wakes < 3; ++wakes) {
        slow.delays = {1'000ms, 1'000ms};
        slow.begun = slow.ended = 0;
        asio::io_context io(1);
        asio::cancellation_signal cancel;
        std::exception_ptr how;
        asio::co_spawn(io, store->get(object_key("k"), get_options()),
                       asio::bind_cancellation_slot(cancel.slot(),
                                                    [&how](std::exception_ptr thrown, auto const&) { how = thrown; }));
        while (io.poll() != 0) {}
        for (int i = 0; i < wakes; ++i) {
            time.wake_next();
            io.restart();
            while (io.poll() != 0) {}
        }
        if (wakes == 2) continue;  // Answered by then.
        cancel.emit(asio::cancellation_type::terminal);
        io.restart();
        io.run();
        EXPECT_TRUE(how) << wakes;
        EXPECT_EQ(slow.ended, 0);
    }
}

// Cancels a hedged read after so many steps, from inside its executor or from outside; tells whether it was over.
bool hedging::cancel_after(int steps, bool inside)
{
    slow.delays = {1'000ms, 1'000ms};
    slow.begun = slow.ended = 0;
    asio::io_context io(1);
    asio::cancellation_signal cancel;
    auto const emit = [&] { cancel.emit(asio::cancellation_type::terminal); };
    std::optional<result<object>> ended;
    if (inside && steps == 0) asio::post(io, emit);  // Before the read has begun.
    async(io.get_executor(), store->get(object_key("k"), get_options()),
          asio::bind_cancellation_slot(cancel.slot(), [&](result<object> answer) { ended = std::move(answer); }));
    for (int at = 0; at < steps; ++at) {
        io.restart();
        if (io.poll_one() == 0) time.wake_next();
    }
    bool const was_over = ended.has_value();
    if (!inside) emit();
    if (inside && steps > 0) asio::post(io, emit);
    test::drive(io, time);
    EXPECT_TRUE(ended) << steps;
    EXPECT_TRUE(!ended || *ended || ended->error().code() == asio::error::operation_aborted) << steps;
    EXPECT_FALSE(time.wake_next()) << steps << ": a request is still on its way";
    return was_over;
}

TEST_F(hedging, may_be_cancelled_at_every_step)
{
    for (bool const inside : {true, false}) {
        learn();
        int steps = 0;
        while (steps < 100 && !cancel_after(steps, inside)) ++steps;
        EXPECT_GT(steps, 5);
        EXPECT_LT(steps, 100);
        EXPECT_TRUE(get()) << "the store is as good as before";
    }
}

TEST(hedge_delay, is_the_95th_percentile_of_the_last_answers)
{
    hedge_delay known;
    for (int i = 1; i < static_cast<int>(hedge_delay::least_samples); ++i) {
        known.took(1s);
        EXPECT_FALSE(known.late_after());
    }
    for (int i = 1; i <= 128; ++i) known.took(i * 1ms);  // The first ones are forgotten.
    EXPECT_EQ(known.late_after(), 122ms);
}

TEST(hedge_tokens, are_earned_by_answers_and_bounded)
{
    hedge_tokens tokens;
    EXPECT_FALSE(tokens.take());
    for (int i = 0; i < 19; ++i) tokens.answered();
    EXPECT_FALSE(tokens.take());
    tokens.answered();
    EXPECT_TRUE(tokens.take());
    EXPECT_FALSE(tokens.take());
    for (int i = 0; i < 10'000; ++i) tokens.answered();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(tokens.take());
    EXPECT_FALSE(tokens.take());
}

}  // namespace headwater
