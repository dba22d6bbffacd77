// The whole table: codes, statuses, broken exchanges, waits, and what is sent again.
#include "adapters/azure/answer_table.hpp"
#include "tests/unit/azure/builders.hpp"

#include <gmock/gmock.h>

namespace headwater::azure {

namespace {

using std::chrono::milliseconds;
using test::a;
using test::answer;
using test::at;
using test::corrected;
using test::refused;
using enum operation;

constexpr operation every[] = {get, head, put, create, update, remove, list};

TEST(refusal, code_or_status_decides_by_operation)
{
    struct row {
        operation what;
        int status;
        char const* code;
        errc meaning;
    };
    row const rows[] = {
        {get, 404, "BlobNotFound", errc::not_found},
        {get, 404, "", errc::configuration},
        {get, 404, "AccountNotFound", errc::configuration},
        {get, 404, "ContainerNotFound", errc::configuration},
        {get, 404, "ResourceNotFound", errc::configuration},
        {head, 404, "BlobNotFound", errc::not_found},
        {head, 404, "", errc::not_found},
        {head, 404, "AccountNotFound", errc::configuration},
        {head, 404, "ContainerNotFound", errc::configuration},
        {remove, 404, "BlobNotFound", errc::not_found},
        {remove, 404, "", errc::configuration},
        {remove, 404, "ContainerNotFound", errc::configuration},
        {list, 404, "ContainerNotFound", errc::configuration},
        {list, 404, "", errc::configuration},
        {put, 404, "", errc::configuration},
        {create, 404, "ContainerNotFound", errc::configuration},
        {create, 404, "", errc::configuration},
        {update, 404, "BlobNotFound", errc::precondition_failed},
        {update, 404, "", errc::configuration},
        {update, 404, "ContainerNotFound", errc::configuration},
        {update, 412, "ConditionNotMet", errc::precondition_failed},
        {update, 412, "LeaseIdMissing", errc::access_denied},
        {get, 304, "ConditionNotMet", errc::not_modified},
        {list, 304, "", errc::protocol},
        {get, 409, "BlobArchived", errc::unsupported},
        {get, 416, "InvalidRange", errc::invalid_argument},
        {put, 409, "InvalidBlobType", errc::unsupported},
        {put, 409, "BlobImmutableDueToPolicy", errc::access_denied},
        {put, 413, "RequestBodyTooLarge", errc::limit_exceeded},
        {put, 413, "", errc::limit_exceeded},
        {get, 413, "", errc::protocol},
        {get, 413, "RequestBodyTooLarge", errc::protocol},
        {put, 400, "Md5Mismatch", errc::unavailable},
        {put, 400, "InvalidResourceName", errc::invalid_argument},
        {put, 403, "UnauthorizedBlobOverwrite", errc::access_denied},
        {put, 501, "NotImplemented", errc::unsupported},
        {put, 409, "ContainerBeingDeleted", errc::configuration},
        {create, 409, "SomethingNew", errc::outcome_unknown},
        {update, 409, "", errc::outcome_unknown},
        {get, 409, "", errc::unavailable},
        {remove, 409, "SnapshotsPresent", errc::unsupported},
        {get, 307, "", errc::configuration},
        {get, 204, "", errc::protocol},
        {create, 200, "", errc::outcome_unknown},
    };
    for (auto const& [what, status, code, meaning] : rows) {
        EXPECT_EQ(refusal(a(what), refused(status, code)), meaning) << int(what) << ' ' << status << ' ' << code;
    }
}

TEST(refusal, of_credentials_is_access_denied_for_every_operation)
{
    for (auto const what : every) {
        for (auto const* code :
             {"AuthenticationFailed", "AuthorizationFailure", "AuthorizationPermissionMismatch", ""}) {
            EXPECT_EQ(refusal(a(what), refused(403, code)), errc::access_denied) << code;
        }
        EXPECT_EQ(refusal(a(what), refused(401, "NoAuthenticationInformation")), errc::access_denied);
        EXPECT_EQ(refusal(a(what), refused(400, "InvalidAuthenticationInfo")), errc::access_denied);
    }
}

TEST(refusal, of_a_busy_service_leaves_a_write_unknown)
{
    for (auto const what : every) {
        auto const meaning = is_write(what) ? errc::outcome_unknown : errc::unavailable;
        for (int const status : {408, 429, 499, 500, 502, 503, 504}) {
            EXPECT_EQ(refusal(a(what), answer(status)), meaning) << int(what) << ' ' << status;
        }
        EXPECT_EQ(refusal(a(what), refused(503, "ServerBusy")), meaning);
    }
}

TEST(refusal, says_what_a_person_needs)
{
    auto const why =
        refusal(a(get, 2), answer(500,
                                  {{"x-ms-error-code", "InternalError"},
                                   {"x-ms-request-id", "id-1"},
                                   {"Date", "Mon, 30 Nov 2026 00:00:00 GMT"}},
                                  "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>InternalError"
                                  "</Code><Message>It broke.\nRequestId:id-1\nTime:x</Message></Error>"));
    ASSERT_TRUE(why.why());
    EXPECT_EQ(why.why()->operation, "get");
    EXPECT_EQ(why.why()->key, "main/1");
    EXPECT_EQ(why.why()->store, "https://acct.blob.core.windows.net/log/graph");
    EXPECT_EQ(why.why()->service_code, "InternalError");
    EXPECT_EQ(why.why()->request_id, "id-1");
    EXPECT_EQ(why.why()->status, 500);
    EXPECT_EQ(why.why()->attempts, 2);
    EXPECT_EQ(why.why()->detail, "It broke.");
    EXPECT_EQ(why.why()->date, at("Mon, 30 Nov 2026 00:00:00 GMT"));
}

TEST(refusal, code_may_come_in_the_body_alone)
{
    auto const why =
        refusal(a(get), answer(404, {}, "<Error><Code>ContainerNotFound</Code><Message>No.</Message></Error>"));
    EXPECT_EQ(why, errc::configuration);
    EXPECT_EQ(why.why()->service_code, "ContainerNotFound");
}

TEST(refusal, a_proxys_page_proves_no_blob_absent)
{
    auto const* const page = "<html><body>404 Not Found</body></html>";
    for (auto const what : {get, update, remove}) {
        auto const why = refusal(a(what), answer(404, {{"Content-Type", "text/html"}}, page));
        EXPECT_EQ(why, errc::configuration);
        EXPECT_THAT(why.message(), testing::HasSubstr("check the endpoint"));
    }
    EXPECT_EQ(refusal(a(get), answer(404, {}, "<Error><Code>BlobNotFound</Code></Error>")), errc::not_found);
}

TEST(refusal, never_repeats_a_signature)
{
    for (auto const* message :
         {"The MAC signature 'secret' is not right.", "GET /c?sig=secret", "SharedKey acct:secret"}) {
        auto const why = refusal(a(get), answer(400, {},
                                                "<Error><Code>Odd</Code><Message>" + std::string(message)
                                                    + "</Message><AuthenticationErrorDetail>secret"
                                                      "</AuthenticationErrorDetail></Error>"));
        EXPECT_THAT(why.message(), testing::Not(testing::HasSubstr("secret")));
    }
}

TEST(refusal, garbage_for_a_body_changes_nothing)
{
    for (auto const* body : {"<html>", "not xml", "<Error/>", "<Error><Code>"}) {
        EXPECT_EQ(refusal(a(get), answer(503, {}, body)), errc::unavailable);
    }
}

TEST(refusal, wait_comes_in_three_spellings)
{
    http::field const date = {"Date", "Mon, 30 Nov 2026 00:00:00 GMT"};
    std::pair<std::vector<http::field>, std::optional<milliseconds>> const rows[] = {
        {{{"x-ms-retry-after-ms", "250"}, {"Retry-After", "9"}}, milliseconds(250)},
        {{{"retry-after-ms", "40"}}, milliseconds(40)},
        {{{"Retry-After", "3"}}, milliseconds(3000)},
        {{{"Retry-After", "Mon, 30 Nov 2026 00:00:07 GMT"}, date}, milliseconds(7000)},
        {{{"Retry-After", "Sun, 29 Nov 2026 00:00:00 GMT"}, date}, milliseconds(0)},
        {{{"Retry-After", "Mon, 30 Nov 2026 00:00:07 GMT"}}, std::nullopt},
        {{{"Retry-After", "-1"}}, std::nullopt},
        {{{"Retry-After", "99999999999999999999"}}, std::nullopt},
        {{{"Retry-After", "soon"}}, std::nullopt},
        {{}, std::nullopt},
    };
    for (auto const& [fields, wish] : rows) EXPECT_EQ(refusal(a(get), answer(503, fields)).why()->retry_after, wish);
}

TEST(breakdown, of_a_write_is_unknown_unless_nothing_was_sent)
{
    for (auto const what : every) {
        auto const unknown = is_write(what) ? errc::outcome_unknown : errc::unavailable;
        auto const broken = [](http::broken how) {
            return http::exchange_error(how, error(errc::unavailable, "reset"));
        };
        EXPECT_EQ(breakdown(a(what), broken(http::broken::nothing_sent)), errc::unavailable);
        EXPECT_EQ(breakdown(a(what), broken(http::broken::stale)), unknown);
        EXPECT_EQ(breakdown(a(what), broken(http::broken::ambiguous)), unknown);
    }
}

TEST(breakdown, of_a_local_rule_keeps_its_code_unless_a_write_may_have_happened)
{
    auto const refused_for = [](errc code) { return http::exchange_error(http::broken::refused, error(code, "rule")); };
    EXPECT_EQ(breakdown(a(get), refused_for(errc::limit_exceeded)), errc::limit_exceeded);
    EXPECT_EQ(breakdown(a(get), refused_for(errc::protocol)), errc::protocol);
    EXPECT_EQ(breakdown(a(create), refused_for(errc::invalid_argument)), errc::invalid_argument);
    EXPECT_EQ(breakdown(a(create), refused_for(errc::limit_exceeded)), errc::outcome_unknown);
    EXPECT_EQ(breakdown(a(create), refused_for(errc::protocol)), errc::outcome_unknown);
}

TEST(breakdown, is_told_whose_it_is)
{
    auto const why = breakdown(a(create), {http::broken::ambiguous, error(errc::unavailable, "first_byte_timeout")});
    EXPECT_EQ(why.why()->operation, "put_if_absent");
    EXPECT_EQ(why.why()->key, "main/1");
    EXPECT_EQ(why.why()->detail, "first_byte_timeout");
}

TEST(after, stale_connection_is_tried_again_once_and_for_reads_alone)
{
    http::exchange_result const stale = http::exchange_error(http::broken::stale, error(errc::unavailable));
    for (auto const what : every) {
        EXPECT_EQ(after(a(what, 1), stale, {}), is_write(what) ? next_step::fail : next_step::send_again);
        EXPECT_EQ(after(corrected(what, next_step::send_again), stale, {}), next_step::fail);
    }
}

TEST(after, other_breaks_are_final)
{
    for (auto const how : {http::broken::nothing_sent, http::broken::ambiguous, http::broken::refused}) {
        http::exchange_result const broken = http::exchange_error(how, error(errc::unavailable));
        EXPECT_EQ(after(a(get), broken, {}), next_step::fail);
    }
}

TEST(after, refused_signature_is_made_again_once_when_the_clocks_differ)
{
    auto const now = at("Mon, 30 Nov 2026 00:00:00 GMT");
    auto const denied = [](char const* date, int status = 403, char const* code = "AuthenticationFailed") {
        return http::exchange_result(answer(status, {{"x-ms-error-code", code}, {"Date", date}}));
    };
    auto const far = denied("Mon, 30 Nov 2026 00:20:00 GMT");
    EXPECT_EQ(after(a(create, 1), far, now), next_step::sign_again);
    EXPECT_EQ(after(a(create, 1), denied("Sun, 29 Nov 2026 23:20:00 GMT"), now), next_step::sign_again);
    EXPECT_EQ(after(corrected(create, next_step::sign_again), far, now), next_step::read);
    EXPECT_EQ(after(a(create, 1), far, std::nullopt), next_step::read) << "a SAS token has its own time";
    EXPECT_EQ(after(a(create, 1), denied("Mon, 30 Nov 2026 00:04:00 GMT"), now), next_step::read);
    EXPECT_EQ(after(a(create, 1), denied("nonsense"), now), next_step::read);
    EXPECT_EQ(after(a(create, 1), denied("Mon, 30 Nov 2026 00:20:00 GMT", 403, "AuthorizationFailure"), now),
              next_step::read);
    EXPECT_EQ(after(a(create, 1), denied("Mon, 30 Nov 2026 00:20:00 GMT", 503), now), next_step::read);
    auto const in_body = [](std::string code) {
        return http::exchange_result(
            answer(403, {{"Date", "Mon, 30 Nov 2026 00:20:00 GMT"}}, "<Error><Code>" + code + "</Code></Error>"));
    };
    EXPECT_EQ(after(a(create), in_body("AuthenticationFailed"), now), next_step::sign_again);
    EXPECT_EQ(after(a(create), in_body("AuthorizationFailure"), now), next_step::read);
}

TEST(after, each_correction_is_made_once_whatever_else_was_corrected)
{
    auto const now = at("Mon, 30 Nov 2026 00:00:00 GMT");
    http::exchange_result const far =
        answer(403, {{"x-ms-error-code", "AuthenticationFailed"}, {"Date", "Mon, 30 Nov 2026 00:20:00 GMT"}});
    http::exchange_result const ended = answer(401);
    for (auto const done : {next_step::send_again, next_step::sign_again, next_step::renew}) {
        bool const signed_already = done == next_step::sign_again, renewed = done == next_step::renew;
        EXPECT_EQ(after(corrected(get, done), far, now), signed_already ? next_step::read : next_step::sign_again);
        EXPECT_EQ(after(corrected(get, done), ended, now), renewed ? next_step::read : next_step::renew);
    }
}

}  // namespace

}  // namespace headwater::azure
