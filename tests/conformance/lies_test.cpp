// The checks are checked: each lie of a store is found out by the checks that are about it, and by no other.
#include <headwater/conformance.hpp>

#include "tests/support/lying_store.hpp"
#include "tests/support/run.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/adapters/memory.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headwater {
namespace {

using test::lie;
using names = std::set<std::string>;

struct lies : testing::Test {
    names ended(lie how, check_outcome outcome, memory_options options = {})
    {
        auto const memory = make_memory_store(time_, options);
        test::lying_store store(*memory, how);
        conformance_subject on(store, time_, *chance_);
        on.race_rounds = 2;
        names out;
        for (auto const& check : conformance_checks()) {
            auto const result = test::run(run_check(check, on));
            if (result.outcome == outcome) out.emplace(check.name);
            EXPECT_EQ(result.left_behind, 0u) << check.name;
            EXPECT_EQ(result.message.empty(), result.outcome == check_outcome::passed) << check.name;
        }
        return out;
    }

    names failed(lie how) { return ended(how, check_outcome::failed); }

    test::virtual_clock time_;
    std::unique_ptr<random> chance_ = make_seeded_random(1);
};

TEST_F(lies, honest_store_fails_nothing) { EXPECT_EQ(failed(lie::none), names()); }

TEST_F(lies, ignored_if_none_match_is_found)
{
    EXPECT_EQ(
        failed(lie::ignores_if_none_match),
        (names{"create_again_after_the_same_bytes_loses", "create_over_a_put_loses", "create_twice_keeps_the_first",
               "empty_body", "race_of_8_creates_has_one_winner", "race_of_32_creates_has_one_winner"}));
}

TEST_F(lies, refusal_that_replaces_all_the_same_is_found)
{
    auto const found = failed(lie::replaces_when_lost);
    EXPECT_TRUE(found.contains("create_twice_keeps_the_first"));
    EXPECT_TRUE(found.contains("race_of_8_creates_has_one_winner"));
}

TEST_F(lies, ignored_if_match_is_found)
{
    EXPECT_EQ(failed(lie::ignores_if_match), (names{"race_of_8_updates_has_one_winner", "update_of_what_is_gone_fails",
                                                    "update_with_a_wrong_etag_fails"}));
}

TEST_F(lies, hidden_keys_are_found)
{
    auto const found = failed(lie::hides_from_listings);
    for (auto const* each : {"list_shows_each_write_at_once", "list_goes_on_past_one_page", "keys_of_the_log"}) {
        EXPECT_TRUE(found.contains(each)) << each;
    }
    EXPECT_FALSE(found.contains("round_trip"));
}

TEST_F(lies, what_the_store_disclaims_is_not_applicable)
{
    EXPECT_EQ(ended(lie::none, check_outcome::failed, {.conditional_update = false}), names());
    auto const updates = ended(lie::none, check_outcome::not_applicable, {.conditional_update = false});
    EXPECT_TRUE(updates.contains("update_with_a_wrong_etag_fails"));
    EXPECT_TRUE(updates.contains("race_of_8_updates_has_one_winner"));
    EXPECT_EQ(failed(lie::refuses_listings), names());
    EXPECT_TRUE(ended(lie::refuses_listings, check_outcome::not_applicable).contains("list_start_after_is_exclusive"));
}

}  // namespace
}  // namespace headwater
