// FORMAT section 4's outcome table, row by row.
#include "src/log/publish_step.hpp"

#include <gtest/gtest.h>

namespace headwater {
namespace {

using a = slot_answer;
using d = publish_action;

struct publish_row {
    slot_answer answer;
    bool earlier_unknown;
    bool budget_spent;
    publish_action action;
};

constexpr publish_row publish_rows[] = {
    {a::created, false, false, d::succeed},
    {a::created, true, true, d::succeed},
    {a::exists, false, false, d::read},
    {a::exists, true, true, d::read},
    {a::read_same, true, true, d::succeed},
    {a::read_same, false, false, d::succeed},
    {a::read_other, true, false, d::conflict},
    {a::read_other, false, true, d::conflict},
    {a::read_absent, false, false, d::send},
    {a::read_absent, true, false, d::send},
    {a::read_absent, false, true, d::fail},
    {a::read_absent, true, true, d::in_doubt},
    {a::read_failed, false, false, d::read_later},
    {a::read_failed, true, true, d::in_doubt},
    {a::not_settled, false, false, d::send},
    {a::not_settled, true, true, d::in_doubt},
    {a::not_settled, false, true, d::fail},
    {a::unknown, true, false, d::send},
    {a::unknown, true, true, d::in_doubt},
    {a::refused, false, false, d::fail},
    {a::refused, true, false, d::in_doubt},
    {a::refused, false, true, d::fail},
};

TEST(publish_step, each_answer_has_one_meaning)
{
    for (auto const& each : publish_rows) {
        EXPECT_EQ(after(each.answer, each.earlier_unknown, each.budget_spent), each.action)
            << static_cast<int>(each.answer) << each.earlier_unknown << each.budget_spent;
    }
}

struct floor_row {
    publish_action decided;
    bool earlier_unknown;
    bool sent_lately;
    publish_action told;
};

constexpr floor_row floor_rows[] = {
    {d::succeed, false, true, d::conflict},   {d::succeed, true, true, d::conflict},
    {d::succeed, false, false, d::in_doubt},  {d::succeed, true, false, d::in_doubt},
    {d::conflict, false, true, d::conflict},  {d::conflict, true, true, d::conflict},
    {d::conflict, false, false, d::conflict}, {d::conflict, true, false, d::in_doubt},
};

TEST(publish_step, below_the_floor_only_what_never_took_effect_is_a_conflict)
{
    for (auto const& each : floor_rows) {
        EXPECT_EQ(after_floor(each.decided, each.earlier_unknown, each.sent_lately), each.told)
            << static_cast<int>(each.decided) << each.earlier_unknown << each.sent_lately;
    }
}

TEST(publish_step, an_unknown_request_is_never_followed_by_plain_failure)
{
    for (int answer = 0; answer <= static_cast<int>(a::read_failed); ++answer) {
        for (bool const spent : {false, true}) {
            EXPECT_NE(after(static_cast<slot_answer>(answer), true, spent), d::fail) << answer;
        }
    }
}

}  // namespace
}  // namespace headwater
