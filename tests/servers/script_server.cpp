// Accepts, reads requests, and leaves all else to the script.
#include "tests/servers/script_server.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <thread>

namespace headwater::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

struct counters {
    std::atomic<int> accepted{0};
    std::atomic<int> open{0};
    std::atomic<int> most{0};
    std::atomic<int> requests{0};
    std::atomic<int> resumed{0};
};

// The length that a head promises; 0 without one.
std::size_t body_size(std::string_view head)
{
    constexpr std::string_view name = "\r\nContent-Length: ";
    auto const at = head.find(name);
    return at == head.npos ? 0 : std::stoul(std::string(head.substr(at + name.size(), 20)));
}

// The socket under TLS, with a tap: what goes beyond `left` is dropped, as on a line that was cut.
class tap {
public:
    using executor_type = tcp::socket::executor_type;
    using lowest_layer_type = tcp::socket::lowest_layer_type;

    explicit tap(tcp::socket socket) : socket(std::move(socket)) {}

    executor_type get_executor() { return socket.get_executor(); }
    lowest_layer_type& lowest_layer() { return socket.lowest_layer(); }

    template <class Buffers, class Token>
    auto async_read_some(Buffers const& into, Token&& token)
    {
        return socket.async_read_some(into, std::forward<Token>(token));
    }

    template <class Buffers, class Token>
    auto async_write_some(Buffers const& from, Token&& token)
    {
        return asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this](auto then, Buffers bytes) {
                auto const size = asio::buffer_size(bytes);
                auto const passed = std::min(left, size);
                if (passed == size) {
                    left -= left == no_limit ? 0 : size;
                    socket.async_write_some(bytes, std::move(then));
                    return;
                }
                cut.resize(passed);
                asio::buffer_copy(asio::buffer(cut), bytes);
                left = 0;
                auto finish = [then = std::move(then), size](error_code how, std::size_t) mutable {
                    std::move(then)(how, size);
                };
                asio::async_write(socket, asio::buffer(cut), std::move(finish));
            },
            token, from);
    }

    static constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

    tcp::socket socket;
    std::size_t left = no_limit;
    std::string cut;
};

class connected final : public peer {
public:
    connected(tcp::socket socket, asio::ssl::context* tls, counters& counts, int number)
        : line_(std::move(socket)), socket_(line_.socket), counts_(counts), number_(number)
    {
        if (tls) secure_.emplace(line_, *tls);
        counts_.most = std::max<int>(counts_.most, ++counts_.open);
    }
    ~connected() override { --counts_.open; }

    asio::awaitable<bool> handshake()
    {
        if (!secure_) co_return true;
        error_code wrong;
        co_await secure_->async_handshake(asio::ssl::stream_base::server,
                                          asio::redirect_error(asio::use_awaitable, wrong));
        if (!wrong && SSL_session_reused(secure_->native_handle()) == 1) ++counts_.resumed;
        co_return !wrong;
    }

    int number() const override { return number_; }

    asio::awaitable<std::string> request() override
    {
        for (;;) {
            auto const end = read_.find("\r\n\r\n");
            if (end != read_.npos) {
                auto const size = end + 4 + body_size(std::string_view(read_).substr(0, end));
                if (read_.size() >= size) {
                    auto whole = read_.substr(0, size);
                    read_.erase(0, size);
                    ++counts_.requests;
                    co_return whole;
                }
            }
            error_code wrong;
            auto const more = asio::buffer(piece_);
            std::size_t count = 0;
            if (secure_) {
                count = co_await secure_->async_read_some(more, asio::redirect_error(asio::use_awaitable, wrong));
            } else {
                count = co_await socket_.async_read_some(more, asio::redirect_error(asio::use_awaitable, wrong));
            }
            if (wrong) co_return std::string();
            read_.append(piece_.data(), count);
        }
    }

