// The coroutines of one connection: they wait, the stream moves bytes, the parser understands them.
#include "adapters/http/connection.hpp"

#include "adapters/http/connection_parser.hpp"
#include "adapters/http/wire.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>

#include <array>
#include <cstring>

namespace headwater::http {

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

constexpr std::size_t read_buffer_bytes = 64 * 1024;
// A connection that once carried a large body does not hold its memory for ever.
constexpr std::size_t max_kept_request_bytes = 256 * 1024;
static_assert(max_header_bytes < read_buffer_bytes, "the parser must reach its limit before the buffer is full");

// A deadline is an outcome; a caller's cancellation stays the exception that Asio throws.
void throw_if_cancelled(error_code how, deadline const& until)
{
    if (how == asio::error::operation_aborted && !until.passed()) throw boost::system::system_error(how);
}

tcp::socket::wait_type direction(then next) noexcept
{
    return next == then::writable ? tcp::socket::wait_write : tcp::socket::wait_read;
}

bool must_wait(then next) noexcept { return next == then::readable || next == then::writable; }

}  // namespace

class connection::impl {
public:
    impl(asio::any_io_executor const& executor, std::shared_ptr<tls_context> trust)
        : socket(executor), tls(std::move(trust))
    {
    }

    tcp::socket socket;
    std::shared_ptr<tls_context> tls;
    std::unique_ptr<byte_stream> stream;
    response_parser parser;
    std::string wire;  // The request's bytes, whole; its memory is used again.
    std::unique_ptr<std::array<char, read_buffer_bytes>> buffer =
        std::make_unique<std::array<char, read_buffer_bytes>>();
    std::size_t buffered = 0;
    std::size_t written = 0;      // Of `wire`.
    std::size_t sent_before = 0;  // By the stream, before this exchange.
    std::size_t exchanges = 0;
    bool reusable = false;

    void begin(request const& what, std::string const& authority);
    then write();
    then read();
    std::optional<exchange_error> understand(then next);
    exchange_error broke(bool peer_closed, error why) const;
    exchange_error broke_by(then next) const;
    exchange_error with_part(exchange_error ended);
    bool sent_all() const { return written == wire.size(); }
    exchange_result finish();
    asio::awaitable<std::optional<exchange_error>> wait_for(then next, deadline& until);
};

void connection::impl::begin(request const& what, std::string const& authority)
{
    reusable = false;
    ++exchanges;
    written = 0;
    sent_before = stream->sent();
    parser.begin(what);
    write_request(what, authority, wire);
}

then connection::impl::write()
{
    while (!sent_all()) {
        auto const moved = stream->write(std::string_view(wire).substr(written));
        if (moved.next != then::go_on) return moved.next;
        written += moved.moved;
    }
    return then::go_on;
}

// One read, and what the parser makes of it.
then connection::impl::read()
{
    auto const moved = stream->read(std::span(*buffer).subspan(buffered));
    if (moved.next != then::go_on) return moved.next;
    buffered += moved.moved;
    auto const used = parser.put(std::string_view(buffer->data(), buffered));
    buffered -= used;
    std::memmove(buffer->data(), buffer->data() + used, buffered);
    return then::go_on;
}

exchange_error connection::impl::broke(bool peer_closed, error why) const
{
    cut at;
    at.bytes_sent = stream->sent() - sent_before;
    at.response_begun = parser.begun();
    at.reused = exchanges > 1;
    at.peer_closed = peer_closed;
    return {judge(at), std::move(why)};
}

exchange_error connection::impl::broke_by(then next) const
{
    bool const peer_closed = next == then::closed || next == then::cut;
    auto why = peer_closed && parser.begun() ? error(errc::unavailable, "the connection ended inside an answer")
               : next == then::closed        ? closed_unanswered(tls != nullptr)
                                             : stream->why();
    return broke(peer_closed, std::move(why));
}

// What came of the answer goes with the error: the request's id, and a body that may be gone on with.
exchange_error connection::impl::with_part(exchange_error ended)
{
    ended.part = parser.take_part();
    return ended;
}

// After a read: nothing while all is well.
std::optional<exchange_error> connection::impl::understand(then next)
{
    if (auto const& wrong = parser.wrong()) {
        bool const limit = *wrong == errc::limit_exceeded;
        return exchange_error(limit ? broken::refused : broken::ambiguous, *wrong);
    }
    if (next == then::closed && parser.put_end()) return {};
    if (next != then::go_on && !must_wait(next)) return broke_by(next);
    if (buffered == buffer->size()) {
        return exchange_error(broken::ambiguous,
                              error(errc::protocol, "max_header_bytes: a chunk's header or trailer is too long"));
    }
    return {};
}

