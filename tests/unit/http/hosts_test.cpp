// Hosts that are slow to be found, to be connected to, to shake hands; and names with two addresses, the first of which
// is such a one. No name server has these names: this program's getaddrinfo does. On both transports.
#include "tests/servers/certificates.hpp"
#include "tests/unit/http/client.hpp"

#ifdef HEADWATER_TEST_CURL
#include <headwater/adapters/curl.hpp>
#endif

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
constexpr char const* slow_name = "slow.invalid";
constexpr char const* odd_address = "127.0.0.2";
constexpr std::chrono::milliseconds slowness{400};

int next_getaddrinfo(char const* name, char const* service, addrinfo const* hints, addrinfo** found)
{
    static auto const next = reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return next(name, service, hints, found);
}

}  // namespace

extern "C" int getaddrinfo(char const* name, char const* service, addrinfo const* hints, addrinfo** found)
{
    std::string_view const asked = name ? name : "";
    if (asked == slow_name) std::this_thread::sleep_for(slowness);
    if (asked == slow_name) return next_getaddrinfo("127.0.0.1", service, hints, found);
    if (asked != two_addresses) return next_getaddrinfo(name, service, hints, found);
    int const wrong = next_getaddrinfo(odd_address, service, hints, found);
    if (wrong) return wrong;
    auto* last = *found;
    while (last->ai_next) last = last->ai_next;
    return next_getaddrinfo("127.0.0.1", service, hints, &last->ai_next);
}

namespace headwater::http {

namespace {

using namespace std::chrono_literals;
using test::script_server;

/// A socket at an address, which nobody serves.
class unserved {
public:
    unserved(char const* address, std::uint16_t port)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        at_.sin_family = AF_INET;
        at_.sin_port = htons(port);
        ::inet_pton(AF_INET, address, &at_.sin_addr);
        EXPECT_EQ(::bind(socket_, where(), sizeof at_), 0);
        socklen_t size = sizeof at_;
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at_), &size);
    }
    ~unserved()
    {
        ::close(socket_);
        for (int const each : fill_) ::close(each);
    }
    unserved(unserved const&) = delete;
    unserved& operator=(unserved const&) = delete;

    std::uint16_t port() const { return ntohs(at_.sin_port); }
    /// Takes connections, since the system does, and no more.
    void be_silent() { EXPECT_EQ(::listen(socket_, 16), 0); }
    /// A few connections fill a queue of none; the kernel then leaves the next ones unanswered.
    void be_full()
    {
        EXPECT_EQ(::listen(socket_, 0), 0);
        for (int i = 0; i < 4; ++i) {
            fill_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            (void)::connect(fill_.back(), where(), sizeof at_);
        }
    }
    /// The connections since last asked.
    int connections() const
    {
        int count = 0;
        for (int one; (one = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ++count) ::close(one);
        return count;
    }

private:
    sockaddr const* where() const { return reinterpret_cast<sockaddr const*>(&at_); }

    int socket_;
    sockaddr_in at_{};
    std::vector<int> fill_;
};

std::vector<std::string> transports()
{
    std::vector<std::string> out{"native"};
#ifdef HEADWATER_TEST_CURL
    out.emplace_back("curl");
#endif
    return out;
}

struct hosts : testing::TestWithParam<std::string> {
    hosts()
    {
#ifdef HEADWATER_TEST_CURL
        if (GetParam() == "curl") options.transport = curl_transport({});
#endif
        options.keep_idle = 0s;  // Each request connects.
    }

    std::unique_ptr<transport> connect_to(std::string host, std::uint16_t port, bool tls)
    {
        endpoint where;
        where.tls = tls;
        where.host = where.authority = std::move(host);
        where.port = port;
        return make_transport(io.get_executor(), *time, std::move(where), options);
    }

    exchange_result send(transport& to)
    {
        auto const what = get_request();
        return test::run(io, to.send(what));
    }

    std::unique_ptr<clock> time = make_system_clock();
    boost::asio::io_context io{1};
    http_options options;
};

INSTANTIATE_TEST_SUITE_P(on, hosts, testing::ValuesIn(transports()), [](auto const& one) { return one.param; });

}  // namespace

TEST_P(hosts, next_address_is_tried_in_time_and_the_silent_one_comes_last_from_then_on)
{
    test::certificate_authority const authority;
    auto const roots = testing::TempDir() + "headwater_hosts_" + GetParam() + ".pem";
    std::ofstream(roots) << authority.root();
    script_server server(answer_ok, authority.issue(std::string("DNS:") + two_addresses));
    unserved silent(odd_address, server.port());
    silent.be_silent();
    options.ca_file = roots;
    options.tls_timeout = 3s;
    auto const to = connect_to(two_addresses, server.port(), true);
    for (int request = 0; request < 4; ++request) {
        expect_body(send(*to), "ok");
        EXPECT_EQ(silent.connections(), request == 0 ? 1 : 0);
    }
    EXPECT_EQ(server.accepted(), 4);
    std::filesystem::remove(roots);
}

TEST_P(hosts, next_address_serves_where_the_first_refuses_or_is_full)
{
    for (bool const full : {false, true}) {
        script_server server(answer_ok);
        unserved odd(odd_address, server.port());
        if (full) odd.be_full();
        options.connect_timeout = 500ms;
        auto const to = connect_to(two_addresses, server.port(), false);
        for (int request = 0; request < 3; ++request) expect_body(send(*to), "ok");
        EXPECT_EQ(server.accepted(), 3);
    }
}

TEST_P(hosts, deadlines_on_the_way_to_a_connection_are_named)
{
    unserved silent("127.0.0.1", 0);
    silent.be_silent();
    unserved full("127.0.0.1", 0);
    full.be_full();
    struct {
        std::chrono::milliseconds http_options::*which;
        char const* host;
        std::uint16_t port;
        char const* named;
    } const rows[] = {
        {&http_options::resolve_timeout, slow_name, silent.port(), "resolve_timeout"},
        {&http_options::connect_timeout, "127.0.0.1", full.port(), "connect_timeout"},
        {&http_options::tls_timeout, "127.0.0.1", silent.port(), "tls_timeout"},
    };
    for (auto const& row : rows) {
        SCOPED_TRACE(row.named);
        auto const usual = options;
        options.*row.which = 60ms;
        auto const to = connect_to(row.host, row.port, true);
        expect_broken(send(*to), broken::nothing_sent, errc::unavailable, row.named);
        options = usual;
    }
}

}  // namespace headwater::http