    asio::awaitable<void> send(std::string bytes) override
    {
        error_code wrong;
        if (secure_) {
            co_await asio::async_write(*secure_, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, wrong));
        } else {
            co_await asio::async_write(line_, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, wrong));
        }
    }

    void choke(std::size_t bytes) override { line_.left = bytes; }

    asio::awaitable<void> pause(std::chrono::milliseconds length) override
    {
        asio::steady_timer timer(socket_.get_executor(), length);
        co_await timer.async_wait(asio::use_awaitable);
    }

    void close() override
    {
        error_code ignored;
        if (secure_) SSL_set_shutdown(secure_->native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        socket_.shutdown(tcp::socket::shutdown_both, ignored);
        socket_.close(ignored);
    }

    void reset() override
    {
        error_code ignored;
        socket_.set_option(asio::socket_base::linger(true, 0), ignored);
        socket_.close(ignored);
    }

private:
    tap line_;
    tcp::socket& socket_;
    std::optional<asio::ssl::stream<tap&>> secure_;
    counters& counts_;
    int number_;
    std::string read_;
    std::array<char, 16 * 1024> piece_{};
};

}  // namespace

class script_server::impl {
public:
    impl(script what, server_identity const& who)
        : script_(std::move(what)), acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0))
    {
        if (!who.certificate.empty()) {
            tls_.emplace(asio::ssl::context::tls_server);
            tls_->use_certificate_chain(asio::buffer(who.certificate));
            tls_->use_private_key(asio::buffer(who.key), asio::ssl::context::pem);
        }
        port_ = acceptor_.local_endpoint().port();
        asio::co_spawn(io_, accept(), asio::detached);
        thread_ = std::thread([this] { io_.run(); });
    }

    ~impl()
    {
        io_.stop();
        thread_.join();
    }

    counters counts;
    std::uint16_t port() const { return port_; }

    void later(std::chrono::milliseconds after, std::function<void()> what)
    {
        asio::co_spawn(io_, wait_and_do(after, std::move(what)), asio::detached);
    }

private:
    asio::awaitable<void> accept()
    {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
            socket.set_option(tcp::no_delay(true));
            auto* const tls = tls_ ? &*tls_ : nullptr;
            auto one = std::make_unique<connected>(std::move(socket), tls, counts, counts.accepted++);
            asio::co_spawn(io_, serve(std::move(one)), asio::detached);
        }
    }

    asio::awaitable<void> wait_and_do(std::chrono::milliseconds after, std::function<void()> what)
    {
        asio::steady_timer timer(io_, after);
        co_await timer.async_wait(asio::use_awaitable);
        what();
    }

    asio::awaitable<void> serve(std::unique_ptr<connected> one)
    {
        bool const secured = co_await one->handshake();  // g++ 12 traps on a co_await in this if's condition.
        if (secured) co_await script_(*one);
    }

    script script_;
    std::optional<asio::ssl::context> tls_;
    asio::io_context io_{1};
    tcp::acceptor acceptor_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

script_server::script_server(script what, server_identity const& who)
    : impl_(std::make_unique<impl>(std::move(what), who))
{
}
script_server::~script_server() = default;

std::uint16_t script_server::port() const { return impl_->port(); }
int script_server::accepted() const { return impl_->counts.accepted; }
int script_server::open() const { return impl_->counts.open; }
int script_server::most() const { return impl_->counts.most; }
int script_server::requests() const { return impl_->counts.requests; }
int script_server::resumed() const { return impl_->counts.resumed; }
void script_server::later(std::chrono::milliseconds after, std::function<void()> what)
{
    impl_->later(after, std::move(what));
}

asio::awaitable<void> answer_each(peer& to, std::string const& with)
{
    for (;;) {
        auto const asked = co_await to.request();
        if (asked.empty()) co_return;
        co_await to.send(with);
    }
}

std::string answer(std::string_view body, std::string_view fields, std::string_view status)
{
    std::string out = "HTTP/1.1 ";
    out += status;
    out += "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    out += fields;
    out += "\r\n";
    out += body;
    return out;
}

}  // namespace headwater::test
