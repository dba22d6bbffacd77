// A client with a transport to a server on this machine, and the shortest way to an answer.
#pragma once

#include "adapters/http/pool.hpp"
#include "adapters/http/transport.hpp"
#include "tests/servers/script_server.hpp"
#include "tests/support/run.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace headwater::http {

inline boost::asio::awaitable<void> answer_ok(test::peer& client)
{
    auto const reply = test::answer("ok");
    co_await test::answer_each(client, reply);
}

inline request get_request(std::string target = "/", std::uint64_t max_body = 1 << 20)
{
    request out;
    out.target = std::move(target);
    out.max_body = max_body;
    return out;
}

inline request put_request(std::string body)
{
    request out = get_request("/object");
    out.method = "PUT";
    out.body = bytes(std::move(body));
    return out;
}

class client {
public:
    explicit client(std::uint16_t port, http_options options = {}) : client(at(port), std::move(options)) {}
    explicit client(endpoint where, http_options options = {}) : client(make_system_clock(), where, std::move(options))
    {
    }
    client(std::unique_ptr<clock> its_clock, endpoint where, http_options options = {})
        : time(std::move(its_clock)),
          to(make_native_transport(io.get_executor(), *time, std::move(where), std::move(options)))
    {
    }

    static endpoint at(std::uint16_t port)
    {
        endpoint out;
        out.tls = false;
        out.host = "127.0.0.1";
        out.port = port;
        out.authority = "127.0.0.1:" + std::to_string(port);
        return out;
    }

    /// Returns when nothing is left to run: it hangs if the transport keeps the context busy.
    exchange_result send(request const& what) { return test::run(io, to->send(what)); }

    /// All at once.
    std::vector<exchange_result> send_all(std::vector<request> const& all)
    {
        std::vector<exchange_result> out(all.size(), exchange_error());
        for (std::size_t i = 0; i < all.size(); ++i) {
            boost::asio::co_spawn(io, to->send(all[i]), [&out, i](std::exception_ptr thrown, exchange_result answer) {
                if (thrown) std::rethrow_exception(thrown);
                out[i] = std::move(answer);
            });
        }
        io.restart();
        io.run();
        return out;
    }

    std::unique_ptr<clock> time;
    boost::asio::io_context io{1};
    std::unique_ptr<transport> to;
};

/// Longer than a connection is trusted without a look.
inline void let_it_idle() { std::this_thread::sleep_for(5 * trusted_idle); }

inline void expect_body(exchange_result const& answer, std::string_view body)
{
    ASSERT_TRUE(answer) << answer.error().why.message();
    EXPECT_EQ(answer->body, body);
}

inline void expect_broken(exchange_result const& answer, broken how, errc code, std::string_view named)
{
    ASSERT_FALSE(answer) << "answered with " << answer->status;
    EXPECT_EQ(answer.error().how, how);
    EXPECT_EQ(answer.error().why, code) << answer.error().why.message();
    EXPECT_NE(answer.error().why.message().find(named), std::string::npos) << answer.error().why.message();
}

}  // namespace headwater::http
