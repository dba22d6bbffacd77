// Presigned URLs for S3: the published example through the public door, awkward keys, and what is refused.
#include <headwater/adapters/s3.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr time_ms may_24{std::chrono::milliseconds(1'369'353'600'000)};
constexpr std::chrono::seconds a_day = std::chrono::hours(24);

result<std::string> presign(s3_options const& options, char const* key, std::chrono::seconds valid = a_day)
{
    aws_credentials const who{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
    return presign_s3_get(options, who, object_key(key), may_24, valid);
}

s3_options example_bucket()
{
    s3_options options;
    options.bucket = "examplebucket";
    options.endpoint = "https://s3.amazonaws.com";
    return options;
}

TEST(presign_s3, url_is_the_published_example)
{
    EXPECT_EQ(presign(example_bucket(), "test.txt").value(),
              "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
              "AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z"
              "&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
              "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(presign_s3, path_style_prefix_and_key_are_encoded_once)
{
    auto options = example_bucket();
    options.endpoint = "http://127.0.0.1:9000";
    options.prefix = "a graph";
    EXPECT_THAT(presign(options, "x//y?%2F").value(),
                StartsWith("http://127.0.0.1:9000/examplebucket/a%20graph/x//y%3F%252F?X-Amz-Algorithm="));
}

TEST(presign_s3, what_no_service_would_take_is_refused)
{
    EXPECT_EQ(presign(example_bucket(), "k", std::chrono::seconds(0)).error(), errc::invalid_argument);
    EXPECT_EQ(presign(example_bucket(), "k", longest_presigned + std::chrono::seconds(1)).error(),
              errc::invalid_argument);
    EXPECT_EQ(presign(example_bucket(), "").error(), errc::invalid_argument);
    auto options = example_bucket();
    options.bucket = "";
    EXPECT_EQ(presign(options, "k").error(), errc::invalid_argument);
}

}  // namespace
}  // namespace headwater
