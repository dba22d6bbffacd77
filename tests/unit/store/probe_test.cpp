// What a probe concludes from stores that keep their promises, and from those that lie.
#include <headwater/probe.hpp>

#include "tests/support/lying_store.hpp"
#include "tests/support/run.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace headwater {
namespace {

using namespace std::chrono_literals;
using test::lie;
using test::lying_store;

struct probe_test : testing::Test {
    result<store_proof> probed(lie how, memory_options options = {}, probe_options wanted = {})
    {
        memory_ = make_memory_store(time_, options);
        lying_store store(*memory_, how);
        return test::run(probe(store, time_, *chance_, wanted));
    }

    store_proof proof_of(lie how, memory_options options = {})
    {
        auto proof = probed(how, options);
        EXPECT_TRUE(proof) << proof.error().message();
        EXPECT_EQ(objects_left(), 0u);
        return proof ? *proof : store_proof();
    }

    std::size_t objects_left()
    {
        std::string const everything;
        auto const page = test::run(memory_->list(everything, list_options()));
        return page->objects.size();
    }

    std::string first_finding(store_proof const& proof)
    {
        return proof.findings.empty() ? "" : proof.findings.front().what;
    }

    test::virtual_clock time_;
    std::unique_ptr<random> chance_ = make_seeded_random(1);
    std::unique_ptr<object_store> memory_;
};

TEST_F(probe_test, honest_store_proves_everything)
{
    auto const proof = proof_of(lie::none);
    EXPECT_TRUE(proof.create_once);
    EXPECT_TRUE(proof.one_winner);
    EXPECT_TRUE(proof.conditional_update);
    EXPECT_TRUE(proof.list_allowed);
    EXPECT_TRUE(proof.ordered_listing);
    EXPECT_EQ(proof.clock_offset, 0ms);
    EXPECT_TRUE(proof.findings.empty()) << first_finding(proof);
    EXPECT_TRUE(check_writable(proof, "memory:"));
    EXPECT_EQ(proof.spent.requests, 25u);
    EXPECT_EQ(proof.spent.rounds, 12u);
}

TEST_F(probe_test, unordered_listing_is_no_finding)
{
    auto const proof = proof_of(lie::none, {.ordered_listing = false});
    EXPECT_TRUE(proof.list_allowed);
    EXPECT_FALSE(proof.ordered_listing);
    EXPECT_TRUE(proof.findings.empty()) << first_finding(proof);
}

TEST_F(probe_test, order_that_is_claimed_and_not_kept_is_found)
{
    auto const proof = proof_of(lie::claims_order, {.ordered_listing = false});
    EXPECT_TRUE(proof.list_allowed);
    EXPECT_FALSE(proof.ordered_listing);
    EXPECT_TRUE(check_writable(proof, ""));
    EXPECT_NE(first_finding(proof).find("HEADWATER_LISTING=unordered"), std::string::npos) << first_finding(proof);
}

TEST_F(probe_test, no_conditional_update_is_told_and_graphs_may_be_written)
{
    auto const proof = proof_of(lie::none, {.conditional_update = false});
    EXPECT_FALSE(proof.conditional_update);
    EXPECT_EQ(proof.if_match, etag_form::unknown);
    EXPECT_TRUE(check_writable(proof, "memory:"));
    EXPECT_TRUE(first_finding(proof).starts_with("updates under a condition are refused")) << first_finding(proof);
}

TEST_F(probe_test, ignored_if_none_match_is_found_with_the_answer_that_showed_it)
{
    auto const proof = proof_of(lie::ignores_if_none_match);
    EXPECT_FALSE(proof.create_once);
    EXPECT_FALSE(proof.one_winner);
    ASSERT_EQ(proof.findings.size(), 2u);
    EXPECT_EQ(proof.findings[0].what, "If-None-Match is ignored: a second create of the same key succeeded");
    EXPECT_EQ(proof.findings[0].status, 200);
    EXPECT_EQ(proof.findings[0].request_id, "tx1");
    EXPECT_EQ(proof.findings[1].what, "8 of 8 creates of one key at the same time won, not exactly one");
    auto const refused = check_writable(proof, "s3://bucket");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::unsupported);
    EXPECT_EQ(refused.error().why()->request_id, "tx1");
}

TEST_F(probe_test, creates_alone_are_proved_without_a_listing)
{
    auto const proof = probed(lie::cannot_list, {}, {.updates = false, .listing = false});
    ASSERT_TRUE(proof);
    EXPECT_TRUE(check_writable(*proof, ""));
    EXPECT_FALSE(check_updatable(*proof, ""));
    EXPECT_EQ(proof->spent.requests, 14u);
    EXPECT_EQ(proof->spent.rounds, 6u);
    EXPECT_EQ(objects_left(), 0u);
}

TEST_F(probe_test, second_winner_of_a_race_is_found)
{
    auto const proof = proof_of(lie::lets_two_win);
    EXPECT_TRUE(proof.create_once);
    EXPECT_FALSE(proof.one_winner);
    EXPECT_EQ(first_finding(proof), "2 of 8 creates of one key at the same time won, not exactly one");
    EXPECT_FALSE(check_writable(proof, ""));
}

