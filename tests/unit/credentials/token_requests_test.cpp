// What is asked of the services that hand out credentials, and what their answers mean.
#include "adapters/credentials/token_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::credentials {
namespace {

using testing::_;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

http::response told(int status, std::string body)
{
    http::response out;
    out.status = status;
    out.body = std::move(body);
    return out;
}

TEST(token_requests, sts_is_asked_with_a_form)
{
    role what;
    what.arn = "arn:aws:iam::1:role/r";
    what.external_id = "x y";
    auto const plain = assume_role("", what);
    EXPECT_EQ(plain.target, "/");
    EXPECT_EQ(assume_role("/base", what).target, "/base");
    // Asked for JSON, STS would give it.
    EXPECT_THAT(plain.fields, Not(Contains(Pair("Accept", _))));
    EXPECT_EQ(plain.method, "POST");
    EXPECT_EQ(plain.body.view(), "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"
                                 "&RoleSessionName=headwater&ExternalId=x%20y");
    EXPECT_THAT(plain.fields, Contains(Pair("Content-Type", "application/x-www-form-urlencoded")));
    EXPECT_THAT(
        std::string(assume_role_with("", "to.ken=", what).body.view()),
        HasSubstr("Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"
                  "&RoleSessionName=headwater&WebIdentityToken=to.ken%3D"));
}

TEST(token_requests, entra_is_asked_with_secret_or_assertion)
{
    auto const by_secret = entra_token("", "te/nant", "client", "s&cret", "");
    EXPECT_EQ(by_secret.target, "/te%2Fnant/oauth2/v2.0/token");
    EXPECT_EQ(by_secret.body.view(),
              "grant_type=client_credentials&client_id=client&scope=https%3A%2F%2Fstorage.azure.com"
              "%2F.default&client_secret=s%26cret");
    EXPECT_THAT(std::string(entra_token("", "t", "c", "", "jwt").body.view()),
                HasSubstr("&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
                          "&client_assertion=jwt"));
}

TEST(token_requests, metadata_services_are_asked_as_they_want)
{
    EXPECT_EQ(ec2_session().method, "PUT");
    EXPECT_EQ(ec2_role("s", "my role").target, "/latest/meta-data/iam/security-credentials/my%20role");
    EXPECT_THAT(ec2_role("s", "r").fields, Contains(Pair("X-aws-ec2-metadata-token", "s")));
    EXPECT_EQ(vm_identity("").target,
              "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com%2F");
    EXPECT_THAT(vm_identity("id").target, HasSubstr("&client_id=id"));
    EXPECT_THAT(vm_identity("").fields, Contains(Pair("Metadata", "true")));
    EXPECT_THAT(app_service_identity("/msi/token", "", "h").fields, Contains(Pair("X-IDENTITY-HEADER", "h")));
}

TEST(token_requests, answers_with_credentials_are_read)
{
    constexpr time_ms end{std::chrono::milliseconds(1'369'353'600'000)};
    auto const sts =
        read_sts(told(200, "<AssumeRoleResponse><AssumeRoleResult><AssumedRoleUser/><Credentials>"
                           "<AccessKeyId>AKID</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T"
                           "</SessionToken><Expiration>2013-05-24T00:00:00Z</Expiration></Credentials>"
                           "</AssumeRoleResult><ResponseMetadata/></AssumeRoleResponse>"),
                 "STS");
    ASSERT_TRUE(sts.has_value()) << sts.error().message();
    EXPECT_EQ(sts->value.access_key_id, "AKID");
    EXPECT_EQ(sts->value.session_token, "T");
    EXPECT_EQ(sts->ends, end);

    auto const role = read_role(told(200, R"({"Code":"Success","AccessKeyId":"AKID","SecretAccessKey":"S","Token":"T",
                                              "Expiration":"2013-05-24T00:00:00Z","Nested":{"AccessKeyId":"no"}})"),
                                "a");
    ASSERT_TRUE(role.has_value());
    EXPECT_EQ(role->value.session_token, "T");
    EXPECT_EQ(role->ends, end);

    auto const process = read_process(R"({"Version":1,"AccessKeyId":"AKID","SecretAccessKey":"S"})");
    ASSERT_TRUE(process.has_value());
    EXPECT_EQ(process->value.session_token, "");
    EXPECT_EQ(process->ends, std::nullopt);

    for (auto const* body : {R"({"access_token":"T","expires_in":3600})", R"({"access_token":"T","expires_in":"3600"})",
                             R"({"access_token":"T","expires_on":"1369353600"})"}) {
        auto const token = read_token(told(200, body), "Entra", end - std::chrono::hours(1));
        ASSERT_TRUE(token.has_value()) << body;
        EXPECT_EQ(token->value.bearer_token, "T");
        EXPECT_EQ(token->ends, end) << body;
    }
}

TEST(token_requests, refusals_name_the_code_and_repeat_nothing_else)
{
    struct row {
        int status;
        char const* body;
        errc code;
        char const* service_code;
    };
    row const rows[] = {
        {400, "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>HUSH</Message></Error></ErrorResponse>",
         errc::access_denied, "InvalidIdentityToken"},
        {400, "<ErrorResponse><Error><Code>Throttling</Code><Message>HUSH</Message></Error></ErrorResponse>",
         errc::unavailable, "Throttling"},
        {400, "<ErrorResponse><Error><Code>IDPCommunicationError</Code></Error></ErrorResponse>", errc::unavailable,
         "IDPCommunicationError"},
        {401, R"({"error":"invalid_client","error_description":"AADSTS7000215: HUSH"})", errc::access_denied,
         "invalid_client AADSTS7000215"},
        {401, R"({"error":"HUSH is no code","error_description":"HUSH HUSH"})", errc::access_denied, ""},
        {404, "HUSH", errc::access_denied, ""},
        {429, "HUSH", errc::unavailable, ""},
        {503, "<html>HUSH", errc::unavailable, ""},
        {200, "HUSH", errc::protocol, ""},
        {200, R"({"AccessKeyId":"HUSH"})", errc::protocol, ""},
        {200, R"({"AccessKeyId":"HUSH","SecretAccessKey":"HUSH","Expiration":"soon","access_token":"HU SH"})",
         errc::protocol, ""},
    };
    for (auto const& [status, body, code, service_code] : rows) {
        auto const answer = told(status, body);
        error const all[] = {read_sts(answer, "it").error(), read_role(answer, "it").error(),
                             read_token(answer, "it", time_ms()).error()};
        for (auto const& each : all) {
            EXPECT_EQ(each, code) << status << ' ' << body;
            EXPECT_THAT(each.message(), Not(HasSubstr("HUSH"))) << status << ' ' << body;
            if (status != 200) EXPECT_EQ(each.why()->service_code, service_code) << body;
        }
    }
    EXPECT_EQ(read_text(told(200, "two words"), "it").error(), errc::protocol);
    EXPECT_EQ(read_text(told(200, "first\nsecond"), "it").value(), "first");
}

}  // namespace
}  // namespace headwater::credentials
