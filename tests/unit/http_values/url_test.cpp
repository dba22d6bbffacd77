// Service addresses: parts, loopback, and what is refused without being repeated.
#include "adapters/http/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::http {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(url, parts_are_read)
{
    auto const full = parse_url("HTTPS://Host.Example:8443/base/x%20y");
    ASSERT_TRUE(full.has_value());
    EXPECT_EQ(full->scheme, "https");
    EXPECT_EQ(full->host, "host.example");
    EXPECT_EQ(full->port, 8443);
    EXPECT_EQ(full->path, "/base/x%20y");

    auto const six = parse_url("http://[::1]:9000");
    ASSERT_TRUE(six.has_value());
    EXPECT_EQ(six->host, "::1");
    EXPECT_EQ(six->port, 9000);
    EXPECT_EQ(six->path, "");

    auto const file = parse_url("file:///dir");
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->host, "");
    EXPECT_EQ(file->path, "/dir");
}

TEST(url, wrong_address_is_refused_without_repeating_it)
{
    for (char const* const wrong :
         {"HUSH", "://HUSH", "s3://id:HUSH@bucket", "https://h/?sig=HUSH", "https://h/#HUSH", "https://h:HUSH/",
          "https://h:0/HUSH", "https://h:65536/HUSH", "https://[::1/HUSH", "https://[::1]x/HUSH", "https://h /HUSH"}) {
        auto const read = parse_url(wrong);
        ASSERT_FALSE(read.has_value()) << wrong;
        EXPECT_TRUE(read.error() == errc::invalid_argument);
        EXPECT_THAT(read.error().message(), Not(HasSubstr("HUSH")));
    }
}

TEST(loopback, names_and_addresses_of_this_machine)
{
    for (char const* const here : {"localhost", "bucket.s3.localhost", "127.0.0.1", "127.9.9.9", "::1"}) {
        EXPECT_TRUE(is_loopback(here)) << here;
    }
    for (char const* const away : {"localhost.example", "notlocalhost", "10.0.0.1", "::2", ""}) {
        EXPECT_FALSE(is_loopback(away)) << away;
    }
}

TEST(endpoint, host_field_has_the_port_only_when_it_is_not_the_default)
{
    struct {
        char const* address;
        char const* authority;
        std::uint16_t port;
        bool tls;
    } const table[] = {{"https://h", "h", 443, true},
                       {"https://h:443", "h", 443, true},
                       {"https://h:9443", "h:9443", 9443, true},
                       {"http://localhost", "localhost", 80, false},
                       {"http://[::1]:9000", "[::1]:9000", 9000, false}};
    for (auto const& row : table) {
        auto const made = endpoint_of(*parse_url(row.address), false);
        ASSERT_TRUE(made.has_value()) << row.address;
        EXPECT_EQ(made->authority, row.authority);
        EXPECT_EQ(made->port, row.port);
        EXPECT_EQ(made->tls, row.tls);
    }
}

TEST(endpoint, plain_http_leaves_the_machine_only_when_allowed)
{
    auto const away = *parse_url("http://storage.example");
    EXPECT_TRUE(endpoint_of(away, true).has_value());
    auto const refused = endpoint_of(away, false);
    ASSERT_FALSE(refused.has_value());
    EXPECT_TRUE(refused.error() == errc::configuration);
}

TEST(endpoint, name_below_localhost_connects_to_localhost)
{
    auto const base = endpoint_of(*parse_url("http://s3.localhost:9000"), false);
    ASSERT_TRUE(base.has_value());
    auto const bucket = with_host(*base, "bucket.s3.localhost");
    EXPECT_EQ(bucket.authority, "bucket.s3.localhost:9000");
    EXPECT_EQ(bucket.connect_to, "localhost");
    EXPECT_EQ(with_host(*base, "h.example").connect_to, "");
}

}  // namespace
}  // namespace headwater::http
