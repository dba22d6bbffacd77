// Plain sockets by recv and send; TLS by OpenSSL over a BIO of our own, since its socket BIO raises SIGPIPE.
#include "adapters/http/connection_stream.hpp"

#include "adapters/http/wire.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <utility>

namespace headwater::http {

namespace {

// The socket itself, with what happened last.
struct raw_socket {
    int descriptor = -1;
    int problem = 0;     // errno of the last call; 0 after an orderly end
    bool ended = false;  // the other side has closed
    std::size_t sent = 0;

    bool must_wait() const noexcept { return problem == EAGAIN || problem == EWOULDBLOCK; }

    // Bytes moved, 0 at the end, -1 with `problem` set.
    ssize_t read(char* into, std::size_t size, int flags) noexcept
    {
        ssize_t moved = 0;
        do moved = ::recv(descriptor, into, size, flags);
        while (moved < 0 && errno == EINTR);
        problem = moved < 0 ? errno : 0;
        ended = moved == 0;
        return moved;
    }

    ssize_t write(char const* from, std::size_t size) noexcept
    {
        ssize_t moved = 0;
        do moved = ::send(descriptor, from, size, MSG_NOSIGNAL);
        while (moved < 0 && errno == EINTR);
        problem = moved < 0 ? errno : 0;
        if (moved > 0) sent += static_cast<std::size_t>(moved);
        return moved;
    }

    then ending() const noexcept
    {
        return problem == ECONNRESET || problem == EPIPE || problem == ECONNABORTED ? then::cut : then::failed;
    }

    error why() const
    {
        if (problem == 0) return {errc::unavailable, "the server closed the connection"};
        return {errc::unavailable,
                "the connection broke: " + error_code(problem, boost::system::system_category()).message()};
    }
};

class plain_stream final : public byte_stream {
public:
    explicit plain_stream(int descriptor) : socket_{.descriptor = descriptor} {}

    step handshake() override { return {}; }

    step read(std::span<char> into) override
    {
        auto const moved = socket_.read(into.data(), into.size(), 0);
        if (moved > 0) return {then::go_on, static_cast<std::size_t>(moved)};
        if (moved == 0) return {then::closed};
        return {socket_.must_wait() ? then::readable : socket_.ending()};
    }

    step write(std::string_view from) override
    {
        auto const moved = socket_.write(from.data(), from.size());
        if (moved >= 0) return {then::go_on, static_cast<std::size_t>(moved)};
        return {socket_.must_wait() ? then::writable : socket_.ending()};
    }

    bool pending() override { return false; }

