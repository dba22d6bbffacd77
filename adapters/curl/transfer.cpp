// Sets an easy handle up, collects the answer, judges the end. libcurl would send a request again by itself when a kept
// connection turns out closed, also a write: the callback before each request lets it go out once.
#include "adapters/curl/transfer.hpp"

#include "adapters/curl/proxies.hpp"
#include "adapters/http/connection_parser.hpp"
#include "adapters/http/wire.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace headwater::curl {

namespace {

using http::broken;
using http::exchange_error;
using http::phase;

std::string_view trim(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    auto const last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

curl_slist* appended(curl_slist* list, std::string const& line)
{
    auto* const longer = curl_slist_append(list, line.c_str());
    if (!longer) throw std::bad_alloc();
    return longer;
}

// The structure is longer than its last member says.
http::address address_of(curl_sockaddr const& where)
{
    http::address out;
    auto const size = std::min<std::size_t>(where.addrlen, out.capacity());
    std::memcpy(out.data(), reinterpret_cast<char const*>(&where) + offsetof(curl_sockaddr, addr), size);
    out.resize(size);
    return out;
}

bool by_peer(CURLcode how) noexcept
{
    switch (how) {
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_PARTIAL_FILE: return true;
    default: return false;
    }
}

errc code_of(CURLcode how) noexcept
{
    switch (how) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_COULDNT_RESOLVE_PROXY: return errc::configuration;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING: return errc::protocol;
    default: return errc::unavailable;
    }
}

// What OpenSSL says of the peer, as opposed to an end of the connection or a server in trouble of its own.
bool never_succeeds(std::string_view handshake) noexcept
{
    auto const says = [&](std::string_view what) { return handshake.find(what) != handshake.npos; };
    return says("SSL routines") && !says("unexpected eof") && !says("internal error");
}

char const* meaning_of(CURLcode how) noexcept
{
    switch (how) {
    case CURLE_PEER_FAILED_VERIFICATION: return "the server's certificate is not accepted: ";
    case CURLE_SSL_CACERT_BADFILE: return "ca_file cannot be used: ";
    case CURLE_SSL_CONNECT_ERROR: return "the TLS handshake failed: ";
    case CURLE_COULDNT_CONNECT: return "connecting failed: ";
    case CURLE_GOT_NOTHING: return "the server closed the connection: ";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY: return "the answer is not HTTP: ";
    default: return "the connection broke: ";
    }
}

}  // namespace

transfer::transfer(http::wait_list& queue, std::shared_ptr<multi> runner, http::request const& what, route const& to,
                   http_options const& options)
    : waiter(queue), runner_(std::move(runner)), what_(what), to_(to), easy_(curl_easy_init())
{
    if (!easy_) throw std::bad_alloc();
    auto const set = [this](auto which, auto value) { curl_easy_setopt(easy_, which, value); };
    set(CURLOPT_PRIVATE, static_cast<finishable*>(this));
    set(CURLOPT_URL, to.url.c_str());
    set(CURLOPT_PROXY, to.proxy.c_str());  // Also when empty: libcurl reads no environment then.
    set(CURLOPT_NOPROXY, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, said_.data());
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_PREREQFUNCTION, &before_request);
    set(CURLOPT_PREREQDATA, this);
    set(CURLOPT_OPENSOCKETFUNCTION, &on_open);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(CURLOPT_SOCKOPTFUNCTION, &on_connect);
    set(CURLOPT_SOCKOPTDATA, this);
    set_tls(options);
    set_method();
    set_fields();
}

transfer::~transfer()
{
    runner_->remove(easy_);
    curl_easy_cleanup(easy_);
    curl_slist_free_all(fields_);
    curl_slist_free_all(names_);
}

void transfer::set_tls(http_options const& options)
{
    curl_easy_setopt(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER, options.verify_tls ? 1L : 0L);
    curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, options.verify_tls ? 2L : 0L);
    curl_easy_setopt(easy_, CURLOPT_SSL_CTX_FUNCTION, &on_tls);
    curl_easy_setopt(easy_, CURLOPT_SSL_CTX_DATA, this);
    if (options.ca_file.empty()) return;
    curl_easy_setopt(easy_, CURLOPT_CAINFO, options.ca_file.c_str());
    curl_easy_setopt(easy_, CURLOPT_CAPATH, nullptr);  // A distribution's own names the system's roots.
}

void transfer::set_method()
{
    bool const to_proxy = !to_.proxy.empty() && !to_.where.tls;  // Which wants the whole address, and is no tunnel.
    auto const target = (to_proxy ? "http://" + to_.where.authority : std::string()) + what_.target;
    curl_easy_setopt(easy_, CURLOPT_REQUEST_TARGET, target.c_str());
    bool const has_body = !what_.body.empty() || what_.method == "PUT" || what_.method == "POST";
    if (what_.method == "HEAD") {
        curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
    } else if (has_body) {
        curl_easy_setopt(easy_, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy_, CURLOPT_READFUNCTION, &on_upload);
        curl_easy_setopt(easy_, CURLOPT_READDATA, this);
        curl_easy_setopt(easy_, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(what_.body.size()));
    }
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, what_.method.c_str());
}

