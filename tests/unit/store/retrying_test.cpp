// What is sent again, and what never is.
#include "tests/support/scripted_store.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/stores.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::chrono_literals;
using test::found;

struct retrying : testing::Test {
    result<object> get() { return test::run(time, store->get(object_key("k"), get_options())); }
    result<put_answer> put() { return test::run(time, store->put(object_key("k"), bytes("content"))); }

    test::virtual_clock time;
    std::unique_ptr<headwater::random> chance = make_seeded_random(1);
    test::scripted_store script;
    std::unique_ptr<object_store> store = make_retrying_store(script, time, *chance);
};

TEST_F(retrying, a_read_that_fails_is_sent_until_it_is_answered)
{
    script.gets = {errc::unavailable, errc::outcome_unknown, found("content", "t")};
    auto const answer = get();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->content.view(), "content");
    EXPECT_EQ(answer->info.attempts, 3u);
    EXPECT_EQ(time.waits().size(), 2u);
}

TEST_F(retrying, an_error_tells_of_every_attempt_when_it_was_and_what_the_store_said)
{
    diagnostics busy("slow down");
    busy.status = 503;
    busy.service_code = "SlowDown";
    busy.request_id = "id1";
    script.gets = {error(errc::unavailable, busy), errc::unavailable, errc::access_denied};
    auto const answer = get();
    ASSERT_EQ(answer.error(), errc::access_denied);
    ASSERT_EQ(answer.error().why()->facts.size(), 1u);
    auto const& [name, history] = answer.error().why()->facts.front();
    auto const waited = [&](std::size_t waits) {
        std::chrono::nanoseconds sum{0};
        for (std::size_t at = 0; at < waits; ++at) sum += time.waits()[at];
        return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(sum).count()) + " ms: ";
    };
    EXPECT_EQ(name, "history");
    EXPECT_EQ(history, "0 ms: 503 SlowDown (id1); " + waited(1) + error_code(errc::unavailable).message() + "; "
                           + waited(2) + error_code(errc::access_denied).message());
    script.gets = {errc::access_denied};
    EXPECT_FALSE(get().error().why()) << "one attempt is told by the error itself";
}

TEST_F(retrying, an_answer_is_an_answer)
{
    for (auto const code : {errc::not_found, errc::not_modified, errc::access_denied, errc::configuration,
                            errc::protocol, errc::limit_exceeded}) {
        script.gets = {code};
        auto const answer = get();
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error(), code);
    }
    EXPECT_TRUE(time.waits().empty());
}

TEST_F(retrying, a_write_that_did_nothing_is_sent_again)
{
    script.puts = {errc::unavailable, put_answer(etag("t"))};
    auto const answer = put();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->info.attempts, 2u);
    EXPECT_EQ(script.calls[0], script.calls[1]);
}

TEST_F(retrying, a_write_of_unknown_outcome_is_not_sent_again)
{
    script.puts = {errc::outcome_unknown};
    auto const answer = put();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::outcome_unknown);
    script.removes = {errc::outcome_unknown};
    EXPECT_FALSE(test::run(time, store->remove(object_key("k"))));
    EXPECT_EQ(script.operations(), "put remove");
}

TEST_F(retrying, a_write_that_the_store_answered_for_now_is_sent_again)
{
    for (int const status : {408, 429, 499, 500, 502, 503, 504}) {
        diagnostics busy("later");
        busy.status = status;
        error const later(errc::outcome_unknown, busy);
        script.puts = {later, put_answer(etag("t"))};
        EXPECT_TRUE(put()) << status;
        script.removes = {later, remove_answer()};
        EXPECT_TRUE(test::run(time, store->remove(object_key("k")))) << status;
        remove_many_answer some;
        some.failed.emplace_back(object_key("b"), later);
        script.batches = {later, some, remove_many_answer()};
        auto const batch = test::run(time, store->remove_many({object_key("a"), object_key("b")}));
        ASSERT_TRUE(batch) << status;
        EXPECT_TRUE(batch->failed.empty()) << status;
        EXPECT_EQ(batch->info.attempts, 3u) << status;
    }
    for (int const status : {0, 200, 206}) {
        diagnostics broken("half an answer");
        broken.status = status;
        script.puts = {error(errc::outcome_unknown, broken)};
        EXPECT_EQ(put().error(), errc::outcome_unknown) << status;
    }
}

TEST_F(retrying, a_conditional_write_passes_once)
{
    script.creates = {errc::unavailable};
    EXPECT_FALSE(test::run(time, store->put_if_absent(object_key("k"), bytes("content"))));
    script.updates = {errc::unavailable};
    EXPECT_FALSE(test::run(time, store->put_if_match(object_key("k"), bytes("content"), etag("t"))));
    EXPECT_EQ(script.calls.size(), 2u);
}

TEST_F(retrying, attempts_end_at_their_maximum_and_are_told)
{
    script.gets.assign(12, errc::unavailable);
    auto const answer = get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::unavailable);
    EXPECT_EQ(answer.error().why()->attempts, 12u);
    EXPECT_EQ(script.calls.size(), 12u);
    EXPECT_LE(time.since_boot(), 60s);
}

TEST_F(retrying, a_call_ends_at_its_deadline_and_says_so)
{
    store = make_retrying_store(script, time, *chance, {.deadline = 5s});
    script.time = &time;
    script.takes = 3s;
    script.gets.assign(2, errc::unavailable);
    script.puts = {put_answer(etag("t"))};
    auto const began = time.since_boot();
    auto const read = get();
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), errc::unavailable);
    EXPECT_EQ(read.error().why()->detail, "deadline: the call has taken 5000 ms");
    EXPECT_EQ(time.since_boot() - began, 5s);
    EXPECT_TRUE(put()) << "in time";
    script.takes = 1h;
    EXPECT_EQ(put().error(), errc::outcome_unknown);
    EXPECT_EQ(test::run(time, store->remove(object_key("k"))).error(), errc::outcome_unknown);
    EXPECT_EQ(script.gets.size(), 1u) << "what was on its way is cancelled";
}

