// The address rules: where the account stands, which names and endpoints are refused.
#include "adapters/azure/location.hpp"

#include <gtest/gtest.h>

namespace headwater::azure {

namespace {

azure_options options_for(std::string endpoint, std::string account = "acct", std::string container = "log")
{
    azure_options out;
    out.account = std::move(account);
    out.container = std::move(container);
    out.endpoint = std::move(endpoint);
    return out;
}

TEST(location, account_leads_the_path_where_the_host_does_not_name_it)
{
    struct row {
        char const* endpoint;
        char const* authority;
        char const* path;
    };
    row const rows[] = {
        {"", "acct.blob.core.windows.net", "/log"},
        {"https://acct.blob.core.chinacloudapi.cn/", "acct.blob.core.chinacloudapi.cn", "/log"},
        {"https://proxy.example.com/blobs/", "proxy.example.com", "/blobs/log"},
        {"http://acct.localhost:10000", "acct.localhost:10000", "/log"},
        {"http://127.0.0.1:10000", "127.0.0.1:10000", "/acct/log"},
        {"http://127.0.0.1:10000/acct", "127.0.0.1:10000", "/acct/log"},
        {"http://127.0.0.1:10000/acct/", "127.0.0.1:10000", "/acct/log"},
        {"http://[::1]:10000", "[::1]:10000", "/acct/log"},
        {"http://localhost:10000", "localhost:10000", "/acct/log"},
        {"https://azurite:10000", "azurite:10000", "/acct/log"},
    };
    for (auto const& [endpoint, authority, path] : rows) {
        auto const found = locate(options_for(endpoint));
        ASSERT_TRUE(found) << endpoint << found.error().message();
        EXPECT_EQ(found->where.authority, authority) << endpoint;
        EXPECT_EQ(found->container_path, path) << endpoint;
    }
}

TEST(location, address_names_scheme_host_container_and_prefix)
{
    auto options = options_for("http://127.0.0.1:10000");
    options.prefix = "a/b";
    auto const found = locate(options).value();
    EXPECT_EQ(found.address, "http://127.0.0.1:10000/acct/log/a/b");
    EXPECT_EQ(found.prefix, "a/b/");
    EXPECT_FALSE(found.where.tls);
}

TEST(location, wrong_settings_are_refused_before_any_request)
{
    auto with_prefix = [](std::string prefix) {
        auto out = options_for("");
        out.prefix = std::move(prefix);
        return out;
    };
    auto with_version = options_for("");
    with_version.api_version = "latest";
    azure_options const wrong[] = {
        options_for("", ""),
        options_for("", "Acct"),
        options_for("", "a.evil.example/"),
        options_for("", "acct", "ab"),
        options_for("", "acct", "a--b"),
        options_for("", "acct", "-ab"),
        options_for("", "acct", "Upper"),
        options_for("", "acct", "a/b"),
        options_for("http://storage.example.com"),
        options_for("ftp://127.0.0.1"),
        with_prefix("/a"),
        with_prefix("a/"),
        with_prefix("a\\b"),
        with_prefix(std::string(701, 'p')),
        with_version,
    };
    for (auto const& options : wrong) {
        EXPECT_TRUE(locate(options).has_error())
            << options.account << ' ' << options.container << ' ' << options.endpoint << ' ' << options.prefix;
    }
    EXPECT_TRUE(locate(with_prefix(std::string(700, 'p'))));
    auto allowed = options_for("http://storage.example.com");
    allowed.allow_http = true;
    EXPECT_TRUE(locate(allowed));
}

TEST(location, names_that_azure_would_change_are_at_fault)
{
    EXPECT_EQ(name_fault("a//b/./c d+é\U0001F600/"), nullptr);
    EXPECT_EQ(name_fault(std::string(1024, 'k')), nullptr);
    for (std::string const& name : {std::string(1025, 'k'), std::string("a\\b"), std::string("a\nb"),
                                    std::string("a\x7f"), std::string("\xff"), std::string("a\0b", 3)}) {
        EXPECT_NE(name_fault(name), nullptr) << name;
    }
}

}  // namespace

}  // namespace headwater::azure
