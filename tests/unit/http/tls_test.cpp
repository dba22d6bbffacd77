// TLS against a server with a certificate of a private authority, made here.
#include "tests/servers/certificates.hpp"
#include "tests/servers/script_server.hpp"
#include "tests/unit/http/client.hpp"

#include <filesystem>
#include <fstream>

namespace headwater::http {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::answer;
using test::peer;
using test::script_server;

asio::awaitable<void> answer_once(peer& p)
{
    auto const reply = answer("ok", "Connection: close\r\n");
    co_await p.request();
    co_await p.send(reply);
}

class tls : public testing::Test {
protected:
    tls()
    {
        std::ofstream(roots_) << authority_.root();
        options_.ca_file = roots_;
    }
    ~tls() override { std::filesystem::remove(roots_); }

    static endpoint at(std::uint16_t port, std::string host)
    {
        auto where = client::at(port);
        where.tls = true;
        where.connect_to = "127.0.0.1";
        where.host = std::move(host);
        return where;
    }

    test::certificate_authority authority_;
    std::string roots_ = testing::TempDir() + "headwater_roots_"
                         + testing::UnitTest::GetInstance()->current_test_info()->name() + ".pem";
    http_options options_;
};

}  // namespace

TEST_F(tls, a_name_of_the_certificate_is_served)
{
    script_server server(answer_ok, authority_.issue("DNS:store.example,DNS:*.store.example,IP:127.0.0.1"));
    for (auto const* host : {"store.example", "bucket.store.example", "127.0.0.1"}) {
        client c(at(server.port(), host), options_);
        expect_body(c.send(get_request()), "ok");
        expect_body(c.send(get_request()), "ok");
    }
    EXPECT_EQ(server.accepted(), 3);
}

TEST_F(tls, another_name_is_refused_before_anything_is_sent)
{
    script_server server(answer_ok, authority_.issue("DNS:store.example"));
    for (auto const* host : {"other.example", "127.0.0.1"}) {
        client c(at(server.port(), host), options_);
        expect_broken(c.send(put_request("secret")), broken::nothing_sent, errc::configuration, "certificate");
    }
    EXPECT_EQ(server.requests(), 0);
}

TEST_F(tls, an_unknown_authority_is_refused_unless_verification_is_off)
{
    script_server server(answer_ok, test::certificate_authority().issue("DNS:store.example"));
    client strict(at(server.port(), "store.example"), options_);
    expect_broken(strict.send(get_request()), broken::nothing_sent, errc::configuration, "certificate");
    options_.verify_tls = false;
    client lax(at(server.port(), "store.example"), options_);
    expect_body(lax.send(get_request()), "ok");
}

TEST_F(tls, a_file_of_roots_that_cannot_be_read_is_a_setting)
{
    options_.ca_file = roots_ + ".missing";
    client c(at(1, "store.example"), options_);
    expect_broken(c.send(get_request()), broken::nothing_sent, errc::configuration, "ca_file");
}

TEST_F(tls, a_second_connection_resumes_the_session)
{
    script_server server(answer_once, authority_.issue("DNS:store.example"));
    client c(at(server.port(), "store.example"), options_);
    for (int i = 0; i < 4; ++i) expect_body(c.send(get_request()), "ok");
    EXPECT_EQ(server.accepted(), 4);
    EXPECT_GE(server.resumed(), 2);
}

TEST_F(tls, large_bodies_go_both_ways_whole)
{
    script_server server(
        [](peer& p) -> asio::awaitable<void> {
            auto const asked = co_await p.request();
            auto const reply = answer(std::string_view(asked).substr(asked.find("\r\n\r\n") + 4));
            co_await p.send(reply);
        },
        authority_.issue("DNS:store.example"));
    client c(at(server.port(), "store.example"), options_);
    std::string large(3 << 20, ' ');
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i * 31 % 26);
    auto what = put_request(large);
    what.max_body = large.size();
    auto const answered = c.send(what);
    ASSERT_TRUE(answered) << answered.error().why.message();
    EXPECT_TRUE(answered->body == large);
}

TEST_F(tls, a_kept_connection_that_was_closed_meanwhile_is_replaced)
{
    script_server server(
        [](peer& p) -> asio::awaitable<void> {
            auto const reply = answer("ok");
            co_await p.request();
            co_await p.send(reply);
        },
        authority_.issue("DNS:store.example"));
    client c(at(server.port(), "store.example"), options_);
    for (int i = 1; i <= 3; ++i) {
        expect_body(c.send(get_request()), "ok");
        EXPECT_EQ(server.accepted(), i);
        while (server.open() != 0) c.io.run_for(1ms);
        let_it_idle();
    }
}

TEST_F(tls, a_cut_without_goodbye_is_never_the_end_of_a_body)
{
    script_server server(
        [](peer& p) -> asio::awaitable<void> {
            std::string const wire = "HTTP/1.1 500 x\r\n\r\nhalf of an err";
            co_await p.request();
            co_await p.send(wire);
            p.close();
        },
        authority_.issue("DNS:store.example"));
    client c(at(server.port(), "store.example"), options_);
    expect_broken(c.send(get_request()), broken::ambiguous, errc::unavailable, "inside an answer");
}

TEST_F(tls, a_server_without_tls_is_not_understood)
{
    script_server server([](peer& p) -> asio::awaitable<void> {
        std::string const wire = "SSH-2.0-x\r\n";
        co_await p.send(wire);
        co_await p.pause(200ms);
    });
    client c(at(server.port(), "store.example"), options_);
    auto const ended = c.send(get_request());
    expect_broken(ended, broken::nothing_sent, errc::configuration, "TLS handshake failed: wrong version number");
    expect_broken(ended, broken::nothing_sent, errc::configuration,
                  ("https://store.example:" + std::to_string(server.port())).c_str());
}

TEST_F(tls, a_handshake_without_answer_ends_at_its_deadline)
{
    script_server server([](peer& p) -> asio::awaitable<void> { co_await p.request(); });
    options_.tls_timeout = 60ms;
    client c(at(server.port(), "store.example"), options_);
    expect_broken(c.send(get_request()), broken::nothing_sent, errc::unavailable, "tls_timeout");
}

}  // namespace headwater::http