void transfer::set_fields()
{
    add_field("Host: " + to_.where.authority);
    for (auto const* ours : {"Accept:", "Expect:", "User-Agent:"}) add_field(ours);  // Not to be added.
    for (auto const& [name, value] : what_.fields) add_field(value.empty() ? name + ';' : name + ": " + value);
    curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, fields_);
}

void transfer::add_field(std::string const& line) { fields_ = appended(fields_, line); }

// One alone: of several libcurl would give each but the last half of the time, and two at once.
void transfer::connect_to(http::address const& where)
{
    if (to_.resolved_name.empty()) return;
    auto const address = where.address().to_string();
    names_ = appended(names_, to_.resolved_name + ':' + (where.address().is_v6() ? '[' + address + ']' : address));
    curl_easy_setopt(easy_, CURLOPT_RESOLVE, names_);
}

void transfer::keep_within(std::chrono::nanoseconds age)
{
    auto const seconds = std::chrono::floor<std::chrono::seconds>(age).count();
    if (seconds < 1) {
        curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
    } else {
        curl_easy_setopt(easy_, CURLOPT_MAXAGE_CONN, static_cast<long>(seconds));
    }
}

boost::asio::awaitable<http::exchange_result> transfer::run(http::deadline& until)
{
    http::deadline::watch watched(until, *this);
    watch_ = &watched;
    watched.enter(phase::acquire);
    if (!runner_->add(easy_)) co_return exchange_error(broken::nothing_sent, errc::unavailable);
    co_await wait();
    runner_->remove(easy_);
    watch_ = nullptr;
    co_return result_of(until);
}

void transfer::finished(CURLcode how)
{
    ended_ = how;
    wake();
}

void transfer::unwatchable(error_code how)
{
    system_ = how;
    finished(CURLE_COULDNT_CONNECT);
}

void transfer::enter(phase next)
{
    if (watch_) watch_->enter(next);
}

// libcurl would say only that connecting failed.
curl_socket_t transfer::on_open(void* me, curlsocktype, curl_sockaddr* where)
{
    auto& self = *static_cast<transfer*>(me);
    int const made = ::socket(where->family, where->socktype | SOCK_CLOEXEC, where->protocol);
    if (made < 0) {
        self.system_.assign(errno, boost::system::system_category());
        return CURL_SOCKET_BAD;
    }
    self.tried_ = address_of(*where);
    return made;
}

int transfer::on_connect(void* me, curl_socket_t, curlsocktype)
{
    static_cast<transfer*>(me)->enter(phase::connect);
    return CURL_SOCKOPT_OK;
}

CURLcode transfer::on_tls(CURL*, void*, void* me)
{
    static_cast<transfer*>(me)->enter(phase::tls);
    return CURLE_OK;
}

int transfer::before_request(void* me, char*, char*, int, int)
{
    auto& self = *static_cast<transfer*>(me);
    if (self.sent_) {
        self.sent_again_ = true;
        return CURL_PREREQFUNC_ABORT;
    }
    self.sent_ = true;
    long made = 0;
    curl_easy_getinfo(self.easy_, CURLINFO_NUM_CONNECTS, &made);
    self.reused_ = made == 0;
    self.enter(self.what_.body.empty() ? phase::first_byte : phase::send);
    return CURL_PREREQFUNC_OK;
}

std::size_t transfer::on_upload(char* into, std::size_t one, std::size_t size, void* me)
{
    auto& self = *static_cast<transfer*>(me);
    auto const left = self.what_.body.view().substr(self.uploaded_);
    auto const moved = std::min(left.size(), one * size);
    std::memcpy(into, left.data(), moved);
    self.uploaded_ += moved;
    self.enter(moved == left.size() ? phase::first_byte : phase::send);
    return moved;
}

std::size_t transfer::on_header(char* line, std::size_t one, std::size_t size, void* me)
{
    auto& self = *static_cast<transfer*>(me);
    self.enter(phase::idle);
    return self.take_line({line, one * size}) ? one * size : 0;
}

bool transfer::refuse(error why)
{
    refused_ = std::move(why);
    return false;
}

bool transfer::take_line(std::string_view line)
{
    if (header_done_) return true;  // Trailers say nothing that was asked for.
    header_bytes_ += line.size();
    if (header_bytes_ > http::max_header_bytes) {
        return refuse({errc::protocol, "max_header_bytes: the answer's header is larger than "
                                           + std::to_string(http::max_header_bytes) + " bytes"});
    }
    if (line.starts_with("HTTP/")) {
        out_ = {};
        length_.reset();
        chunked_ = false;
        return true;
    }
    auto const text = trim(line);
    if (text.empty()) return end_header();
    auto const colon = text.find(':');
    if (colon == text.npos) return refuse({errc::protocol, "the answer is not HTTP: a line without a colon"});
    return take_field(text.substr(0, colon), trim(text.substr(colon + 1)));
}

