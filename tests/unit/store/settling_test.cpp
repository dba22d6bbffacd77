// Conditional writes whose answers get lost, one story per test.
#include "tests/support/scripted_store.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/stores.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::created;
using test::exists;
using test::found;
using test::updated;

struct settling : testing::Test {
    result<create_answer> create() { return test::run(time, store->put_if_absent(object_key("k"), bytes("ours"))); }
    result<update_answer> update()
    {
        return test::run(time, store->put_if_match(object_key("k"), bytes("ours"), etag("old")));
    }

    test::virtual_clock time;
    std::unique_ptr<headwater::random> chance = make_seeded_random(1);
    test::scripted_store script;
    std::unique_ptr<object_store> store = make_settling_store(script, time, *chance);
};

TEST_F(settling, create_answered_at_once_is_passed_on)
{
    script.creates = {created("t")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_FALSE(answer->earlier_unknown);
    EXPECT_EQ(answer->tag, etag("t"));
    EXPECT_EQ(answer->info.attempts, 1u);
    EXPECT_TRUE(time.waits().empty());
}

TEST_F(settling, create_told_exists_at_once_does_not_read_back)
{
    script.creates = {exists()};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->created);
    EXPECT_EQ(script.operations(), "put_if_absent");
}

TEST_F(settling, when_everything_is_refused_it_stops_repeating)
{
    script.creates.assign(1000, errc::unavailable);
    std::size_t calls = 0;
    for (; calls < 200; ++calls) ASSERT_EQ(create().error(), errc::unavailable);
    EXPECT_EQ(script.calls.size() - calls, retry_tokens::capacity / retry_tokens::repeat_cost);
}

TEST_F(settling, a_write_in_doubt_without_tokens_waits_for_its_end_and_asks_once_more)
{
    script.creates.assign(1000, errc::unavailable);
    for (int i = 0; i < 200; ++i) ASSERT_FALSE(create());
    script.creates = {errc::outcome_unknown, created("t")};
    auto const began = time.since_boot();
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_EQ(answer->info.attempts, 2u);
    EXPECT_EQ(time.since_boot() - began, 60s);
}

