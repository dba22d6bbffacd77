// Addresses of buckets by table.
#include "adapters/s3/s3_address.hpp"

#include <gtest/gtest.h>

namespace headwater::s3 {
namespace {

struct address_case {
    char const* bucket;
    char const* endpoint;
    s3_addressing addressing;
    char const* authority;
    char const* base;
    char const* text;
};

s3_options options_for(std::string bucket, std::string endpoint, s3_addressing addressing = s3_addressing::automatic)
{
    s3_options made;
    made.bucket = std::move(bucket);
    made.endpoint = std::move(endpoint);
    made.addressing = addressing;
    made.prefix = "p/q";
    return made;
}

TEST(s3_address, style_follows_the_endpoint_and_the_name)
{
    using enum s3_addressing;
    address_case const table[] = {
        {"my-bucket", "", automatic, "my-bucket.s3.us-east-1.amazonaws.com", "",
         "https://my-bucket.s3.us-east-1.amazonaws.com/p/q"},
        {"my.bucket", "", automatic, "s3.us-east-1.amazonaws.com", "/my.bucket",
         "https://s3.us-east-1.amazonaws.com/my.bucket/p/q"},
        {"My_Bucket", "", automatic, "s3.us-east-1.amazonaws.com", "/My_Bucket",
         "https://s3.us-east-1.amazonaws.com/My_Bucket/p/q"},
        {"b", "", path, "s3.us-east-1.amazonaws.com", "/b", "https://s3.us-east-1.amazonaws.com/b/p/q"},
        {"b", "http://127.0.0.1:9000", automatic, "127.0.0.1:9000", "/b", "http://127.0.0.1:9000/b/p/q"},
        {"b", "https://s3.example:8443/base/", automatic, "s3.example:8443", "/base/b",
         "https://s3.example:8443/base/b/p/q"},
        {"b", "http://s3.localhost:9000", virtual_host, "b.s3.localhost:9000", "", "http://b.s3.localhost:9000/p/q"},
        {"b", "https://s3.eu-west-1.amazonaws.com", automatic, "b.s3.eu-west-1.amazonaws.com", "",
         "https://b.s3.eu-west-1.amazonaws.com/p/q"},
    };
    for (auto const& row : table) {
        auto const made = address_of(options_for(row.bucket, row.endpoint, row.addressing));
        ASSERT_TRUE(made.has_value()) << row.text << ": " << made.error().message();
        EXPECT_EQ(made->where.authority, row.authority);
        EXPECT_EQ(made->base, row.base);
        EXPECT_EQ(made->text, row.text);
    }
}

TEST(s3_address, virtual_host_below_localhost_connects_here)
{
    auto const made = address_of(options_for("b", "http://s3.localhost:9000", s3_addressing::virtual_host));
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->where.host, "b.s3.localhost");
    EXPECT_EQ(made->where.connect_to, "localhost");
}

TEST(s3_address, chinese_regions_have_their_own_domain)
{
    auto options = options_for("b", "");
    options.region = "cn-north-1";
    EXPECT_EQ(address_of(options)->where.host, "b.s3.cn-north-1.amazonaws.com.cn");
}

TEST(s3_address, unusable_settings_are_refused)
{
    using enum s3_addressing;
    auto const code = [](s3_options const& options) {
        auto const made = address_of(options);
        return made ? std::string_view("ok") : to_string(static_cast<errc>(made.error().code().value()));
    };
    EXPECT_EQ(code(options_for("", "")), "invalid_argument");
    EXPECT_EQ(code(options_for("..", "")), "invalid_argument");
    EXPECT_EQ(code(options_for("a/b", "")), "invalid_argument");
    EXPECT_EQ(code(options_for("b", "http://storage.example")), "configuration") << "plain http leaves the machine";
    EXPECT_EQ(code(options_for("b", "ftp://storage.example")), "configuration");
    EXPECT_EQ(code(options_for("b", "storage.example:9000")), "configuration");
    EXPECT_EQ(code(options_for("b", "https://id:key@storage.example")), "configuration");
    EXPECT_EQ(code(options_for("b", "http://127.0.0.1:9000", virtual_host)), "configuration");
    EXPECT_EQ(code(options_for("a.b", "https://s3.example", virtual_host)), "configuration");

    auto options = options_for("b", "");
    options.region = "evil.example/";
    EXPECT_EQ(code(options), "configuration");
    for (auto const& prefix : {std::string("/p"), std::string("p/"), std::string("\xFF"), std::string(701, 'p')}) {
        options = options_for("b", "");
        options.prefix = prefix;
        EXPECT_EQ(code(options), "invalid_argument") << prefix;
    }
    options.prefix = std::string(700, 'p');
    EXPECT_EQ(code(options), "ok");
    options = options_for("b", "http://storage.example");
    options.allow_http = true;
    EXPECT_EQ(code(options), "ok");
}

}  // namespace
}  // namespace headwater::s3