bool transfer::take_field(std::string_view name, std::string_view value)
{
    if (http::same_field(name, "content-length")) {
        std::uint64_t length = 0;
        auto const [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), length);
        bool const is_number = wrong == std::errc() && end == value.data() + value.size();
        if (!is_number || (length_ && *length_ != length)) {
            return refuse({errc::protocol, "the answer is not HTTP: its Content-Length cannot be"});
        }
        length_ = length;
    }
    if (http::same_field(name, "transfer-encoding")) {
        if (!http::same_field(value, "chunked"))
            return refuse({errc::protocol, "the answer is not HTTP: its Transfer-Encoding"});
        chunked_ = true;
    }
    out_.fields.emplace_back(name, value);
    return true;
}

bool transfer::end_header()
{
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    out_.status = static_cast<int>(status);
    if (status == 101) return refuse({errc::protocol, "the answer is not HTTP: it changes the protocol"});
    if (status / 100 == 1) {
        if (++interim_ <= http::max_interim_answers) return true;
        return refuse({errc::protocol, "max_interim_answers: the server keeps sending 1xx answers"});
    }
    header_done_ = true;
    bool const no_body = what_.method == "HEAD" || status == 204 || status == 304;
    if (no_body) return true;
    if (length_ && chunked_) return refuse({errc::protocol, "the answer is not HTTP: it has two lengths"});
    // The end of the connection may be a cut: see response_parser.
    if (!length_ && !chunked_ && status < 400) {
        return refuse({errc::protocol, "the answer does not say how long its body is"});
    }
    if (length_ && *length_ > max_body()) return refuse(http::body_too_large(out_.status, max_body()));
    if (length_) out_.body.reserve(static_cast<std::size_t>(*length_));
    return true;
}

std::size_t transfer::on_body(char* bytes, std::size_t one, std::size_t size, void* me)
{
    auto& self = *static_cast<transfer*>(me);
    self.enter(phase::idle);
    if (self.out_.body.size() + one * size > self.max_body()) {
        self.refuse(http::body_too_large(self.out_.status, self.max_body()));
        return 0;
    }
    self.out_.body.append(bytes, one * size);
    return one * size;
}

exchange_error transfer::broke(bool peer_closed, error why) const
{
    http::cut at;
    at.bytes_sent = sent_ ? 1 : 0;
    at.response_begun = header_bytes_ > 0;
    at.reused = reused_;
    at.peer_closed = peer_closed;
    return {http::judge(at), std::move(why)};
}

error transfer::explain() const
{
    if (auto const full = http::out_of_files(system_)) return *full;
    if (auto const refused = tunnel_refusal(tunnel_status(), to_.proxy_called)) return *refused;
    std::string_view said(said_.data());
    // It may repeat a proxy's address, with the password in it.
    if (said.find('@') != said.npos) said = {};
    if (said.empty()) said = curl_easy_strerror(ended_);
    if (ended_ == CURLE_GOT_NOTHING) return http::closed_unanswered(to_.where.tls);
    bool const in_handshake = ended_ == CURLE_SSL_CONNECT_ERROR || ended_ == CURLE_PEER_FAILED_VERIFICATION;
    if (ended_ == CURLE_SSL_CONNECT_ERROR && never_succeeds(said)) {
        return http::at_endpoint(http::no_common_tls(said), "https", to_.where.authority);
    }
    error const why(code_of(ended_), meaning_of(ended_) + std::string(said));
    return in_handshake ? http::at_endpoint(why, "https", to_.where.authority) : why;
}

http::exchange_result transfer::result_of(http::deadline const& until)
{
    auto ended = judge_end(until);
    if (ended) {
        if (out_.status >= 200) ended->part = std::move(out_);
        return *std::move(ended);
    }
    return std::move(out_);
}

std::optional<exchange_error> transfer::judge_end(http::deadline const& until) const
{
    if (!woken()) return broke(false, until.why());
    if (refused_) {
        bool const limit = *refused_ == errc::limit_exceeded;
        return exchange_error(limit ? broken::refused : broken::ambiguous, *refused_);
    }
    if (sent_again_) return broke(true, {errc::unavailable, "the server closed the connection before it answered"});
    bool const cut = by_peer(ended_) || (ended_ == CURLE_OK && !header_done_);
    if (cut && header_bytes_ > 0) return broke(true, {errc::unavailable, "the connection ended inside an answer"});
    if (ended_ != CURLE_OK || !header_done_) return broke(cut, explain());
    bool const by_proxy = out_.status == wants_login && !to_.proxy.empty() && !to_.where.tls;
    if (by_proxy) return exchange_error(broken::nothing_sent, login_refusal("a request", to_.proxy_called));
    // A refusal and a redirect need not have read it; a success must.
    if (uploaded_ < what_.body.size() && out_.status < 300) {
        return broke(false, {errc::protocol, "the server answered before it had the request"});
    }
    return std::nullopt;
}

long transfer::tunnel_status() const
{
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &status);
    return status;
}

std::optional<http::address> transfer::unreached() const
{
    bool const reached = sent_ || tunnel_status() != 0;
    return reached ? std::nullopt : tried_;
}

}  // namespace headwater::curl