TEST_F(settling, the_last_question_has_time_before_the_deadline)
{
    auto const tokens = std::make_shared<retry_tokens>();
    store = make_settling_store(script, time, *chance, {.deadline = 8s, .tokens = tokens});
    while (tokens->take()) {}
    script.time = &time;
    script.takes = 500ms;
    script.creates = {errc::outcome_unknown, created("t")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_EQ(answer->info.attempts, 2u);
    EXPECT_LT(time.since_boot(), 8s);
}

TEST_F(settling, a_write_in_doubt_goes_on_as_soon_as_there_are_tokens)
{
    auto const tokens = std::make_shared<retry_tokens>();
    retry_options shared;
    shared.tokens = tokens;
    store = make_settling_store(script, time, *chance, shared);
    while (tokens->take()) {}
    script.creates = {errc::outcome_unknown, created("t")};
    std::optional<result<create_answer>> answer;
    asio::io_context io(1);
    asio::co_spawn(io, store->put_if_absent(object_key("k"), bytes("ours")),
                   [&](std::exception_ptr, result<create_answer> got) { answer = std::move(got); });
    for (int wakes = 0; wakes < 3; ++wakes) {
        while (io.poll() != 0) {}
        ASSERT_TRUE(time.wake_next());
        io.restart();
    }
    EXPECT_EQ(script.calls.size(), 1u);
    for (std::uint32_t i = 0; i < retry_tokens::repeat_cost; ++i) tokens->succeeded(false);
    test::drive(io, time);
    ASSERT_TRUE(answer && *answer);
    EXPECT_EQ(script.calls.size(), 2u);
    EXPECT_LT(time.since_boot(), 60s);
}

TEST_F(settling, a_broad_slow_down_is_not_made_worse_by_writes_in_doubt)
{
    script.creates.assign(1000, errc::outcome_unknown);
    std::size_t calls = 0;
    for (; calls < 100; ++calls) ASSERT_EQ(create().error(), errc::outcome_unknown);
    // Each call's first request and its last, and what the tokens pay.
    EXPECT_LE(script.calls.size(), 2 * calls + retry_tokens::capacity / retry_tokens::repeat_cost);
}

TEST_F(settling, create_unknown_then_created_is_created)
{
    script.creates = {errc::outcome_unknown, created("t")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_TRUE(answer->earlier_unknown);
    EXPECT_EQ(answer->info.attempts, 2u);
    EXPECT_EQ(script.calls[0], script.calls[1]);
    EXPECT_EQ(time.waits().size(), 1u);
}

TEST_F(settling, create_unknown_then_exists_with_our_bytes_is_created)
{
    script.creates = {errc::outcome_unknown, exists()};
    script.gets = {found("ours", "t")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_TRUE(answer->earlier_unknown);
    EXPECT_EQ(answer->tag, etag("t"));
    EXPECT_EQ(answer->info.attempts, 3u);
    EXPECT_EQ(script.operations(), "put_if_absent put_if_absent get");
    EXPECT_EQ(time.waits().size(), 1u);
}

TEST_F(settling, create_unknown_then_exists_with_other_bytes_is_exists)
{
    script.creates = {errc::outcome_unknown, exists()};
    script.gets = {found("theirs", "t")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->created);
    EXPECT_TRUE(answer->earlier_unknown);
    EXPECT_EQ(answer->tag, etag("t"));
}

TEST_F(settling, create_unknown_then_exists_then_absent_is_sent_again)
{
    script.creates = {errc::outcome_unknown, exists(), created("t")};
    script.gets = {errc::not_found};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_EQ(script.operations(), "put_if_absent put_if_absent get put_if_absent");
}

TEST_F(settling, create_read_back_that_fails_is_tried_until_it_answers)
{
    script.creates = {errc::outcome_unknown, exists()};
    script.gets = {errc::unavailable, errc::access_denied, found("ours", "t")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_EQ(answer->info.attempts, 5u);
}

TEST_F(settling, create_never_answered_is_outcome_unknown_at_the_budgets_end)
{
    script.creates.assign(100, errc::outcome_unknown);
    auto const answer = create();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::outcome_unknown);
    ASSERT_TRUE(answer.error().why());
    EXPECT_EQ(answer.error().why()->attempts, script.calls.size());
    EXPECT_EQ(answer.error().why()->key, "k");
    EXPECT_GT(script.calls.size(), 12u) << "only time ends a doubt";
    EXPECT_EQ(time.since_boot(), 60s);
}

TEST_F(settling, a_store_that_wants_a_long_wait_is_asked_at_the_budgets_end)
{
    diagnostics slow("slow down");
    slow.retry_after = 1h;
    script.creates = {error(errc::outcome_unknown, slow), created("t")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->created);
    EXPECT_EQ(time.since_boot(), 60s);
}

TEST_F(settling, create_never_readable_is_outcome_unknown)
{
    script.creates = {errc::outcome_unknown, exists()};
    script.gets.assign(100, error(errc::unavailable, "no reads"));
    auto const answer = create();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::outcome_unknown);
    EXPECT_EQ(answer.error().why()->detail, "no reads");
}

TEST_F(settling, create_never_sent_is_unavailable)
{
    script.creates.assign(12, errc::unavailable);
    auto const answer = create();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::unavailable);
    EXPECT_EQ(answer.error().why()->attempts, 12u);
}

TEST_F(settling, create_refused_is_not_repeated)
{
    script.creates = {errc::access_denied};
    auto const answer = create();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::access_denied);
    EXPECT_EQ(script.calls.size(), 1u);
}

TEST_F(settling, create_refused_after_an_unknown_request_is_read_back)
{
    struct row {
        char const* there;
        bool created;
    };
    for (auto const& [there, is_ours] : {row{"ours", true}, row{"theirs", false}, row{"their longer ones", false}}) {
        script.creates = {errc::outcome_unknown, error(errc::access_denied, "expired")};
        script.gets = {found(there, "t")};
        auto const answer = create();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->created, is_ours) << there;
        EXPECT_TRUE(answer->earlier_unknown);
        EXPECT_EQ(answer->info.attempts, 3u);
    }
}

TEST_F(settling, create_refused_after_an_unknown_request_and_not_there_stays_in_doubt_to_the_end)
{
    script.creates.assign(100, error(errc::access_denied, "expired"));
    script.creates.push_front(errc::outcome_unknown);
    script.gets.assign(100, errc::not_found);
    auto const answer = create();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::outcome_unknown);
    EXPECT_EQ(answer.error().why()->detail, "expired");
    EXPECT_EQ(time.since_boot(), 60s);
}

TEST_F(settling, create_read_back_larger_than_ours_is_anothers_whatever_its_size)
{
    script.creates = {errc::outcome_unknown, exists()};
    script.gets = {error(errc::limit_exceeded, "larger than max_bytes (4)")};
    auto const answer = create();
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->created);
    EXPECT_EQ(answer->info.attempts, 3u);
}

TEST_F(settling, no_attempt_begins_after_the_budget)
{
    script.creates.assign(100, errc::outcome_unknown);
    store = make_settling_store(script, time, *chance, {.base = 10s, .cap = 20s, .budget = 15s, .max_attempts = 12});
    auto const answer = create();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::outcome_unknown);
    EXPECT_LT(script.calls.size(), 12u);
    EXPECT_EQ(time.since_boot(), 15s);
}

