// bench_server: one thread, one epoll loop, objects in memory, answers after a delay that is drawn for each request.
//
//   bench_server [--port N] [--delays SHAPE] [--seed N] [--cert FILE --key FILE]
//
// It prints the port, and takes new delays from a PUT of the object `_delays`. One connection's requests are answered
// in order; there is no limit on connections.
#include "bench/server/objects.hpp"
#include "bench/support/delays.hpp"
#include "bench/support/options.hpp"

#include <openssl/ssl.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <queue>
#include <stdexcept>
#include <system_error>
#include <unordered_map>

namespace headwater::bench {
namespace {

using std::chrono::nanoseconds;

nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

int checked(int answer, char const* what)
{
    if (answer < 0) throw std::system_error(errno, std::system_category(), what);
    return answer;
}

// The bytes of one connection, plain or TLS. -1: would block; 0: ended.
class wire {
public:
    wire(int descriptor, SSL_CTX* tls) : descriptor_(descriptor), tls_(tls ? SSL_new(tls) : nullptr)
    {
        if (!tls_) return;
        SSL_set_fd(tls_, descriptor);
        SSL_set_accept_state(tls_);
    }
    wire(wire const&) = delete;
    wire& operator=(wire const&) = delete;
    ~wire()
    {
        if (tls_) SSL_free(tls_);
        ::close(descriptor_);
    }

    ssize_t read(char* into, std::size_t size)
    {
        if (tls_) return judged(SSL_read(tls_, into, static_cast<int>(size)));
        auto const moved = ::recv(descriptor_, into, size, 0);
        return moved < 0 && errno != EAGAIN ? 0 : moved;
    }

    ssize_t write(char const* from, std::size_t size)
    {
        if (tls_) return judged(SSL_write(tls_, from, static_cast<int>(size)));
        auto const moved = ::send(descriptor_, from, size, MSG_NOSIGNAL);
        return moved < 0 && errno != EAGAIN ? 0 : moved;
    }

    int descriptor() const noexcept { return descriptor_; }

private:
    ssize_t judged(int moved) const
    {
        if (moved > 0) return moved;
        auto const why = SSL_get_error(tls_, moved);
        return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? -1 : 0;
    }

    int descriptor_;
    SSL* tls_;
};

struct client {
    client(int descriptor, SSL_CTX* tls) : socket(descriptor, tls) {}

    wire socket;
    std::string input;
    std::string output;
    std::size_t written = 0;
    bool waits = false;    // An answer of its is being delayed.
    bool blocked = false;  // The socket takes no more for now.
};

struct delayed_answer {
    nanoseconds due;
    std::uint64_t to;
    std::string bytes;

    friend bool operator<(delayed_answer const& left, delayed_answer const& right) { return left.due > right.due; }
};

class server {
public:
    explicit server(options const& wanted)
        : seed_(wanted.number("--seed", 42)), delays_(shape_of(wanted.text("--delays", "none")), seed_)
    {
        if (auto const cert = wanted.text("--cert"); !cert.empty()) load(cert, wanted.text("--key"));
        listen_on(static_cast<std::uint16_t>(wanted.number("--port", 0)));
        timer_ = checked(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), "timerfd_create");
        watch(listener_, listener_id, EPOLL_CTL_ADD, EPOLLIN);
        watch(timer_, timer_id, EPOLL_CTL_ADD, EPOLLIN);
    }

    [[noreturn]] void serve()
    {
        std::array<epoll_event, 256> events{};
        for (;;) {
            int const count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < count; ++i) {
                auto const& [flags, data] = events[static_cast<std::size_t>(i)];
                if (data.u64 == listener_id) {
                    accept_all();
                } else if (data.u64 == timer_id) {
                    send_due();
                } else {
                    move(data.u64, flags);
                }
            }
        }
    }

private:
    static constexpr std::uint64_t listener_id = 0;
    static constexpr std::uint64_t timer_id = 1;

    delay_shape shape_of(std::string_view text)
    {
        auto const shape = parse_delays(text);
        if (!shape) throw std::invalid_argument("no such delays: " + std::string(text));
        delaying_ = shape->base_ms > 0 || shape->median_ms > 0;
        return *shape;
    }

