// The same faults under the decorators: what a caller of the usual stack is told when answers get lost.
#include "tests/faults/rig.hpp"

#include <gtest/gtest.h>

namespace headwater::faults {

namespace {

using namespace std::chrono_literals;
using test::deed;
using test::dialect;

struct settled : testing::TestWithParam<wire_kind> {};

INSTANTIATE_TEST_SUITE_P(wires, settled, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

deed without_effect(deed what)
{
    what.takes_effect = deed::effect::never;
    return what;
}

std::vector<deed> passing_faults(dialect speaks)
{
    std::vector<deed> out = {
        test::drop(),
        test::reset(),
        without_effect(test::cut_after(20)),
        without_effect(test::stall_after(0)),
        test::say("garbage\r\n"),
        test::refuse(500, ""),
        test::refuse(429, ""),
        test::refuse(503, "", {{"Retry-After", "0"}}),
    };
    if (speaks == dialect::s3) {
        out.push_back(test::refuse(409, "ConditionalRequestConflict"));
        out.push_back(test::refuse(409, "OperationAborted"));
    }
    return out;
}

}  // namespace

TEST_P(settled, repeats_are_paid_from_the_endpoint_s_bucket)
{
    rig on(GetParam());
    ASSERT_TRUE(on.adapter->tokens());
    EXPECT_EQ(on.store->tokens(), on.adapter->tokens());
    EXPECT_EQ(on.settling->tokens(), on.adapter->tokens());
}

TEST_P(settled, a_create_that_was_not_applied_is_made)
{
    for (auto const& what : passing_faults(GetParam().speaks)) {
        rig on(GetParam(), what);
        on.server.next({what, what});
        auto const answer = on.run(on.store->put_if_absent(key, bytes("ours")));
        ASSERT_EQ(told(answer), "created") << (answer ? "" : answer.error().message());
        EXPECT_EQ(answer->info.attempts, 3u);
        EXPECT_EQ(on.server.writes("key"), 1);
    }
}

TEST_P(settled, a_create_whose_answer_was_lost_is_ours)
{
    for (auto const& what : {test::commit_then_drop(), test::cut_after(20), test::stall_after(20)}) {
        rig on(GetParam(), what);
        on.server.next({what});
        auto const answer = on.run(on.store->put_if_absent(key, bytes("ours")));
        ASSERT_EQ(told(answer), "created");
        EXPECT_TRUE(answer->earlier_unknown);
        EXPECT_EQ(answer->info.attempts, 3u);  // Sent, sent again, read back.
        EXPECT_EQ(on.server.writes("key"), 1);
    }
}

TEST_P(settled, a_create_that_another_won_meanwhile_is_theirs)
{
    rig on(GetParam());
    on.server.put("key", "theirs");
    on.server.next({test::drop()});
    EXPECT_EQ(told(on.run(on.store->put_if_absent(key, bytes("ours")))), "exists");
    EXPECT_EQ(on.server.content("key"), "theirs");
}

TEST_P(settled, a_create_that_is_applied_late_loses_to_its_own_repeat)
{
    rig on(GetParam());
    on.server.next({test::drop_then_commit(60ms)});
    auto const answer = on.run(on.store->put_if_absent(key, bytes("ours")));
    EXPECT_EQ(told(answer), "created");
    on.io.restart();
    on.io.run_for(100ms);
    EXPECT_EQ(on.server.writes("key"), 1);
    EXPECT_EQ(on.server.content("key"), "ours");
}

TEST_P(settled, an_update_whose_answer_was_lost_is_ours)
{
    rig on(GetParam());
    on.server.put("key", "old");
    etag const current(on.server.tag("key"));
    on.server.next({test::commit_then_drop()});
    auto const answer = on.run(on.store->put_if_match(key, bytes("new"), current));
    EXPECT_EQ(told(answer), "replaced");
    EXPECT_EQ(answer->tag.text(), on.server.tag("key"));
    EXPECT_EQ(on.server.writes("key"), 1);
}

TEST_P(settled, a_store_that_never_answers_leaves_the_create_in_doubt)
{
    rig on(GetParam());
    on.server.always(test::drop());
    auto const began = on.time->since_boot();
    auto const answer = on.run(on.store->put_if_absent(key, bytes("ours")));
    EXPECT_EQ(told(answer), "outcome_unknown");
    EXPECT_GT(why(answer).attempts, 12u) << "only time ends a doubt";
    EXPECT_GE(on.time->since_boot() - began, 2'000ms);
}

// What a proxy answers may be of a request that it has sent on all the same.
TEST_P(settled, a_create_that_a_proxy_sent_on_and_refused_is_ours)
{
    for (int const status : {409, 429, 502, 503}) {
        rig on(GetParam());
        auto applied = test::change([status](test::reply& answer) {
            answer = test::reply();
            answer.status = status;
        });
        on.server.next({applied});
        auto const answer = on.run(on.store->put_if_absent(key, bytes("ours")));
        ASSERT_EQ(told(answer), "created") << status;
        EXPECT_TRUE(answer->earlier_unknown);
        EXPECT_EQ(on.server.writes("key"), 1);
    }
}

TEST_P(settled, a_create_whose_repeat_is_refused_is_ours)
{
    rig on(GetParam());
    on.server.next({test::commit_then_drop(), test::refuse(403, "AccessDenied")});
    auto const answer = on.run(on.store->put_if_absent(key, bytes("ours")));
    ASSERT_EQ(told(answer), "created");
    EXPECT_EQ(answer->info.attempts, 3u);  // Sent, refused, read back.
}

TEST_P(settled, a_plain_write_that_is_put_off_is_made)
{
    for (int const status : {408, 429, 500, 503}) {
        rig on(GetParam());
        on.server.next({test::refuse(status, "")});
        EXPECT_EQ(told(on.run(on.store->put(key, bytes("ours")))), "written") << status;
        on.server.next({test::refuse(status, "")});
        EXPECT_EQ(told(on.run(on.store->remove(key))), "removed") << status;
        EXPECT_FALSE(on.server.content("key"));
    }
}

TEST_P(settled, a_read_outlives_every_passing_fault)
{
    for (auto const& what : passing_faults(GetParam().speaks)) {
        if (what.rewrites) continue;  // Garbage is no passing fault of a read.
        rig on(GetParam(), what);
        on.server.put("key", "content");
        on.server.next({what, what});
        auto const answer = on.run(on.store->get(key, get_options()));
        ASSERT_EQ(told(answer), "ok") << answer.error().message();
        EXPECT_EQ(answer->content.view(), "content");
    }
}

}  // namespace headwater::faults