TEST_F(settling, a_request_on_its_way_at_the_deadline_leaves_the_write_in_doubt)
{
    store = make_settling_store(script, time, *chance, {.deadline = 5s});
    script.time = &time;
    script.takes = 2s;
    script.creates = {errc::outcome_unknown, created("t")};
    auto const in_time = create();
    ASSERT_TRUE(in_time);
    EXPECT_TRUE(in_time->created);
    script.takes = 1h;
    auto const began = time.since_boot();
    auto const answer = create();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::outcome_unknown);
    EXPECT_EQ(answer.error().why()->detail, "deadline: the call has taken 5000 ms");
    EXPECT_EQ(answer.error().why()->operation, "put_if_absent");
    EXPECT_EQ(answer.error().why()->store, store->address());
    EXPECT_EQ(time.since_boot() - began, 5s);
}

TEST_F(settling, the_stores_retry_after_is_honoured)
{
    diagnostics slow("slow down");
    slow.retry_after = 7s;
    script.creates = {error(errc::unavailable, slow), created("t")};
    ASSERT_TRUE(create());
    ASSERT_EQ(time.waits().size(), 1u);
    EXPECT_GE(time.waits().front(), 7s);
}

TEST_F(settling, update_unknown_then_lost_with_our_bytes_is_replaced)
{
    script.updates = {errc::outcome_unknown, errc::precondition_failed};
    script.gets = {found("ours", "t")};
    auto const answer = update();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->earlier_unknown);
    EXPECT_EQ(answer->tag, etag("t"));
    EXPECT_EQ(answer->info.attempts, 3u);
}

TEST_F(settling, update_unknown_then_lost_with_other_bytes_is_precondition_failed)
{
    script.updates = {errc::outcome_unknown, error(errc::precondition_failed, "412")};
    script.gets = {found("theirs", "t")};
    auto const answer = update();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::precondition_failed);
    EXPECT_EQ(answer.error().why()->detail, "412");
    EXPECT_EQ(answer.error().why()->facts.front().first, "earlier_unknown");
}

TEST_F(settling, update_unknown_then_lost_and_gone_is_precondition_failed)
{
    script.updates = {errc::outcome_unknown, errc::precondition_failed};
    script.gets = {errc::not_found};
    auto const answer = update();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::precondition_failed);
}

TEST_F(settling, update_refused_after_an_unknown_request_is_told_only_when_it_is_known)
{
    script.updates = {errc::outcome_unknown, error(errc::access_denied, "expired"), updated("t")};
    script.gets = {errc::not_modified};
    auto const answer = update();
    ASSERT_TRUE(answer) << "the old version says nothing of a request that may land later";
    EXPECT_EQ(answer->tag, etag("t"));
    EXPECT_EQ(script.operations(), "put_if_match put_if_match get put_if_match");
    EXPECT_EQ(script.calls[2].tag, "old") << "the version that we know already is not sent";

    script.updates = {errc::outcome_unknown, error(errc::access_denied, "expired"), updated("t")};
    script.gets = {found("before", "old")};
    ASSERT_TRUE(update()) << "the same of a store that ignores If-None-Match";

    script.updates = {errc::outcome_unknown, error(errc::access_denied, "expired")};
    script.gets = {found("theirs", "t")};
    auto const lost = update();
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error(), errc::precondition_failed);
    EXPECT_EQ(lost.error().why()->detail, "another's bytes are there; before: expired");
}

TEST_F(settling, update_lost_at_once_does_not_read_back)
{
    script.updates = {errc::precondition_failed};
    ASSERT_FALSE(update());
    EXPECT_EQ(script.operations(), "put_if_match");
}

TEST_F(settling, update_sends_the_same_condition_again)
{
    script.updates = {errc::outcome_unknown, updated("t")};
    ASSERT_TRUE(update());
    EXPECT_EQ(script.calls[0], script.calls[1]);
    EXPECT_EQ(script.calls[1].tag, "old");
}

TEST_F(settling, cancelled_while_it_waits_throws_and_sends_nothing_more)
{
    script.creates = {errc::outcome_unknown, created("t")};
    asio::io_context io(1);
    asio::cancellation_signal stop;
    std::exception_ptr thrown;
    auto const done = [&](std::exception_ptr what, result<create_answer> const&) { thrown = what; };
    asio::co_spawn(io, store->put_if_absent(object_key("k"), bytes("ours")),
                   asio::bind_cancellation_slot(stop.slot(), done));
    while (io.poll() != 0) {}
    stop.emit(asio::cancellation_type::terminal);
    io.restart();
    io.run();
    ASSERT_TRUE(thrown);
    EXPECT_THROW(std::rethrow_exception(thrown), boost::system::system_error);
    EXPECT_EQ(script.calls.size(), 1u);
}

}  // namespace
}  // namespace headwater