TEST_F(retrying, attempts_below_are_added_up)
{
    diagnostics twice("failed");
    twice.attempts = 2;
    script.gets = {error(errc::unavailable, twice), found("content", "t")};
    auto const answer = get();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->info.attempts, 3u);
}

TEST_F(retrying, when_everything_fails_it_stops_repeating)
{
    script.gets.assign(1000, errc::unavailable);
    std::size_t calls = 0;
    for (; calls < 200; ++calls) ASSERT_FALSE(get());
    auto const repeats = script.calls.size() - calls;
    EXPECT_EQ(repeats, retry_tokens::capacity / retry_tokens::repeat_cost);
}

remove_many_answer failing(std::vector<std::pair<char const*, errc>> const& rows)
{
    remove_many_answer made;
    for (auto const& [key, why] : rows) made.failed.emplace_back(object_key(key), why);
    return made;
}

TEST_F(retrying, a_batch_asks_again_for_the_keys_to_which_nothing_happened)
{
    script.batches = {errc::unavailable,
                      failing({{"b", errc::unavailable}, {"c", errc::outcome_unknown}, {"d", errc::unavailable}}),
                      failing({{"d", errc::access_denied}})};
    std::vector<object_key> keys;
    for (char const* const each : {"a", "b", "c", "d"}) keys.emplace_back(each);
    auto const answer = test::run(time, store->remove_many(keys));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->info.attempts, 3u);
    ASSERT_EQ(answer->failed.size(), 2u);
    EXPECT_EQ(answer->failed[0].key, object_key("c"));
    EXPECT_EQ(answer->failed[0].why, errc::outcome_unknown);
    EXPECT_EQ(answer->failed[1].key, object_key("d"));
    EXPECT_EQ(answer->failed[1].why, errc::access_denied);
    ASSERT_EQ(script.calls.size(), 3u);
    EXPECT_EQ(script.calls[1].key, "a b c d");
    EXPECT_EQ(script.calls[2].key, "b d");
}

TEST_F(retrying, a_batch_that_fails_as_a_whole_is_an_error)
{
    script.batches = {errc::access_denied};
    EXPECT_EQ(test::run(time, store->remove_many({object_key("a"), object_key("b")})).error(), errc::access_denied);
    script.batches.assign(12, errc::unavailable);
    auto const answer = test::run(time, store->remove_many({object_key("a")}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), errc::unavailable);
    EXPECT_EQ(answer.error().why()->attempts, 12u);
}

TEST_F(retrying, a_batch_without_a_request_of_its_own_is_removed_key_by_key)
{
    script.removes = {remove_answer{}, errc::unavailable, remove_answer{}};
    auto const answer = test::run(time, store->remove_many({object_key("a"), object_key("b")}));
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->failed.empty());
    EXPECT_EQ(answer->info.attempts, 3u);
    EXPECT_EQ(script.calls.back().key, "b");
    std::vector<object_key> many(max_remove_keys + 1, object_key("k"));
    EXPECT_EQ(test::run(time, store->remove_many(many)).error(), errc::invalid_argument);
}

TEST_F(retrying, stores_of_one_endpoint_pay_from_one_bucket)
{
    retry_options shared;
    shared.tokens = std::make_shared<retry_tokens>();
    auto const settling = make_settling_store(script, time, *chance, shared);
    auto const one = make_retrying_store(*settling, time, *chance, shared);
    auto const other = make_retrying_store(script, time, *chance, shared);
    script.gets.assign(1000, errc::unavailable);
    script.creates.assign(1000, errc::unavailable);
    std::size_t calls = 0;
    for (object_key const k("k"); calls < 300; calls += 3) {
        ASSERT_FALSE(test::run(time, one->get(k, get_options())));
        ASSERT_FALSE(test::run(time, other->get(k, get_options())));
        ASSERT_FALSE(test::run(time, one->put_if_absent(k, bytes("content"))));
    }
    EXPECT_EQ(script.calls.size() - calls, retry_tokens::capacity / retry_tokens::repeat_cost);
    EXPECT_EQ(shared.tokens->left(), 0u);
    // Another endpoint is not slowed down by that.
    script.gets = {errc::unavailable, found("content", "t")};
    EXPECT_TRUE(get());
}

TEST_F(retrying, the_usual_stack_pays_from_one_bucket)
{
    auto const settling = make_settling_store(script, time, *chance);
    auto const between = make_prefixed_store(*settling, "p/");
    auto const above = make_retrying_store(*between, time, *chance);
    ASSERT_TRUE(settling->tokens());
    EXPECT_EQ(above->tokens(), settling->tokens());
    EXPECT_NE(store->tokens(), settling->tokens()) << "nothing below has one: each its own";
}

TEST(retry_tokens, a_repeat_that_succeeds_costs_nothing)
{
    retry_tokens tokens;
    ASSERT_TRUE(tokens.take());
    tokens.succeeded(true);
    EXPECT_EQ(tokens.left(), retry_tokens::capacity);
}

TEST(retry_tokens, a_dry_bucket_fills_one_by_one)
{
    retry_tokens tokens;
    while (tokens.take()) {}
    for (std::uint32_t at = 0; at < retry_tokens::repeat_cost; ++at) {
        EXPECT_FALSE(tokens.take());
        tokens.succeeded(false);
    }
    EXPECT_TRUE(tokens.take());
}

}  // namespace
}  // namespace headwater
