// The two signals are blocked and read from a signalfd, so that no handler and no global is needed.
#include "tools/headwater/stop_request.hpp"

#include <array>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace headwater::cli {

namespace {

sigset_t stop_signals()
{
    sigset_t out;
    sigemptyset(&out);
    sigaddset(&out, SIGINT);
    sigaddset(&out, SIGTERM);
    return out;
}

bool readable(pollfd const& watched) { return watched.revents != 0; }

}  // namespace

stop_request::stop_request(boost::asio::any_io_executor executor) : signals_(executor)
{
    auto const wanted = stop_signals();
    signals_.assign(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    pthread_sigmask(SIG_BLOCK, &wanted, &before_);
    // Also while a commit is under way: the second signal must find the default handler back in place.
    auto const noticed = [this, alive = std::weak_ptr(alive_)](boost::system::error_code ended) {
        if (ended || alive.expired()) return;
        take();
        if (made_ && react_) std::exchange(react_, {})();
    };
    signals_.async_wait(boost::asio::posix::stream_descriptor::wait_read, noticed);
}

stop_request::~stop_request() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool stop_request::made()
{
    pollfd watched{signals_.native_handle(), POLLIN, 0};
    if (!made_ && ::poll(&watched, 1, 0) > 0) take();
    return made_;
}

bool stop_request::wait_readable(int descriptor)
{
    while (!made()) {
        std::array<pollfd, 2> watched{{{descriptor, POLLIN, 0}, {signals_.native_handle(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) > 0 && readable(watched[0]) && !readable(watched[1]))
            return true;
    }
    return false;
}

// Only a signal that was read is gone: unblocked while it waits, it would end the process.
void stop_request::take()
{
    signalfd_siginfo which{};
    if (::read(signals_.native_handle(), &which, sizeof which) != sizeof which) return;
    made_ = true;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace headwater::cli
