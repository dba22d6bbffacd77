// Every call is counted, however it ends.
#include "tests/support/scripted_store.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/stores.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

namespace asio = boost::asio;
using test::found;

struct metered : testing::Test {
    test::scripted_store script;
    meter counts;
    std::unique_ptr<object_store> store = make_metered_store(script, counts);
};

TEST_F(metered, bytes_are_counted_in_their_direction)
{
    script.gets = {found("12345", "t")};
    script.puts = {put_answer(etag("t"))};
    script.creates = {test::created("t")};
    script.updates = {errc::precondition_failed};
    EXPECT_TRUE(test::run(store->get(object_key("k"), get_options())));
    EXPECT_TRUE(test::run(store->put(object_key("k"), bytes("123"))));
    EXPECT_TRUE(test::run(store->put_if_absent(object_key("k"), bytes("12"))));
    EXPECT_FALSE(test::run(store->put_if_match(object_key("k"), bytes("1"), etag("t"))));
    EXPECT_EQ(counts.total().requests, 4u);
    EXPECT_EQ(counts.total().rounds, 4u);
    EXPECT_EQ(counts.total().bytes_read, 5u);
    EXPECT_EQ(counts.total().bytes_written, 6u);
}

TEST_F(metered, the_attempts_of_answers_and_of_errors_are_added)
{
    object_meta thrice;
    thrice.info.attempts = 3;
    diagnostics twice("failed");
    twice.attempts = 2;
    script.heads = {thrice, error(errc::unavailable, twice), errc::not_found};
    for (int call = 0; call < 3; ++call) (void)test::run(store->head(object_key("k")));
    EXPECT_EQ(counts.total().requests, 3u);
    EXPECT_EQ(counts.total().attempts, 6u);
}

TEST_F(metered, a_batch_is_one_call_and_as_many_attempts_as_it_needed)
{
    script.removes = {remove_answer{}, remove_answer{}};
    EXPECT_TRUE(test::run(store->remove_many({object_key("a"), object_key("b")})));
    EXPECT_EQ(counts.total().requests, 1u);
    EXPECT_EQ(counts.total().attempts, 2u);
}

TEST_F(metered, opening_is_counted_apart)
{
    auto const opening = make_metered_store(script, counts, cost_kind::open);
    script.removes = {remove_answer{}};
    script.lists = {list_page()};
    EXPECT_TRUE(test::run(opening->remove(object_key("k"))));
    EXPECT_TRUE(test::run(store->list("", list_options())));
    EXPECT_EQ(counts.total().open_requests, 1u);
    EXPECT_EQ(counts.total().requests, 1u);
}

TEST_F(metered, a_cancelled_call_is_counted)
{
    test::virtual_clock time;
    auto const chance = make_seeded_random(1);
    auto const retrying = make_retrying_store(script, time, *chance);
    auto const outer = make_metered_store(*retrying, counts);
    script.gets = {errc::unavailable};
    asio::io_context io(1);
    asio::cancellation_signal stop;
    bool threw = false;
    auto const done = [&](std::exception_ptr what, result<object> const&) { threw = what != nullptr; };
    asio::co_spawn(io, outer->get(object_key("k"), get_options()), asio::bind_cancellation_slot(stop.slot(), done));
    while (io.poll() != 0) {}
    stop.emit(asio::cancellation_type::terminal);
    io.restart();
    io.run();
    EXPECT_TRUE(threw);
    EXPECT_EQ(counts.total().requests, 1u);
    EXPECT_EQ(counts.total().attempts, 1u);
}

}  // namespace
}  // namespace headwater
