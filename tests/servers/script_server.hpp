// script_server: a server for tests that does to each connection what a script says, down to the single byte.
// It runs on a thread of its own, so that the client under test has its io_context to itself.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace headwater::test {

/// One accepted connection, as its script sees it.
class peer {
public:
    virtual ~peer() = default;

    /// Which connection this is, counted from 0.
    virtual int number() const = 0;
    /// The next request, head and body, byte for byte; empty when the client has closed.
    virtual boost::asio::awaitable<std::string> request() = 0;
    virtual boost::asio::awaitable<void> send(std::string bytes) = 0;
    /// Lets only so many more bytes through to the network, TLS included: what is sent beyond them is lost.
    virtual void choke(std::size_t bytes) = 0;
    virtual boost::asio::awaitable<void> pause(std::chrono::milliseconds length) = 0;
    /// Ends the connection in good order; it also ends so when the script returns.
    virtual void close() = 0;
    /// Ends it with a TCP reset, and TLS in its middle.
    virtual void reset() = 0;
};

/// Runs once for each connection. A capturing lambda must outlive the server.
using script = std::function<boost::asio::awaitable<void>(peer&)>;

/// Certificate and key as PEM; both empty: plain HTTP.
struct server_identity {
    std::string certificate{};
    std::string key{};
};

class script_server {
public:
    explicit script_server(script what, server_identity const& who = {});
    /// Ends all connections.
    ~script_server();

    std::uint16_t port() const;
    int accepted() const;  ///< Connections so far.
    int open() const;      ///< Connections now.
    int most() const;      ///< The most that were open at once.
    int requests() const;  ///< Requests read so far.
    /// Runs `what` on the server's thread, after so long. It must not outlive the server.
    void later(std::chrono::milliseconds after, std::function<void()> what);
    int resumed() const;  ///< TLS handshakes that resumed an earlier session.

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

/// Sends the same bytes after each request, until the client closes.
boost::asio::awaitable<void> answer_each(peer& to, std::string const& with);

/// A complete answer with `Content-Length`. `fields` are whole lines, each with its line end.
std::string answer(std::string_view body, std::string_view fields = {}, std::string_view status = "200 OK");

}  // namespace headwater::test
