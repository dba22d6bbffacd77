// Which proxy an endpoint is reached through, by curl's names and rules.
#include "adapters/curl/proxies.hpp"

#include <gtest/gtest.h>

#include <map>

namespace headwater::curl {

namespace {

environment table(std::map<std::string, std::string, std::less<>> names)
{
    return [names = std::move(names)](std::string_view name) -> std::optional<std::string> {
        auto const at = names.find(name);
        return at == names.end() ? std::nullopt : std::optional(at->second);
    };
}

http::endpoint at(std::string host, bool tls)
{
    http::endpoint out;
    out.host = std::move(host);
    out.tls = tls;
    return out;
}

}  // namespace

TEST(proxies, are_read_by_curls_names)
{
    auto const all = proxies_from(table({{"all_proxy", "a"}, {"no_proxy", "x"}}));
    EXPECT_EQ(all.for_http, "a");
    EXPECT_EQ(all.for_https, "a");
    EXPECT_EQ(all.never_for, "x");
    EXPECT_EQ(all.https_name, "all_proxy");
    auto const each = proxies_from(table({{"http_proxy", "h"}, {"HTTPS_PROXY", "s"}, {"ALL_PROXY", "a"}}));
    EXPECT_EQ(each.for_http, "h");
    EXPECT_EQ(each.for_https, "s");
    EXPECT_EQ(each.http_name, "http_proxy");
    EXPECT_EQ(each.https_name, "HTTPS_PROXY");
    EXPECT_EQ(proxies_from(table({{"https_proxy", ""}, {"HTTPS_PROXY", "s"}})).for_https, "s");
}

TEST(proxies, http_proxy_in_capitals_is_not_trusted)
{
    EXPECT_EQ(proxies_from(table({{"HTTP_PROXY", "evil"}})).for_http, "");
}

TEST(proxies, follow_the_scheme_and_spare_this_machine)
{
    proxy_options both;
    both.for_http = "h";
    both.for_https = "s";
    both.never_for = "*.no, internal";
    EXPECT_EQ(proxy_for(both, at("store.example", false)), "h");
    EXPECT_EQ(proxy_for(both, at("store.example", true)), "s");
    EXPECT_EQ(proxy_for(both, at("s3.internal", true)), "");
    EXPECT_EQ(proxy_for(both, at("127.0.0.1", false)), "");
    EXPECT_EQ(proxy_for(both, at("localhost", true)), "");
}

TEST(exempt, are_a_host_a_domain_or_all)
{
    struct row {
        char const* list;
        char const* host;
        bool exempt;
    };
    for (auto const& [list, host, exempt] :
         {row{"", "a.example", false}, row{"*", "a.example", true}, row{"example", "a.example", true},
          row{".example", "a.example", true}, row{".example", "example", true}, row{"a.example", "b.a.example", true},
          row{"ample", "a.example", false}, row{"b, A.Example ,c", "a.example", true},
          row{"a.example.org", "a.example", false}, row{",,", "a", false}}) {
        EXPECT_EQ(is_exempt(list, host), exempt) << list << " " << host;
    }
}

TEST(proxy_place, is_read_from_every_form)
{
    struct row {
        char const* text;
        char const* host;
        int port;
    };
    for (auto const& [text, host, port] :
         {row{"proxy", "proxy", 1080}, row{"proxy:3128", "proxy", 3128}, row{"http://u:p@proxy:3128/", "proxy", 3128},
          row{"https://proxy", "proxy", 443}, row{"HTTP://10.0.0.1:9", "10.0.0.1", 9}, row{"[::1]:8", "::1", 8},
          row{"http://[::1]", "::1", 1080}, row{"http://a@b:p@proxy:1", "proxy", 1}}) {
        auto const place = place_of(text, "https_proxy");
        ASSERT_TRUE(place) << text;
        EXPECT_EQ(place->host, host) << text;
        EXPECT_EQ(place->port, port) << text;
    }
}

TEST(tunnel_refusal, is_a_setting_unless_it_passes)
{
    for (long const status : {0L, 200L, 204L}) EXPECT_FALSE(tunnel_refusal(status, "https_proxy")) << status;
    for (long const status : {301L, 400L, 403L, 404L, 405L, 407L}) {
        auto const why = tunnel_refusal(status, "https_proxy, proxy:3128");
        ASSERT_TRUE(why) << status;
        EXPECT_EQ(*why, errc::configuration) << status;
        EXPECT_NE(why->message().find("https_proxy, proxy:3128 refused a tunnel with " + std::to_string(status)),
                  std::string::npos)
            << why->message();
    }
    for (long const status : {408L, 429L, 500L, 503L}) {
        auto const why = tunnel_refusal(status, "https_proxy");
        EXPECT_TRUE(why && *why == errc::unavailable) << status;
    }
}

TEST(proxy_place, that_cannot_be_used_is_called_by_its_variable_and_not_repeated)
{
    for (auto const* const text : {"socks5://u:hush@proxy:9", "socks5h://hush", "socks4://hush:1", "ftp://hush",
                                   "hush:many", "http://hush:99999", "http://hush:0", "http://", "u:hush@"}) {
        auto const place = place_of(text, "https_proxy");
        ASSERT_FALSE(place) << text;
        EXPECT_EQ(place.error(), errc::configuration) << text;
        EXPECT_NE(place.error().message().find("https_proxy"), std::string::npos) << text;
        EXPECT_EQ(place.error().message().find("hush"), std::string::npos) << text;
    }
}

}  // namespace headwater::curl
