// The table of what follows what, row by row.
#include "src/store/settle_step.hpp"

#include <gtest/gtest.h>

namespace headwater {
namespace {

using action = settle_action;

TEST(settlement, an_answer_to_the_first_request_decides)
{
    struct row {
        write_end end;
        action next;
    };
    constexpr row rows[] = {
        {write_end::done, action::won},     {write_end::taken, action::lost},   {write_end::nothing, action::send},
        {write_end::unknown, action::send}, {write_end::refused, action::fail},
    };
    for (auto const& [end, next] : rows) {
        for (auto const kind : {settled_write::create, settled_write::update}) {
            settlement state(kind);
            EXPECT_EQ(state.after_write(end), next) << int(end);
            EXPECT_FALSE(state.earlier_unknown()) << int(end);
        }
    }
}

TEST(settlement, an_answer_after_an_unknown_request_does_not_always_decide)
{
    struct row {
        write_end end;
        action next;
    };
    constexpr row rows[] = {
        {write_end::done, action::won},     {write_end::taken, action::read_back},   {write_end::nothing, action::send},
        {write_end::unknown, action::send}, {write_end::refused, action::read_back},
    };
    for (auto const& [end, next] : rows) {
        settlement state(settled_write::create);
        EXPECT_EQ(state.after_write(write_end::unknown), action::send);
        EXPECT_EQ(state.after_write(end), next) << int(end);
        EXPECT_TRUE(state.earlier_unknown()) << int(end);
    }
}

TEST(settlement, an_unknown_request_is_not_forgotten_after_one_that_did_nothing)
{
    settlement state(settled_write::create);
    EXPECT_EQ(state.after_write(write_end::unknown), action::send);
    EXPECT_EQ(state.after_write(write_end::nothing), action::send);
    EXPECT_EQ(state.after_write(write_end::taken), action::read_back);
    EXPECT_EQ(state.give_up(), action::in_doubt);
}

TEST(settlement, a_read_back_decides_unless_it_finds_nothing)
{
    settlement const create(settled_write::create);
    settlement const update(settled_write::update);
    EXPECT_EQ(create.after_read(read_end::same), action::won);
    EXPECT_EQ(update.after_read(read_end::same), action::won);
    EXPECT_EQ(create.after_read(read_end::different), action::lost);
    EXPECT_EQ(update.after_read(read_end::different), action::lost);
    EXPECT_EQ(update.after_read(read_end::unchanged), action::send);
    EXPECT_EQ(create.after_read(read_end::unreadable), action::read_back);
    EXPECT_EQ(update.after_read(read_end::unreadable), action::read_back);
    EXPECT_EQ(create.after_read(read_end::absent), action::send);
    EXPECT_EQ(update.after_read(read_end::absent), action::lost);
}

TEST(settlement, a_refusal_after_an_unknown_request_leaves_it_in_doubt)
{
    settlement state(settled_write::update);
    EXPECT_FALSE(state.in_doubt());
    EXPECT_EQ(state.after_write(write_end::unknown), action::send);
    EXPECT_TRUE(state.in_doubt());
    EXPECT_EQ(state.after_write(write_end::refused), action::read_back);
    EXPECT_EQ(state.give_up(), action::in_doubt);
    EXPECT_EQ(state.after_read(read_end::unchanged), action::send);
    EXPECT_TRUE(state.in_doubt());
}

TEST(settlement, giving_up_without_an_unknown_request_is_a_plain_failure)
{
    settlement state(settled_write::update);
    EXPECT_EQ(state.after_write(write_end::nothing), action::send);
    EXPECT_EQ(state.give_up(), action::fail);
    EXPECT_EQ(state.after_write(write_end::unknown), action::send);
    EXPECT_EQ(state.give_up(), action::in_doubt);
}

TEST(end_of, an_error_is_an_end)
{
    EXPECT_EQ(end_of(errc::precondition_failed), write_end::taken);
    EXPECT_EQ(end_of(errc::unavailable), write_end::nothing);
    EXPECT_EQ(end_of(errc::outcome_unknown), write_end::unknown);
    for (auto const code : {errc::access_denied, errc::configuration, errc::invalid_argument, errc::protocol}) {
        EXPECT_EQ(end_of(code), write_end::refused);
    }
}

}  // namespace
}  // namespace headwater
