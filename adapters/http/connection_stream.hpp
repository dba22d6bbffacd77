// byte_stream: a connected, non-blocking socket, plain or under TLS, as steps that never wait.
// `connection` waits between the steps. Sans coroutines, and the only file that may see OpenSSL's TLS.
#pragma once

#include <headwater/adapters/http.hpp>
#include <headwater/error.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headwater::http {

/// What to do after a step.
enum class then {
    go_on,     ///< It moved bytes, or ended well: the next step may come at once.
    readable,  ///< Wait until the socket can be read, then the same step again.
    writable,  ///< Wait until the socket can be written, then the same step again.
    closed,    ///< The other side has closed in good order.
    cut,       ///< The other side has closed or reset in the middle.
    failed,    ///< Anything else that ends the connection; `why` says what.
};

struct step {
    then next = then::go_on;
    std::size_t moved = 0;
};

class byte_stream {
public:
    byte_stream() = default;
    byte_stream(byte_stream const&) = delete;
    byte_stream& operator=(byte_stream const&) = delete;
    virtual ~byte_stream() = default;

    virtual step handshake() = 0;
    virtual step read(std::span<char> into) = 0;
    virtual step write(std::string_view from) = 0;
    /// Bytes are there that no wait on the socket would announce.
    virtual bool pending() = 0;
    /// The other side has neither closed nor spoken out of turn.
    virtual bool alive() = 0;
    /// Bytes given to the socket since the beginning: what the other side may have seen.
    virtual std::size_t sent() const = 0;
    /// Says goodbye, if the protocol has a word for it. Before the socket is closed.
    virtual void goodbye() noexcept = 0;
    /// What the last `cut` or `failed` was.
    virtual error why() const = 0;
};

/// `descriptor` stays the caller's and must be open and non-blocking while the stream is used.
std::unique_ptr<byte_stream> make_plain_stream(int descriptor);

/// What TLS connections to one endpoint share: trust, settings, and the session that the next one resumes.
/// Threads: one executor or strand.
class tls_context {
public:
    /// `configuration`: the file of roots cannot be used.
    static result<std::shared_ptr<tls_context>> make(http_options const& options);

    virtual ~tls_context() = default;
    /// TLS 1.2 or later, sending and checking `host`.
    virtual std::unique_ptr<byte_stream> connect(int descriptor, std::string const& host) = 0;
};

}  // namespace headwater::http
