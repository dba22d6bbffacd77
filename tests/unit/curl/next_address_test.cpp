// A name with two addresses, the first of which takes connections and never says a word. No name server has such a
// name: this program's getaddrinfo does.
#include "adapters/http/transport.hpp"
#include "tests/servers/certificates.hpp"
#include "tests/servers/script_server.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/curl.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>

namespace {

constexpr char const* two_addresses = "two.invalid";
constexpr char const* silent_address = "127.0.0.2";

int next_getaddrinfo(char const* name, char const* service, addrinfo const* hints, addrinfo** found)
{
    static auto const next = reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return next(name, service, hints, found);
}

}  // namespace

extern "C" int getaddrinfo(char const* name, char const* service, addrinfo const* hints, addrinfo** found)
{
    if (!name || std::string_view(name) != two_addresses) return next_getaddrinfo(name, service, hints, found);
    int const wrong = next_getaddrinfo(silent_address, service, hints, found);
    if (wrong) return wrong;
    auto* last = *found;
    while (last->ai_next) last = last->ai_next;
    return next_getaddrinfo("127.0.0.1", service, hints, &last->ai_next);
}

namespace headwater::curl {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Takes connections, since the system does, and no more.
class silent_listener {
public:
    explicit silent_listener(std::uint16_t port)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_port = htons(port);
        ::inet_pton(AF_INET, silent_address, &here.sin_addr);
        auto const* const at = reinterpret_cast<sockaddr const*>(&here);
        listens_ = ::bind(socket_, at, sizeof here) == 0 && ::listen(socket_, 16) == 0;
    }
    ~silent_listener() { ::close(socket_); }
    silent_listener(silent_listener const&) = delete;
    silent_listener& operator=(silent_listener const&) = delete;

    bool listens() const { return listens_; }
    /// The connections since last asked.
    int connections() const
    {
        int count = 0;
        for (int one; (one = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ++count) ::close(one);
        return count;
    }

private:
    int socket_;
    bool listens_ = false;
};

}  // namespace

TEST(next_address, is_tried_in_time_and_the_dead_one_comes_last_from_then_on)
{
    test::certificate_authority const authority;
    auto const roots = testing::TempDir() + "headwater_next_address.pem";
    std::ofstream(roots) << authority.root();
    auto const reply = test::answer("ok");
    test::script_server server([&reply](test::peer& p) { return test::answer_each(p, reply); },
                               authority.issue(std::string("DNS:") + two_addresses));
    silent_listener const silent(server.port());
    ASSERT_TRUE(silent.listens());

    asio::io_context io(1);
    auto const time = make_system_clock();
    http::endpoint where;
    where.host = two_addresses;
    where.port = server.port();
    where.authority = two_addresses;
    http_options options;
    options.ca_file = roots;
    options.tls_timeout = 3s;
    options.keep_idle = 0s;  // Each request connects.
    auto const to = curl_transport({})->make(io.get_executor(), *time, where, options);
    http::request what;
    what.max_body = 100;
    for (int request = 0; request < 4; ++request) {
        auto const answer = test::run(io, to->send(what));
        EXPECT_TRUE(answer) << answer.error().why.message();
        EXPECT_EQ(silent.connections(), request == 0 ? 1 : 0);
    }
    EXPECT_EQ(server.accepted(), 4);
    std::filesystem::remove(roots);
}

}  // namespace headwater::curl