TEST_F(probe_test, refusal_that_replaces_all_the_same_is_found)
{
    auto const proof = proof_of(lie::replaces_when_lost);
    EXPECT_FALSE(proof.create_once);
    EXPECT_FALSE(proof.one_winner);
    EXPECT_EQ(proof.findings.size(), 2u);
}

TEST_F(probe_test, unknown_conditional_create_is_found)
{
    auto const proof = proof_of(lie::refuses_creates);
    EXPECT_FALSE(proof.conditional_create());
    EXPECT_TRUE(first_finding(proof).starts_with("conditional creates are refused")) << first_finding(proof);
}

TEST_F(probe_test, ignored_if_match_is_found_and_graphs_may_be_written)
{
    auto const proof = proof_of(lie::ignores_if_match);
    EXPECT_TRUE(check_writable(proof, ""));
    EXPECT_FALSE(proof.conditional_update);
    EXPECT_FALSE(check_updatable(proof, ""));
    EXPECT_EQ(first_finding(proof), "If-Match is ignored: an update under an old etag succeeded");
}

TEST_F(probe_test, listing_without_permission_is_no_finding)
{
    auto const proof = proof_of(lie::refuses_listings);
    EXPECT_FALSE(proof.list_allowed);
    EXPECT_TRUE(proof.findings.empty()) << first_finding(proof);
}

TEST_F(probe_test, listing_that_fails_or_hides_is_found)
{
    for (auto const how : {lie::cannot_list, lie::hides_from_listings}) {
        auto const proof = proof_of(how);
        EXPECT_FALSE(proof.list_allowed);
        EXPECT_FALSE(proof.ordered_listing);
        EXPECT_TRUE(check_writable(proof, ""));
        EXPECT_EQ(proof.findings.size(), 1u);
    }
}

TEST_F(probe_test, store_that_cannot_be_reached_proves_nothing)
{
    auto const proof = probed(lie::is_unreachable);
    ASSERT_FALSE(proof);
    EXPECT_EQ(proof.error(), errc::unavailable);
}

TEST(least_clock_offset, explains_the_date)
{
    struct row {
        int date, sent, answered, offset;
    };
    constexpr row rows[] = {
        {5000, 5200, 5300, 0},     // Cut off to the whole second.
        {5000, 5999, 5999, 0},     // Its last millisecond.
        {5000, 6100, 6200, -101},  // The store is behind.
        {7000, 5000, 5100, 1900},  // The store is ahead.
        {5000, 4000, 9000, 0},     // A slow answer explains much.
    };
    for (auto const& [date, sent, answered, offset] : rows) {
        auto const at = [](int ms) { return time_ms(std::chrono::milliseconds(ms)); };
        EXPECT_EQ(least_clock_offset(at(date), at(sent), at(answered)).count(), offset) << date << ' ' << sent;
    }
}

TEST_F(probe_test, a_proof_is_asked_for_once_and_a_broken_promise_each_time)
{
    auto const memory = make_memory_store(time_);
    meter counts;
    auto const counted = make_metered_store(*memory, counts);
    auto const known = make_proof_memory();
    using what = headwater::proof_of;
    auto const prove = [&](object_store& store, what wanted) {
        prover one(time_, *chance_, *known);
        return test::run(one.demand(store, wanted));
    };
    EXPECT_TRUE(prove(*counted, what::creates));
    EXPECT_EQ(counts.total().requests, 14u);
    EXPECT_EQ(counts.total().rounds, 6u);
    EXPECT_TRUE(prove(*counted, what::creates));
    EXPECT_EQ(counts.total().requests, 14u);
    EXPECT_TRUE(prove(*counted, what::updates));
    EXPECT_TRUE(prove(*counted, what::updates));
    EXPECT_TRUE(prove(*counted, what::creates));
    EXPECT_EQ(counts.total().requests, 14u + 17u);
    EXPECT_EQ(counts.total().rounds, 6u + 9u);

    auto const forgetful = make_proof_memory();
    lying_store liar(*memory, lie::ignores_if_none_match);
    prover again(time_, *chance_, *forgetful);
    for (int times = 0; times < 2; ++times) {
        auto const refused = test::run(again.demand(liar, what::creates));
        EXPECT_EQ(refused.error(), errc::unsupported);
    }
    EXPECT_FALSE(forgetful->has(liar.address(), what::creates));
}

// A file of proofs that cannot be written, for one.
class no_memory final : public proof_memory {
public:
    bool has(std::string_view, headwater::proof_of) const override { return false; }
    void add(std::string_view, headwater::proof_of) override {}
};

TEST_F(probe_test, a_prover_asks_once_whatever_its_memory_forgets)
{
    auto const memory = make_memory_store(time_);
    meter counts;
    auto const counted = make_metered_store(*memory, counts);
    no_memory nothing;
    prover one(time_, *chance_, nothing);
    EXPECT_TRUE(test::run(one.demand(*counted, headwater::proof_of::creates)));
    EXPECT_TRUE(test::run(one.demand(*counted, headwater::proof_of::creates)));
    EXPECT_EQ(counts.total().requests, 14u);
}

}  // namespace
}  // namespace headwater
