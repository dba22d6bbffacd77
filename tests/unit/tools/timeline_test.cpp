// The plan as it happened, as a person reads it.
#include "tests/support/virtual_clock.hpp"
#include "tools/headwater/timeline.hpp"

#include <headwater/adapters/memory.hpp>

#include <gtest/gtest.h>

namespace headwater::cli {
namespace {

using namespace std::chrono_literals;

TEST(timeline, requests_that_overlap_share_a_round)
{
    test::virtual_clock time;
    timeline notes(time);

    auto const first = notes.begin("get", "a");
    auto const beside = notes.begin("get", "b");
    time.pass(10ms);
    notes.end(first, 1, "absent");
    notes.end(beside, 1, "3 bytes");
    auto const after = notes.begin("get", "c");
    time.pass(5ms);
    notes.end(after, 2, "3 bytes");

    ASSERT_EQ(notes.entries().size(), 3u);
    EXPECT_EQ(notes.entries()[0].round, 1u);
    EXPECT_EQ(notes.entries()[1].round, 1u);
    EXPECT_EQ(notes.entries()[2].round, 2u);
    EXPECT_EQ(notes.entries()[2].began, 10ms);
    EXPECT_EQ(notes.entries()[2].ended, 15ms);
}

TEST(timeline_text, draws_each_request_from_its_begin_to_its_end)
{
    timeline_entry early;
    early.operation = "get";
    early.subject = "latest.json";
    early.round = 1;
    early.ended = 12ms;
    early.outcome = "30 bytes";
    timeline_entry late = early;
    late.subject = "1.commit";
    late.round = 2;
    late.began = 12ms;
    late.ended = 24ms;
    late.attempts = 2;
    late.outcome = "absent";

    EXPECT_EQ(timeline_text({early, late}, 24ms),
              "round  begun ms  ended ms\n"
              "    1       0.0      12.0  |=============           |  get latest.json: 30 bytes\n"
              "    2      12.0      24.0  |            ============|  get 1.commit: absent, sent 2 times\n"
              "done                 24.0\n");
}

TEST(noting_store, notes_what_was_there_and_what_was_not)
{
    test::virtual_clock time;
    auto const memory = make_memory_store(time);
    timeline notes(time);
    auto const noted = make_noting_store(*memory, notes);
    object_key const key("here");
    ASSERT_TRUE(test::run(time, noted->put(key, bytes("abc"))));

    EXPECT_TRUE(test::run(time, noted->get(key, get_options())));
    EXPECT_FALSE(test::run(time, noted->get(object_key("gone"), get_options())));
    EXPECT_TRUE(test::run(time, noted->list("", list_options())));

    ASSERT_EQ(notes.entries().size(), 3u);
    EXPECT_EQ(notes.entries()[0].outcome, "3 bytes");
    EXPECT_EQ(notes.entries()[1].outcome, "absent");
    EXPECT_EQ(notes.entries()[2].outcome, "1 names");
}

}  // namespace
}  // namespace headwater::cli
