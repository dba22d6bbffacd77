// How a store wants its etags in If-Match is what was seen on the wire, not how often something had to be sent.
#include "tests/faults/rig.hpp"

#include <headwater/probe.hpp>

#include <gtest/gtest.h>

namespace headwater::faults {

namespace {

using test::deed;

/// What a probe without a listing asks before its first update: two creates, a get, a race of 8, a get.
constexpr std::size_t requests_before_updates = 12;

etag_form form_found(wire_kind const& kind, std::vector<deed> const& updates)
{
    rig on(kind);
    std::vector<deed> deeds(requests_before_updates, test::honest());
    deeds.insert(deeds.end(), updates.begin(), updates.end());
    on.server.next(std::move(deeds));
    probe_options const how{.updates = true, .listing = false};
    auto const proof = on.run(probe(*on.store, *on.time, *on.chance, how));
    if (!proof) throw failure(proof.error());
    EXPECT_TRUE(proof->conditional_update);
    return proof->if_match;
}

// Azure takes what it gave.
std::vector<wire_kind> s3_wires()
{
    auto out = all_wires();
    std::erase_if(out, [](wire_kind const& each) { return each.speaks != test::dialect::s3; });
    return out;
}

}  // namespace

struct etag_forms : testing::TestWithParam<wire_kind> {};

INSTANTIATE_TEST_SUITE_P(wires, etag_forms, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

TEST_P(etag_forms, a_store_that_was_busy_takes_them_as_given)
{
    EXPECT_EQ(form_found(GetParam(), {}), etag_form::as_given);
    auto const busy = test::refuse(503, "", {{"Retry-After", "0"}});
    EXPECT_EQ(form_found(GetParam(), {busy}), etag_form::as_given);
    EXPECT_EQ(form_found(GetParam(), {busy, busy}), etag_form::as_given);
}

struct bare_etags : testing::TestWithParam<wire_kind> {};

INSTANTIATE_TEST_SUITE_P(wires, bare_etags, testing::ValuesIn(s3_wires()),
                         [](auto const& one) { return to_string(one.param); });

TEST_P(bare_etags, a_store_that_takes_them_alone_is_known_busy_or_not)
{
    // The server knows quoted ones only: it refuses one that is right, and lets the bare one pass. Once busy, it is
    // asked twice: the adapter sends the second one bare at once.
    auto const refuses = test::refuse(412, "PreconditionFailed");
    auto const busy = test::refuse(503, "", {{"Retry-After", "0"}});
    EXPECT_EQ(form_found(GetParam(), {refuses, test::honest(), test::lie()}), etag_form::bare);
    EXPECT_EQ(
        form_found(GetParam(), {refuses, test::honest(), busy, refuses, test::honest(), test::lie(), test::lie()}),
        etag_form::bare);
}

TEST_P(etag_forms, an_update_whose_answer_was_lost_is_made_again)
{
    EXPECT_EQ(form_found(GetParam(), {test::commit_then_drop()}), etag_form::as_given);
}

}  // namespace headwater::faults
