// Requests through a proxy, as the proxy sees them. The endpoint's own name is never resolved: it is in `.invalid`.
#include "adapters/http/transport.hpp"
#include "tests/servers/script_server.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/curl.hpp>

#include <gtest/gtest.h>

namespace headwater::curl {

namespace {

namespace asio = boost::asio;
using test::peer;
using test::script_server;

http::endpoint store_at(bool tls)
{
    http::endpoint out;
    out.tls = tls;
    out.host = "store.invalid";
    out.port = 8080;
    out.authority = "store.invalid:8080";
    return out;
}

http::exchange_result get_through(std::string const& proxy, bool tls)
{
    asio::io_context io(1);
    auto const time = make_system_clock();
    proxy_options through;
    through.for_http = through.for_https = proxy;
    through.http_name = "http_proxy";
    through.https_name = "https_proxy";
    auto const maker = curl_transport(through);
    auto const to = maker->make(io.get_executor(), *time, store_at(tls), {});
    http::request what;
    what.target = "/bucket/a//%2F?x=%20";
    what.fields = {{"authorization", "secret"}, {"x-empty", ""}};
    what.max_body = 100;
    return test::run(io, to->send(what));
}

std::string url_of(script_server const& proxy) { return "http://user:hush@127.0.0.1:" + std::to_string(proxy.port()); }

}  // namespace

TEST(through_a_proxy, plain_http_names_the_whole_address)
{
    std::string got;
    script_server proxy([&got](peer& p) -> asio::awaitable<void> {
        got = co_await p.request();
        auto const reply = test::answer("by proxy");
        co_await p.send(reply);
    });
    auto const answer = get_through(url_of(proxy), false);
    ASSERT_TRUE(answer) << answer.error().why.message();
    EXPECT_EQ(answer->body, "by proxy");
    EXPECT_TRUE(got.starts_with("GET http://store.invalid:8080/bucket/a//%2F?x=%20 HTTP/1.1\r\n")) << got;
    EXPECT_NE(got.find("\r\nProxy-Authorization: Basic "), got.npos);
    EXPECT_NE(got.find("\r\nx-empty:\r\n"), got.npos);
}

TEST(through_a_proxy, https_asks_for_a_tunnel_and_tells_it_no_secret)
{
    struct row {
        char const* status;
        errc meaning;
    };
    for (auto const& [status, meaning] :
         {row{"403 Forbidden", errc::configuration}, row{"407 Proxy Authentication Required", errc::configuration},
          row{"503 Service Unavailable", errc::unavailable}}) {
        std::string got;
        script_server proxy([&](peer& p) -> asio::awaitable<void> {
            got = co_await p.request();
            auto const reply = test::answer("", {}, status);
            co_await p.send(reply);
        });
        auto const answer = get_through(url_of(proxy), true);
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().how, http::broken::nothing_sent);
        EXPECT_EQ(answer.error().why, meaning) << answer.error().why.message();
        auto const said = answer.error().why.message();
        EXPECT_NE(said.find("https_proxy, 127.0.0.1:" + std::to_string(proxy.port())), said.npos) << said;
        EXPECT_EQ(said.find("hush"), said.npos) << said;
        EXPECT_TRUE(got.starts_with("CONNECT store.invalid:8080 HTTP/1.1\r\n")) << got;
        EXPECT_EQ(got.find("secret"), got.npos);
        EXPECT_EQ(proxy.accepted(), 1);
    }
}

TEST(through_a_proxy, plain_http_that_wants_a_login_names_the_proxy)
{
    script_server proxy([](peer& p) -> asio::awaitable<void> {
        auto const reply = test::answer("<p>Who are you?</p>", {}, "407 Proxy Authentication Required");
        co_await test::answer_each(p, reply);
    });
    auto const answer = get_through(url_of(proxy), false);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().how, http::broken::nothing_sent);
    EXPECT_EQ(answer.error().why, errc::configuration);
    auto const said = answer.error().why.message();
    EXPECT_NE(said.find("http_proxy, 127.0.0.1:" + std::to_string(proxy.port())), said.npos) << said;
    EXPECT_NE(said.find("407"), said.npos) << said;
    EXPECT_EQ(said.find("hush"), said.npos) << said;
    EXPECT_EQ(proxy.accepted(), 1);
}

TEST(through_a_proxy, an_address_that_is_none_is_a_setting)
{
    for (auto const* const proxy : {"proxy:many", "socks5://127.0.0.1:9"}) {
        auto const answer = get_through(proxy, true);
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().how, http::broken::nothing_sent);
        EXPECT_EQ(answer.error().why, errc::configuration);
        EXPECT_NE(answer.error().why.message().find("https_proxy is no proxy"), std::string::npos);
    }
}

}  // namespace headwater::curl
