// multi: libcurl's multi handle driven by an executor. libcurl says which sockets and what time to wait for; Asio
// waits; transfers that are done are woken. No thread, and no callback of ours calls libcurl back from inside libcurl.
#pragma once

#include <headwater/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/error_code.hpp>

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>

namespace headwater::curl {

/// What a multi tells when a transfer has ended; it is the easy handle's CURLOPT_PRIVATE.
class finishable {
public:
    virtual void finished(CURLcode how) = 0;
    /// The transfer's socket cannot be waited for.
    virtual void unwatchable(boost::system::error_code how) = 0;

protected:
    ~finishable() = default;
};

/// Threads: those of `executor`. Every easy handle must be removed before it is destroyed.
class multi : public std::enable_shared_from_this<multi> {
public:
    multi(boost::asio::any_io_executor executor, clock& time, std::size_t max_connections);
    ~multi();
    multi(multi const&) = delete;
    multi& operator=(multi const&) = delete;

    /// Begins a transfer. False: libcurl refused it.
    bool add(CURL* easy);
    void remove(CURL* easy) noexcept;

private:
    struct watched;
    struct sleeper;

    static int on_socket(CURL*, curl_socket_t which, int what, void* me, void*);
    static int on_timer(CURLM*, long after_ms, void* me);

    std::shared_ptr<watched> watch(curl_socket_t which, boost::system::error_code& wrong);
    void arm(std::shared_ptr<watched> const& one);
    void ready(std::shared_ptr<watched> const& one, int event, boost::system::error_code how);
    void set_timer(long after_ms);
    void start_sleeper();
    void stop_sleeper();
    void kick();
    void act(curl_socket_t which, int event);
    static boost::asio::awaitable<void> sleep_until_due(std::shared_ptr<multi> me, std::shared_ptr<sleeper> mine);

    boost::asio::any_io_executor executor_;
    clock& time_;
    std::map<curl_socket_t, std::shared_ptr<watched>> sockets_;
    std::optional<std::chrono::nanoseconds> due_;
    std::shared_ptr<sleeper> sleeper_;
    bool kicked_ = false;
    CURLSH* sessions_;  // TLS sessions, for all transfers: an easy handle lives for one.
    CURLM* handle_;
};

}  // namespace headwater::curl