exchange_result connection::impl::finish()
{
    bool const good = parser.keep_alive();
    auto answer = parser.take();
    // A refusal and a redirect need not have read it; a success must.
    if (!sent_all() && answer.status < 300) {
        return broke(false, {errc::protocol, "the server answered before it had the request"});
    }
    reusable = good && sent_all() && buffered == 0 && socket.is_open();
    if (wire.capacity() > max_kept_request_bytes) std::string().swap(wire);
    return answer;
}

asio::awaitable<std::optional<exchange_error>> connection::impl::wait_for(then next, deadline& until)
{
    error_code how;
    co_await socket.async_wait(direction(next), asio::redirect_error(asio::use_awaitable, how));
    throw_if_cancelled(how, until);
    if (until.passed()) co_return broke(false, until.why());
    if (how) co_return broke(false, {errc::unavailable, "the connection broke: " + how.message()});
    co_return std::nullopt;
}

connection::connection(asio::any_io_executor executor, std::shared_ptr<tls_context> tls)
    : impl_(std::make_unique<impl>(std::move(executor), std::move(tls)))
{
}

connection::~connection() { stop(); }

void connection::stop() noexcept
{
    if (!impl_->socket.is_open()) return;
    if (impl_->stream) impl_->stream->goodbye();
    error_code ignored;
    impl_->socket.close(ignored);
    impl_->reusable = false;
}

bool connection::reused() const noexcept { return impl_->exchanges > 1; }
bool connection::reusable() const noexcept { return impl_->reusable; }
bool connection::alive() { return impl_->socket.is_open() && impl_->stream->alive(); }

asio::awaitable<std::optional<exchange_error>> connection::open(address to, std::string const& host, deadline& until)
{
    auto& me = *impl_;
    deadline::watch watched(until, *this);
    watched.enter(phase::connect);
    error_code how;
    me.socket.open(to.protocol(), how);
    // No program that the process starts, a credential_process, may hold the connection open.
    if (!how) ::fcntl(me.socket.native_handle(), F_SETFD, FD_CLOEXEC);
    if (!how) co_await me.socket.async_connect(to, asio::redirect_error(asio::use_awaitable, how));
    throw_if_cancelled(how, until);
    if (until.passed()) co_return exchange_error(broken::nothing_sent, until.why());
    if (how) {
        auto why = out_of_files(how);
        if (!why) why = error(errc::unavailable, "connecting to " + host + " failed: " + how.message());
        co_return exchange_error(broken::nothing_sent, *std::move(why));
    }
    me.socket.set_option(tcp::no_delay(true), how);
    me.socket.non_blocking(true, how);
    int const descriptor = me.socket.native_handle();
    me.stream = me.tls ? me.tls->connect(descriptor, host) : make_plain_stream(descriptor);
    watched.enter(phase::tls);
    for (;;) {
        auto const shaken = me.stream->handshake();
        if (shaken.next == then::go_on) co_return std::nullopt;
        if (!must_wait(shaken.next)) {
            auto why = at_endpoint(me.stream->why(), "https", host + ':' + std::to_string(to.port()));
            co_return exchange_error(broken::nothing_sent, std::move(why));
        }
        auto const waited = co_await me.wait_for(shaken.next, until);
        if (waited) co_return exchange_error(broken::nothing_sent, waited->why);
    }
}

asio::awaitable<exchange_result> connection::exchange(request const& what, std::string const& authority,
                                                      deadline& until)
{
    auto& me = *impl_;
    me.begin(what, authority);
    deadline::watch watched(until, *this);
    then next = me.write();
    while (must_wait(next)) {
        watched.enter(phase::send);
        auto const waited = co_await me.wait_for(next, until);
        if (waited) co_return *waited;
        next = me.write();
    }
    // A server that refuses a request may answer and close before it has read it all: the answer is worth reading.
    auto const unsent = next == then::go_on ? std::nullopt : std::make_optional(me.broke_by(next));
    if (unsent && unsent->how == broken::nothing_sent) co_return *unsent;

    watched.enter(phase::first_byte);
    next = me.stream->pending() ? then::go_on : then::readable;
    for (;;) {
        if (must_wait(next)) {
            auto const waited = co_await me.wait_for(next, until);
            if (waited) co_return me.with_part(*waited);
        }
        next = me.read();
        auto const wrong = me.understand(next);
        if (me.parser.done()) co_return me.finish();
        if (wrong && unsent && !me.parser.begun()) co_return *unsent;
        if (wrong) co_return me.with_part(*wrong);
        if (next == then::go_on) watched.enter(phase::idle);
    }
}

}  // namespace headwater::http