    bool alive() override
    {
        char one = 0;
        return socket_.read(&one, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && socket_.must_wait();
    }

    std::size_t sent() const override { return socket_.sent; }
    void goodbye() noexcept override {}
    error why() const override { return socket_.why(); }

private:
    raw_socket socket_;
};

template <class T, void (*Free)(T*)>
struct freed_by {
    void operator()(T* what) const noexcept { Free(what); }
};
template <class T, void (*Free)(T*)>
using owned = std::unique_ptr<T, freed_by<T, Free>>;
using owned_context = owned<SSL_CTX, SSL_CTX_free>;
using owned_tls = owned<SSL, SSL_free>;
using owned_session = owned<SSL_SESSION, SSL_SESSION_free>;
using owned_bio_method = owned<BIO_METHOD, BIO_meth_free>;

// BIO callbacks: `data` is the stream's raw_socket.
raw_socket& socket_of(BIO* bio) { return *static_cast<raw_socket*>(BIO_get_data(bio)); }

int bio_read(BIO* bio, char* into, int size)
{
    auto& from = socket_of(bio);
    BIO_clear_retry_flags(bio);
    auto const moved = from.read(into, static_cast<std::size_t>(size), 0);
    if (moved < 0 && from.must_wait()) BIO_set_retry_read(bio);
    return static_cast<int>(moved);
}

int bio_write(BIO* bio, char const* from, int size)
{
    auto& to = socket_of(bio);
    BIO_clear_retry_flags(bio);
    auto const moved = to.write(from, static_cast<std::size_t>(size));
    if (moved < 0 && to.must_wait()) BIO_set_retry_write(bio);
    return static_cast<int>(moved);
}

long bio_control(BIO* bio, int command, long, void*)
{
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return socket_of(bio).ended ? 1 : 0;
    return 0;
}

int bio_create(BIO* bio)
{
    BIO_set_init(bio, 1);
    return 1;
}

owned_bio_method make_bio_method()
{
    owned_bio_method method(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "headwater socket"));
    BIO_meth_set_read(method.get(), bio_read);
    BIO_meth_set_write(method.get(), bio_write);
    BIO_meth_set_ctrl(method.get(), bio_control);
    BIO_meth_set_create(method.get(), bio_create);
    return method;
}

std::string openssl_reason()
{
    auto const code = ERR_peek_last_error();
    auto const* const text = code == 0 ? nullptr : ERR_reason_error_string(code);
    return text ? text : "no reason given";
}

// A server that is in trouble of its own says so; any other end of a handshake is the same at each try.
bool may_pass(unsigned long code) noexcept
{
    auto const reason = ERR_GET_REASON(code);
    return reason == SSL_R_TLSV1_ALERT_INTERNAL_ERROR || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

class tls_stream final : public byte_stream {
public:
    tls_stream(owned_tls tls, BIO_METHOD* method, int descriptor)
        : socket_{.descriptor = descriptor}, tls_(std::move(tls))
    {
        BIO* const bio = BIO_new(method);
        if (!bio) throw std::bad_alloc();
        BIO_set_data(bio, &socket_);
        SSL_set_bio(tls_.get(), bio, bio);
    }

    step handshake() override
    {
        return run([this] { return SSL_connect(tls_.get()); }, 0);
    }

    step read(std::span<char> into) override
    {
        std::size_t moved = 0;
        int const good = prepared([&] { return SSL_read_ex(tls_.get(), into.data(), into.size(), &moved); });
        return after(good, moved);
    }

    step write(std::string_view from) override
    {
        std::size_t moved = 0;
        int const good = prepared([&] { return SSL_write_ex(tls_.get(), from.data(), from.size(), &moved); });
        return after(good, moved);
    }

    bool pending() override { return SSL_has_pending(tls_.get()) == 1; }

    // Session tickets may wait in the socket: peeking lets OpenSSL take them and look behind.
    bool alive() override
    {
        char one = 0;
        std::size_t moved = 0;
        int const good = prepared([&] { return SSL_peek_ex(tls_.get(), &one, 1, &moved); });
        return good == 0 && after(good, 0).next == then::readable;
    }

    std::size_t sent() const override { return socket_.sent; }

    // A session whose connection ends without a goodbye may not be resumed.
    void goodbye() noexcept override
    {
        if (!SSL_is_init_finished(tls_.get())) return;
        if (broken_) SSL_set_quiet_shutdown(tls_.get(), 1);
        prepared([this] { return SSL_shutdown(tls_.get()); });
        ERR_clear_error();
    }

    error why() const override { return why_; }

private:
    template <class Call>
    int prepared(Call call)
    {
        // OpenSSL reads the result of a call from the thread's queue: what lies there must be its own.
        ERR_clear_error();
        socket_.problem = 0;
        return call();
    }

    template <class Call>
    step run(Call call, std::size_t moved)
    {
        return after(prepared(call), moved);
    }

    step after(int good, std::size_t moved)
    {
        if (good > 0) return {then::go_on, moved};
        switch (SSL_get_error(tls_.get(), good)) {
        case SSL_ERROR_WANT_READ: return {then::readable};
        case SSL_ERROR_WANT_WRITE: return {then::writable};
        case SSL_ERROR_ZERO_RETURN:
            why_ = {errc::unavailable, "the server closed the connection"};
            return {then::closed};
        default: return give_up();
        }
    }

    step give_up()
    {
        broken_ = true;
        if (socket_.problem != 0 || socket_.ended) {
            why_ = socket_.why();
            return {socket_.ended ? then::cut : socket_.ending()};
        }
        auto const verdict = SSL_get_verify_result(tls_.get());
        if (!SSL_is_init_finished(tls_.get()) && verdict != X509_V_OK) {
            why_ = {errc::configuration,
                    std::string("the server's certificate was refused: ") + X509_verify_cert_error_string(verdict)};
        } else if (!SSL_is_init_finished(tls_.get()) && !may_pass(ERR_peek_last_error())) {
            why_ = no_common_tls(openssl_reason());
        } else {
            why_ = {errc::unavailable, "TLS failed: " + openssl_reason()};
        }
        return {then::failed};
    }

    raw_socket socket_;
    owned_tls tls_;
    error why_;
    bool broken_ = false;
};

class shared_tls final : public tls_context {
public:
    shared_tls(owned_context context, bool verify) : context_(std::move(context)), verify_(verify)
    {
        SSL_CTX_set_app_data(context_.get(), this);
        // TLS 1.3 tickets come after the handshake, whenever the server likes: only the callback sees them all.
        SSL_CTX_set_session_cache_mode(context_.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(context_.get(), remember);
    }

    std::unique_ptr<byte_stream> connect(int descriptor, std::string const& host) override
    {
        owned_tls tls(SSL_new(context_.get()));
        if (!tls) throw std::bad_alloc();
        set_name(tls.get(), host);
        if (session_) SSL_set_session(tls.get(), session_.get());
        return std::make_unique<tls_stream>(std::move(tls), method_.get(), descriptor);
    }

private:
    static int remember(SSL* tls, SSL_SESSION* session)
    {
        auto* const self = static_cast<shared_tls*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls)));
        self->session_.reset(session);
        return 1;  // The reference is ours now.
    }