    void load(std::string const& cert, std::string const& key)
    {
        tls_ = SSL_CTX_new(TLS_server_method());
        if (SSL_CTX_use_certificate_chain_file(tls_, cert.c_str()) != 1
            || SSL_CTX_use_PrivateKey_file(tls_, key.c_str(), SSL_FILETYPE_PEM) != 1) {
            throw std::runtime_error("the certificate or its key cannot be read");
        }
        SSL_CTX_set_mode(tls_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    }

    void listen_on(std::uint16_t port)
    {
        listener_ = checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
        int const yes = 1;
        ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port = htons(port);
        socklen_t size = sizeof at;
        checked(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size), "bind");
        checked(::listen(listener_, SOMAXCONN), "listen");
        checked(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), "getsockname");
        poll_ = checked(::epoll_create1(0), "epoll_create1");
        std::printf("%d\n", ntohs(at.sin_port));
        std::fflush(stdout);
    }

    void watch(int descriptor, std::uint64_t id, int how, std::uint32_t what)
    {
        epoll_event event{};
        event.events = what;
        event.data.u64 = id;
        checked(::epoll_ctl(poll_, how, descriptor, &event), "epoll_ctl");
    }

    void accept_all()
    {
        for (;;) {
            int const descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
            if (descriptor < 0) return;
            int const yes = 1;
            ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            auto const id = next_id_++;
            clients_.emplace(id, std::make_unique<client>(descriptor, tls_));
            watch(descriptor, id, EPOLL_CTL_ADD, EPOLLIN);
        }
    }

    void move(std::uint64_t id, std::uint32_t flags)
    {
        auto const at = clients_.find(id);
        if (at == clients_.end()) return;
        auto& one = *at->second;
        bool open = true;
        if (flags & EPOLLOUT) open = flush(id, one);
        if (open && (flags & (EPOLLIN | EPOLLHUP | EPOLLERR))) open = read_all(one) && process(id, one);
        if (!open) clients_.erase(at);
    }

    // False: it has ended.
    bool read_all(client& one)
    {
        for (;;) {
            auto const moved = one.socket.read(buffer_.data(), buffer_.size());
            if (moved == 0) return false;
            if (moved < 0) return true;
            one.input.append(buffer_.data(), static_cast<std::size_t>(moved));
            if (!tls_ && static_cast<std::size_t>(moved) < buffer_.size()) return true;
        }
    }

    bool process(std::uint64_t id, client& one)
    {
        std::size_t used = 0;
        server_request request;
        while (!one.waits) {
            auto const length = parse_request(std::string_view(one.input).substr(used), request);
            if (length == 0) break;
            used += length;
            if (request.method == "PUT" && request.path.ends_with("/_delays")) {
                delays_ = delay_source(shape_of(request.body), seed_);
                objects_.answer(request, one.output);
            } else if (delaying_) {
                delay(id, one, request);
            } else {
                objects_.answer(request, one.output);
            }
        }
        one.input.erase(0, used);
        return flush(id, one);
    }

    // What is written takes effect when it is answered, what is read is what was there then.
    void delay(std::uint64_t id, client& one, server_request const& request)
    {
        bool const listing = request.query.find("list-type=2") != request.query.npos;
        auto const at = now();
        delayed_answer later{at + delays_.next(listing, at), id, {}};
        objects_.answer(request, later.bytes);
        queue_.push(std::move(later));
        one.waits = true;
        arm();
    }

    void send_due()
    {
        std::uint64_t ignored = 0;
        (void)!::read(timer_, &ignored, sizeof ignored);
        while (!queue_.empty() && queue_.top().due <= now()) {
            auto const next = queue_.top();
            queue_.pop();
            auto const at = clients_.find(next.to);
            if (at == clients_.end()) continue;
            at->second->waits = false;
            at->second->output += next.bytes;
            if (!process(next.to, *at->second)) clients_.erase(at);
        }
        arm();
    }

    void arm()
    {
        itimerspec when{};
        if (!queue_.empty()) {
            constexpr long second = 1'000'000'000;
            when.it_value.tv_sec = queue_.top().due.count() / second;
            when.it_value.tv_nsec = queue_.top().due.count() % second;
        }
        ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
    }

    bool flush(std::uint64_t id, client& one)
    {
        while (one.written < one.output.size()) {
            auto const moved = one.socket.write(one.output.data() + one.written, one.output.size() - one.written);
            if (moved == 0) return false;
            if (moved < 0) break;
            one.written += static_cast<std::size_t>(moved);
        }
        bool const blocked = one.written < one.output.size();
        if (!blocked) {
            one.output.clear();
            one.written = 0;
        }
        if (blocked != one.blocked) {
            one.blocked = blocked;
            watch(one.socket.descriptor(), id, EPOLL_CTL_MOD, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
        }
        return true;
    }

    std::uint64_t seed_;
    bool delaying_ = false;
    delay_source delays_;
    SSL_CTX* tls_ = nullptr;
    int listener_ = -1;
    int timer_ = -1;
    int poll_ = -1;
    std::uint64_t next_id_ = 2;
    std::unordered_map<std::uint64_t, std::unique_ptr<client>> clients_;
    std::priority_queue<delayed_answer> queue_;
    server_objects objects_;
    std::array<char, 65536> buffer_{};
};

}  // namespace
}  // namespace headwater::bench

int main(int count, char** words)
try {
    ::signal(SIGPIPE, SIG_IGN);
    auto const server = std::make_unique<headwater::bench::server>(headwater::bench::options(count, words));
    server->serve();
} catch (std::exception const& what) {
    std::fprintf(stderr, "bench_server: %s\n", what.what());
    return 1;
}
