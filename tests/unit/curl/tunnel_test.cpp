// A proxy whose tunnel works: TLS goes through it to the endpoint, whose name and certificate stand; who we are is told
// to each of them alone.
#include "adapters/http/transport.hpp"
#include "tests/servers/certificates.hpp"
#include "tests/servers/script_server.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/curl.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace headwater::curl {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Leads every tunnel to one port of this machine, whatever name it was asked for.
class tunnel_proxy {
public:
    explicit tunnel_proxy(std::uint16_t to)
        : to_(to), acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0))
    {
        asio::co_spawn(io_, accept(), asio::detached);
        thread_ = std::thread([this] { io_.run(); });
    }
    ~tunnel_proxy()
    {
        io_.stop();
        thread_.join();
    }

    std::string url() const
    {
        return "http://user:hush@127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }
    /// The headers that asked for a tunnel.
    std::vector<std::string> asked()
    {
        std::lock_guard const locked(guard_);
        return asked_;
    }

private:
    asio::awaitable<void> accept()
    {
        for (;;) {
            auto client = co_await acceptor_.async_accept(asio::use_awaitable);
            asio::co_spawn(io_, serve(std::move(client)), asio::detached);
        }
    }

    asio::awaitable<void> serve(tcp::socket client)
    {
        std::string head;
        auto into = asio::dynamic_buffer(head);
        co_await asio::async_read_until(client, into, "\r\n\r\n", asio::use_awaitable);
        {
            std::lock_guard const locked(guard_);
            asked_.push_back(head);
        }
        tcp::socket server(io_);
        tcp::endpoint const there(asio::ip::address_v4::loopback(), to_);
        co_await server.async_connect(there, asio::use_awaitable);
        std::string const stands = "HTTP/1.1 200 Connection established\r\n\r\n";
        co_await asio::async_write(client, asio::buffer(stands), asio::use_awaitable);
        using namespace asio::experimental::awaitable_operators;
        co_await (pump(client, server) || pump(server, client));
    }

    static asio::awaitable<void> pump(tcp::socket& from, tcp::socket& to)
    {
        std::array<char, 4096> piece{};
        for (;;) {
            auto const size = co_await from.async_read_some(asio::buffer(piece), asio::use_awaitable);
            co_await asio::async_write(to, asio::buffer(piece, size), asio::use_awaitable);
        }
    }

    std::uint16_t to_;
    asio::io_context io_{1};
    tcp::acceptor acceptor_;
    std::mutex guard_;
    std::vector<std::string> asked_;
    std::thread thread_;
};

struct through_a_tunnel : testing::Test {
    through_a_tunnel() { std::ofstream(options.ca_file) << authority.root(); }
    ~through_a_tunnel() override { std::filesystem::remove(options.ca_file); }

    std::unique_ptr<http::transport> connect(tunnel_proxy const& proxy)
    {
        proxy_options through;
        through.for_https = proxy.url();
        through.https_name = "https_proxy";
        http::endpoint where;
        where.host = "store.invalid";
        where.port = 8080;
        where.authority = "store.invalid:8080";
        return curl_transport(through)->make(io.get_executor(), *time, where, options);
    }

    std::unique_ptr<clock> time = make_system_clock();
    asio::io_context io{1};
    test::certificate_authority authority;
    http_options options{.ca_file = testing::TempDir() + "headwater_tunnel_"
                                    + testing::UnitTest::GetInstance()->current_test_info()->name() + ".pem"};
};

}  // namespace

TEST_F(through_a_tunnel, requests_reach_the_endpoint_over_one_connection)
{
    std::vector<std::string> got;
    test::script_server server(
        [&got](test::peer& p) -> asio::awaitable<void> {
            for (;;) {
                auto request = co_await p.request();
                if (request.empty()) co_return;
                got.push_back(std::move(request));
                auto const reply = test::answer("through");
                co_await p.send(reply);
            }
        },
        authority.issue("DNS:store.invalid"));
    tunnel_proxy proxy(server.port());
    auto const to = connect(proxy);
    http::request what;
    what.target = "/bucket/a//%2F?x=%20";
    what.fields = {{"authorization", "secret"}};
    what.max_body = 100;
    for (int times = 0; times < 2; ++times) {
        auto const answer = test::run(io, to->send(what));
        ASSERT_TRUE(answer) << answer.error().why.message();
        EXPECT_EQ(answer->body, "through");
    }
    auto const asked = proxy.asked();
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_TRUE(asked[0].starts_with("CONNECT store.invalid:8080 HTTP/1.1\r\n")) << asked[0];
    EXPECT_NE(asked[0].find("\r\nProxy-Authorization: Basic "), std::string::npos) << asked[0];
    EXPECT_EQ(asked[0].find("secret"), std::string::npos);
    EXPECT_EQ(server.accepted(), 1);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_TRUE(got[0].starts_with("GET /bucket/a//%2F?x=%20 HTTP/1.1\r\n")) << got[0];
    EXPECT_EQ(got[0].find("Proxy-"), std::string::npos) << got[0];
}

TEST_F(through_a_tunnel, an_endpoint_with_another_name_is_refused)
{
    auto const reply = test::answer("not this one");
    test::script_server server([&reply](test::peer& p) { return test::answer_each(p, reply); },
                               authority.issue("DNS:other.invalid"));
    tunnel_proxy proxy(server.port());
    http::request what;
    auto const answer = test::run(io, connect(proxy)->send(what));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().how, http::broken::nothing_sent);
    EXPECT_EQ(answer.error().why, errc::configuration) << answer.error().why.message();
    EXPECT_EQ(server.requests(), 0);
}

}  // namespace headwater::curl
