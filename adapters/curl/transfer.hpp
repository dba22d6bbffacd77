// transfer: one request on one easy handle, and what came of it. Stands between the curl transport and libcurl.
#pragma once

#include "adapters/curl/multi.hpp"
#include "adapters/http/addresses.hpp"
#include "adapters/http/sweep.hpp"
#include "adapters/http/transport.hpp"
#include "adapters/http/wait_list.hpp"

#include <boost/asio/awaitable.hpp>

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace headwater::curl {

/// What all transfers of a transport have in common.
struct route {
    http::endpoint where{};
    std::string url{};            ///< Scheme, host and port: what a connection is kept under.
    std::string proxy{};          ///< Empty: none.
    std::string proxy_called{};   ///< What errors call it: its setting and place, without its password.
    std::string resolved_name{};  ///< `host:port` whose addresses we resolve; empty: an address already.
};

class transfer final : public http::waiter, public finishable {
public:
    /// `what`, `to` and `options` must outlive it.
    transfer(http::wait_list& queue, std::shared_ptr<multi> runner, http::request const& what, route const& to,
             http_options const& options);
    ~transfer() override;

    /// What to connect to.
    void connect_to(http::address const& where);
    /// A kept connection may have been unused for so long; less than a second: takes a new one.
    void keep_within(std::chrono::nanoseconds age);

    /// Sends and waits. Cancellation throws, and the connection is closed.
    boost::asio::awaitable<http::exchange_result> run(http::deadline& until);

    /// The address that there was no connection to, its TLS handshake included; nothing: it served, or none was tried.
    std::optional<http::address> unreached() const;

    void finished(CURLcode how) override;
    void unwatchable(error_code how) override;

private:
    static std::size_t on_header(char* line, std::size_t one, std::size_t size, void* me);
    static std::size_t on_body(char* bytes, std::size_t one, std::size_t size, void* me);
    static std::size_t on_upload(char* into, std::size_t one, std::size_t size, void* me);
    static int before_request(void* me, char*, char*, int, int);
    static curl_socket_t on_open(void* me, curlsocktype, curl_sockaddr* where);
    static int on_connect(void* me, curl_socket_t, curlsocktype);
    static CURLcode on_tls(CURL*, void*, void* me);

    void set_fields();
    void set_method();
    void set_tls(http_options const& options);
    void add_field(std::string const& line);
    void enter(http::phase next);
    bool take_line(std::string_view line);
    bool take_field(std::string_view name, std::string_view value);
    bool end_header();
    bool refuse(error why);
    std::uint64_t max_body() const noexcept { return what_.most_of(out_.status); }
    http::exchange_result result_of(http::deadline const& until);
    std::optional<http::exchange_error> judge_end(http::deadline const& until) const;
    http::exchange_error broke(bool peer_closed, error why) const;
    error explain() const;
    long tunnel_status() const;

    std::shared_ptr<multi> runner_;
    http::request const& what_;
    route const& to_;
    CURL* easy_;
    curl_slist* fields_ = nullptr;
    curl_slist* names_ = nullptr;
    std::optional<http::address> tried_;  // Not always the one we asked for: libcurl knows one for all transfers.
    http::deadline::watch* watch_ = nullptr;
    std::array<char, CURL_ERROR_SIZE> said_{};  // By libcurl, of an error.

    http::response out_;
    std::optional<error> refused_;  // Why we stopped reading.
    std::size_t uploaded_ = 0;
    std::size_t header_bytes_ = 0;
    std::optional<std::uint64_t> length_;
    int interim_ = 0;
    CURLcode ended_ = CURLE_OK;
    error_code system_;  // What the operating system refused.
    bool chunked_ = false;
    bool sent_ = false;        // The request has begun to go out.
    bool sent_again_ = false;  // libcurl wanted to send it a second time.
    bool reused_ = false;
    bool header_done_ = false;
};

}  // namespace headwater::curl
