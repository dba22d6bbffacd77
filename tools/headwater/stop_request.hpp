// stop_request: SIGINT and SIGTERM as a question that a long command asks between two commits, so that it never leaves
// one half done.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <csignal>
#include <functional>
#include <memory>

namespace headwater::cli {

/// While it lives, the first SIGINT or SIGTERM is a request; the second one ends the process as ever. One at a time.
class stop_request {
public:
    explicit stop_request(boost::asio::any_io_executor executor);
    stop_request(stop_request const&) = delete;
    stop_request& operator=(stop_request const&) = delete;
    ~stop_request();

    /// A stop was asked for.
    bool made();
    /// Has `react` called once, from the executor, when a stop is asked for: a wait is to end at once.
    void when_made(std::function<void()> react) { react_ = std::move(react); }
    /// Blocks until `descriptor` can be read or a stop is asked for; true: it can be read.
    bool wait_readable(int descriptor);

private:
    void take();

    sigset_t before_{};
    boost::asio::posix::stream_descriptor signals_;
    bool made_ = false;
    std::function<void()> react_;
    std::shared_ptr<int> alive_ = std::make_shared<int>();  // Outlived by a completion that is on its way.
};

}  // namespace headwater::cli
