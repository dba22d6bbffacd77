// Signatures against the four published examples for S3.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
#include "adapters/s3/sigv4.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::s3 {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr time_ms may_24{std::chrono::milliseconds(1'369'353'600'000)};
constexpr std::string_view host = "examplebucket.s3.amazonaws.com";

signer example_signer(std::string region = "us-east-1", std::string token = "")
{
    return {{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", std::move(token)}, std::move(region)};
}

http::request request(char const* method, char const* target, std::vector<http::field> fields = {},
                      char const* body = "")
{
    http::request made;
    made.method = method;
    made.target = target;
    made.fields = std::move(fields);
    made.body = bytes(body);
    return made;
}

std::string field(http::request const& signed_request, std::string_view name)
{
    for (auto const& [label, value] : signed_request.fields) {
        if (label == name) return value;
    }
    return "";
}

std::string authorization(signer& key, http::request const& what, time_ms when = may_24)
{
    return field(key.sign(what, host, when, payload::hashed), "Authorization");
}

TEST(sigv4, get_object_with_range_is_the_published_example)
{
    auto key = example_signer();
    EXPECT_EQ(authorization(key, request("GET", "/test.txt", {{"Range", "bytes=0-9"}})),
              "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
              "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
              "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(sigv4, put_object_is_the_published_example)
{
    auto key = example_signer();
    auto const put = request("PUT", "/test%24file.text",
                             {{"x-amz-storage-class", "REDUCED_REDUNDANCY"}, {"Date", "Fri, 24 May 2013 00:00:00 GMT"}},
                             "Welcome to Amazon S3.");
    EXPECT_THAT(authorization(key, put),
                EndsWith("SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, "
                         "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(sigv4, get_lifecycle_is_the_published_example)
{
    auto key = example_signer();
    EXPECT_THAT(authorization(key, request("GET", "/?lifecycle=")),
                EndsWith("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(sigv4, list_objects_is_the_published_example)
{
    auto key = example_signer();
    EXPECT_THAT(authorization(key, request("GET", "/?max-keys=2&prefix=J")),
                EndsWith("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(sigv4, kept_key_follows_the_day_and_the_region)
{
    auto key = example_signer();
    auto const what = request("GET", "/?lifecycle=");
    auto const first = authorization(key, what);
    EXPECT_NE(authorization(key, what, may_24 + std::chrono::hours(24)), first);
    key.set_region("eu-west-1");
    EXPECT_NE(authorization(key, what), first);
    key.set_region("us-east-1");
    EXPECT_EQ(authorization(key, what), first);
}

TEST(sigv4, conditions_are_signed_and_hop_fields_are_not)
{
    auto key = example_signer();
    auto const plain = authorization(
        key,
        request("PUT", "/k", {{"If-Match", "\"e\""}, {"If-None-Match", "*"}, {"User-Agent", "x"}, {"Expect", "y"}}));
    EXPECT_THAT(plain, HasSubstr("SignedHeaders=host;if-match;if-none-match;x-amz-content-sha256;x-amz-date,"));
}

TEST(sigv4, session_token_is_sent_and_signed)
{
    auto key = example_signer("us-east-1", "TOKEN");
    auto const ready = key.sign(request("GET", "/k"), host, may_24, payload::hashed);
    EXPECT_EQ(field(ready, "x-amz-security-token"), "TOKEN");
    EXPECT_THAT(field(ready, "Authorization"), HasSubstr("x-amz-date;x-amz-security-token,"));
}

TEST(sigv4, unsigned_payload_says_so)
{
    auto key = example_signer();
    auto const ready = key.sign(request("PUT", "/k", {}, "body"), host, may_24, payload::unsigned_body);
    EXPECT_EQ(field(ready, "x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
}

}  // namespace
}  // namespace headwater::s3
