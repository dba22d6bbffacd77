// What a verb says when a signal ended it, or when its last write had no answer.
#include "tools/headwater/next_step.hpp"

#include "tools/headwater/print.hpp"

#include <boost/system/errc.hpp>

#include <gtest/gtest.h>

#include <string>

namespace headwater::cli {
namespace {

error_code const cancelled = make_error_code(boost::system::errc::operation_canceled);

template <class Verb>
next_step step_of(Verb verb)
{
    arguments wanted;
    wanted.wanted = std::move(verb);
    return next_step_of(wanted);
}

error with_token(error_code code)
{
    diagnostics why("publish", "key", "commit X may have been published");
    why.facts.emplace_back("resume", "1.X.d.main");
    return {code, std::move(why)};
}

TEST(next_step, every_verb_that_writes_has_one_and_those_that_read_have_none)
{
    for (auto const& each :
         {step_of(init_arguments()), step_of(demo_arguments()), step_of(create_arguments()),
          step_of(import_arguments()), step_of(branch_create_arguments()), step_of(branch_delete_arguments()),
          step_of(branch_merge_arguments()), step_of(cleanup_arguments()), step_of(repair_arguments())}) {
        EXPECT_NE(each.after_stop, "");
        EXPECT_NE(each.after_unknown, "");
    }
    EXPECT_EQ(step_of(resolve_arguments()).after_unknown, "") << "its own answers say it";
    EXPECT_EQ(step_of(snapshot_arguments()).after_unknown, "");
}

TEST(with_next_step, cancelled_commit_in_doubt_is_unknown_and_names_the_token)
{
    auto const told = with_next_step(with_token(cancelled), step_of(create_arguments()));
    EXPECT_EQ(told, errc::outcome_unknown);
    EXPECT_EQ(exit_code_of(told), exit_code::unknown);
    EXPECT_EQ(told.why()->detail, "commit X may have been published; stopped by a signal; `headwater resolve` with the "
                                  "token says what became of it");
    EXPECT_NE(error_json(told).find(R"("resume":"1.X.d.main")"), std::string::npos);
}

TEST(with_next_step, cancelled_without_a_token_says_what_to_do)
{
    auto const told = with_next_step(cancelled, step_of(cleanup_arguments()));
    EXPECT_EQ(told.code(), cancelled);
    EXPECT_EQ(told.why()->detail, "stopped by a signal; run it again: it goes on where it stopped");
    EXPECT_EQ(with_next_step(cancelled, step_of(create_arguments())).why()->detail,
              "stopped by a signal; nothing was committed");
    error const counted(cancelled, diagnostics("demo", "", "stopped by a signal; 3 commits stand"));
    EXPECT_EQ(with_next_step(counted, step_of(demo_arguments())).why()->detail, counted.why()->detail);
}

TEST(with_next_step, doubt_without_a_token_says_what_to_do)
{
    error const unknown(errc::outcome_unknown, diagnostics("put_if_match", "key", "no answer"));
    EXPECT_EQ(with_next_step(unknown, step_of(repair_arguments())).why()->detail,
              "no answer; run it again: it goes on where it stopped");
    EXPECT_NE(with_next_step(unknown, step_of(branch_create_arguments())).why()->detail.find("headwater branch list"),
              std::string::npos);
    EXPECT_EQ(with_next_step(unknown, step_of(resolve_arguments())).why()->detail, "no answer");
    EXPECT_EQ(
        with_next_step(with_token(make_error_code(errc::outcome_unknown)), step_of(resolve_arguments())).why()->detail,
        "commit X may have been published");
}

TEST(with_next_step, other_errors_stay_as_they_are)
{
    error const conflict(errc::conflict, "taken");
    EXPECT_EQ(with_next_step(conflict, step_of(create_arguments())).why(), conflict.why());
}

}  // namespace
}  // namespace headwater::cli