    // SNI carries names, never addresses (RFC 6066 section 3); the certificate must name either.
    void set_name(SSL* tls, std::string const& host) const
    {
        error_code not_literal;
        boost::asio::ip::make_address(host, not_literal);
        if (not_literal) {
            SSL_set_tlsext_host_name(tls, host.c_str());
            if (verify_) SSL_set1_host(tls, host.c_str());
        } else if (verify_) {
            X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str());
        }
    }

    owned_bio_method method_ = make_bio_method();
    owned_session session_;
    owned_context context_;
    bool verify_;
};

// Not SSL_CTX_set_default_verify_paths: that one obeys the environment behind the caller's back.
bool trust_system(SSL_CTX* context)
{
    bool const file = SSL_CTX_load_verify_file(context, X509_get_default_cert_file()) == 1;
    bool const directory = SSL_CTX_load_verify_dir(context, X509_get_default_cert_dir()) == 1;
    ERR_clear_error();
    return file || directory;
}

}  // namespace

std::unique_ptr<byte_stream> make_plain_stream(int descriptor) { return std::make_unique<plain_stream>(descriptor); }

result<std::shared_ptr<tls_context>> tls_context::make(http_options const& options)
{
    ERR_clear_error();
    owned_context context(SSL_CTX_new(TLS_client_method()));
    if (!context) return error(errc::unavailable, "TLS cannot be set up: " + openssl_reason());
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context.get(), 1);
    SSL_CTX_set_verify(context.get(), options.verify_tls ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    if (options.ca_file.empty()) {
        if (!trust_system(context.get()) && options.verify_tls) {
            return error(errc::configuration, "the system has no trusted roots; name some with ca_file");
        }
    } else if (SSL_CTX_load_verify_file(context.get(), options.ca_file.c_str()) != 1) {
        auto const reason = openssl_reason();
        ERR_clear_error();
        return error(errc::configuration, "ca_file " + options.ca_file + " cannot be used: " + reason);
    }
    std::shared_ptr<tls_context> made = std::make_shared<shared_tls>(std::move(context), options.verify_tls);
    return made;
}

}  // namespace headwater::http
