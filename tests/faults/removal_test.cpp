// remove_many over a real socket: one request on S3, one for each key on Azure; what became of every key, when some
// fail, answers get lost, or the answer says less than it should.
#include "tests/faults/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace headwater::faults {

namespace {

using namespace std::chrono_literals;
using test::dialect;

struct removal : testing::TestWithParam<wire_kind> {
    bool is_s3() const { return GetParam().speaks == dialect::s3; }
};

INSTANTIATE_TEST_SUITE_P(wires, removal, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

// Names with all that XML and paths escape.
std::vector<object_key> some_keys()
{
    std::vector<object_key> out;
    for (char const* const each : {"a", "b & <c>", "d+e%20", "ä/ö", "f"}) out.emplace_back(each);
    return out;
}

void put_all(rig& on)
{
    for (auto const& each : some_keys()) on.server.put(each.text(), "x");
}

// Keys that may be there still, and why; a batch without an answer is one of each.
std::map<std::string, std::string> failures(result<remove_many_answer> const& answer)
{
    std::map<std::string, std::string> out;
    if (!answer) out["all"] = told(answer.error());
    for (auto const& each : answer ? answer->failed : std::vector<key_failure>()) out[each.key.text()] = told(each.why);
    return out;
}

using failed = std::map<std::string, std::string>;

result<remove_many_answer> remove_from(object_store& store, rig& on) { return on.run(store.remove_many(some_keys())); }

}  // namespace

TEST_P(removal, of_many_keys_is_one_request_on_s3_and_one_for_each_on_azure)
{
    rig on(GetParam());
    put_all(on);
    on.server.put("stays", "x");
    auto const answer = remove_from(*on.adapter, on);
    EXPECT_EQ(failures(answer), failed());
    for (auto const& each : some_keys()) EXPECT_FALSE(on.server.content(each.text()));
    EXPECT_TRUE(on.server.content("stays"));
    EXPECT_EQ(on.server.wire().requests(), is_s3() ? 1 : 5);
    EXPECT_EQ(answer->info.attempts, is_s3() ? 1u : 5u);
    EXPECT_FALSE(answer->info.request_id.empty());
    EXPECT_EQ(failures(remove_from(*on.adapter, on)), failed());  // What is not there is gone.
}

TEST_P(removal, that_fails_for_some_keys_tells_which)
{
    rig on(GetParam());
    put_all(on);
    auto const denied = is_s3() ? "AccessDenied" : "LeaseIdMissing";
    auto const broken = is_s3() ? "InternalError" : "AccountBeingCreated";
    on.server.always(test::fail_removals({{"a", denied}, {"ä/ö", broken}}));
    auto const answer = remove_from(*on.adapter, on);
    EXPECT_EQ(failures(answer), (failed{{"a", "access_denied"}, {"ä/ö", is_s3() ? "outcome_unknown" : "unavailable"}}));
    for (auto const& each : answer->failed) {
        EXPECT_EQ(each.why.why()->key, each.key.text());
        EXPECT_FALSE(each.why.why()->request_id.empty());
        EXPECT_FALSE(each.why.why()->service_code.empty());
    }
    EXPECT_TRUE(on.server.content("a"));
    EXPECT_TRUE(on.server.content("ä/ö"));
    EXPECT_FALSE(on.server.content("f"));
}

TEST_P(removal, whose_answer_is_lost_is_in_doubt_key_by_key)
{
    for (auto const& what :
         {test::commit_then_drop(), test::drop(), test::reset(), test::cut_after(60), test::drop_then_commit(20ms)}) {
        rig on(GetParam(), what);
        put_all(on);
        if (is_s3()) {
            on.server.next({what});
        } else {
            on.server.next_about("ä/ö", {what});
        }
        auto const answer = remove_from(*on.adapter, on);
        EXPECT_EQ(failures(answer),
                  is_s3() ? failed({{"all", "outcome_unknown"}}) : failed({{"ä/ö", "outcome_unknown"}}));
        EXPECT_EQ(on.server.wire().requests(), is_s3() ? 1 : 5);
        // Whoever asks again learns it: a removal can be repeated.
        on.io.restart();
        on.io.run_for(40ms);
        EXPECT_EQ(failures(remove_from(*on.adapter, on)), failed());
        for (auto const& each : some_keys()) EXPECT_FALSE(on.server.content(each.text()));
    }
}

TEST_P(removal, that_did_nothing_is_asked_for_again)
{
    rig on(GetParam());
    put_all(on);
    if (is_s3()) {
        on.server.next(
            {test::refuse(429, ""), test::fail_removals({{"a", "OperationAborted"}, {"f", "AccessDenied"}})});
    } else {
        on.server.next_about("a", {test::refuse(429, ""), test::refuse(429, "")});
        on.server.next_about("f", {test::refuse(403, "")});
    }
    EXPECT_EQ(failures(remove_from(*on.store, on)), (failed{{"f", "access_denied"}}));
    EXPECT_EQ(on.server.wire().requests(), is_s3() ? 3 : 7);
    EXPECT_FALSE(on.server.content("a"));
    EXPECT_TRUE(on.server.content("f"));
}

TEST_P(removal, that_is_refused_as_a_whole_fails_for_every_key)
{
    for (auto const& [status, code, word] :
         {std::tuple(403, "", "access_denied"), std::tuple(401, "", "access_denied"),
          std::tuple(503, "", "outcome_unknown"), std::tuple(429, "", "outcome_unknown"),
          std::tuple(404, is_s3() ? "NoSuchBucket" : "ContainerNotFound", "configuration")}) {
        rig on(GetParam());
        put_all(on);
        on.server.always(test::refuse(status, code));
        auto const answer = remove_from(*on.adapter, on);
        failed expected{{"all", word}};
        if (!is_s3()) {
            expected.clear();
            for (auto const& each : some_keys()) expected[each.text()] = word;
        }
        EXPECT_EQ(failures(answer), expected) << status;
        for (auto const& each : some_keys()) EXPECT_TRUE(on.server.content(each.text()));
    }
}

TEST_P(removal, whose_answer_says_less_than_it_should_is_in_doubt)
{
    if (!is_s3()) return;  // There the status says it all.
    auto const with_body = [](std::string body) {
        return test::change([body](test::reply& answer) { answer.body = body; });
    };
    std::string const whole = "<DeleteResult><Deleted><Key>a</Key></Deleted><Deleted><Key>f</Key></Deleted>";
    for (std::string const& body :
         {std::string(), whole, std::string("{}"), std::string("<Error><Code>InternalError</Code></Error>")}) {
        rig on(GetParam());
        on.server.next({with_body(body)});
        auto const answer = remove_from(*on.adapter, on);
        EXPECT_EQ(failures(answer), (failed{{"all", "outcome_unknown"}})) << body;
        EXPECT_FALSE(why(answer).request_id.empty());
    }
    rig on(GetParam());
    on.server.next({with_body(whole + "</DeleteResult>")});
    EXPECT_EQ(failures(remove_from(*on.adapter, on)),
              (failed{{"b & <c>", "outcome_unknown"}, {"d+e%20", "outcome_unknown"}, {"ä/ö", "outcome_unknown"}}));
}

TEST_P(removal, of_keys_that_xml_cannot_carry_goes_one_by_one)
{
    rig on(GetParam());
    std::vector<object_key> keys = some_keys();
    keys.emplace_back("odd\uFFFE");
    for (auto const& each : keys) on.server.put(each.text(), "x");
    auto const answer = on.run(on.adapter->remove_many(keys));
    EXPECT_EQ(failures(answer), failed());
    for (auto const& each : keys) EXPECT_FALSE(on.server.content(each.text())) << each.text();
    EXPECT_EQ(on.server.wire().requests(), is_s3() ? 2 : 6);
}

}  // namespace headwater::faults
