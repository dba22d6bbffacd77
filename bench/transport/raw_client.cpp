// The floor.
#include "bench/transport/client.hpp"

#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace headwater::bench {

namespace {

using steady = std::chrono::steady_clock;
using microseconds = std::chrono::duration<double, std::micro>;

class raw_connection {
public:
    raw_connection(target const& to, SSL_CTX* tls) : socket_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(static_cast<std::uint16_t>(std::atoi(to.port.c_str())));
        ::inet_pton(AF_INET, to.host.c_str(), &at.sin_addr);
        if (::connect(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) {
            throw std::runtime_error("nothing listens at port " + to.port);
        }
        int const yes = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (!tls) return;
        tls_ = SSL_new(tls);
        SSL_set_fd(tls_, socket_);
        if (SSL_connect(tls_) != 1) throw std::runtime_error("the TLS handshake failed");
    }
    raw_connection(raw_connection const&) = delete;
    raw_connection& operator=(raw_connection const&) = delete;
    ~raw_connection()
    {
        if (tls_) SSL_free(tls_);
        ::close(socket_);
    }

    void send(std::string const& request)
    {
        have_ = need_ = 0;
        auto const size = static_cast<ssize_t>(request.size());
        auto const moved = tls_ ? SSL_write(tls_, request.data(), static_cast<int>(request.size()))
                                : ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
        if (moved != size) throw std::runtime_error("a request could not be sent");
    }

    // Reads once; true when the answer is whole.
    bool read()
    {
        auto const room = buffer_.size() - have_;
        auto const moved = tls_ ? SSL_read(tls_, buffer_.data() + have_, static_cast<int>(room))
                                : ::recv(socket_, buffer_.data() + have_, room, 0);
        if (moved <= 0) throw std::runtime_error("the server closed the connection");
        have_ += static_cast<std::size_t>(moved);
        if (need_ == 0) find_length();
        return need_ != 0 && have_ >= need_;
    }

    // TLS has more that no event will tell.
    bool pending() const { return tls_ && SSL_pending(tls_) > 0; }
    int descriptor() const noexcept { return socket_; }

private:
    void find_length()
    {
        std::string_view const text(buffer_.data(), have_);
        auto const head = text.find("\r\n\r\n");
        if (head == text.npos) return;
        auto const length = text.find("Content-Length: ");
        need_ = head + 4 + std::strtoul(buffer_.data() + length + 16, nullptr, 10);
    }

    int socket_;
    SSL* tls_ = nullptr;
    std::size_t have_ = 0;
    std::size_t need_ = 0;
    std::array<char, 131072> buffer_;
};

class raw_client final : public client {
public:
    explicit raw_client(target const& to) : to_(to), poll_(::epoll_create1(0))
    {
        if (to.tls()) tls_ = SSL_CTX_new(TLS_client_method());
    }
    ~raw_client() override
    {
        connections_.clear();
        if (tls_) SSL_CTX_free(tls_);
        ::close(poll_);
    }

    std::vector<double> one_by_one(wanted_get const& what, std::size_t count) override
    {
        auto const request = request_for(what);
        open(1);
        std::vector<double> took;
        took.reserve(count);
        for (std::size_t i = 0; i != count; ++i) {
            auto const began = steady::now();
            connections_.front()->send(request);
            epoll_event event;
            do ::epoll_wait(poll_, &event, 1, -1);
            while (!read(*connections_.front()));
            took.push_back(microseconds(steady::now() - began).count());
        }
        return took;
    }

    double together(std::vector<wanted_get> const& all, std::size_t in_flight) override
    {
        std::vector<std::string> requests;
        for (auto const& each : all) requests.push_back(request_for(each));
        open(in_flight);
        auto const began = steady::now();
        std::size_t next = 0;
        while (next < std::min(in_flight, all.size())) {
            connections_[next]->send(requests[next]);
            ++next;
        }
        std::array<epoll_event, 64> events;
        for (std::size_t left = all.size(); left != 0;) {
            int const count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < count; ++i) {
                auto& one = *connections_[events[static_cast<std::size_t>(i)].data.u64];
                if (!read(one)) continue;
                --left;
                if (next < all.size()) one.send(requests[next++]);
            }
        }
        return microseconds(steady::now() - began).count();
    }

private:
    static bool read(raw_connection& one)
    {
        bool whole = one.read();
        while (!whole && one.pending()) whole = one.read();
        return whole;
    }

    void open(std::size_t count)
    {
        while (connections_.size() < count) {
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.u64 = connections_.size();
            auto const& made = connections_.emplace_back(std::make_unique<raw_connection>(to_, tls_));
            ::epoll_ctl(poll_, EPOLL_CTL_ADD, made->descriptor(), &event);
        }
    }

    // As long as a signed one, so that the server reads as much.
    static std::string request_for(wanted_get const& what)
    {
        return "GET /bench/" + what.name + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: " + std::string(320, 'x')
               + "\r\n\r\n";
    }

    target to_;
    int poll_;
    SSL_CTX* tls_ = nullptr;
    std::vector<std::unique_ptr<raw_connection>> connections_;
};

}  // namespace

std::unique_ptr<client> make_raw_client(target const& to) { return std::make_unique<raw_client>(to); }

}  // namespace headwater::bench
