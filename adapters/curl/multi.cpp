// Sockets and time for libcurl: https://curl.se/libcurl/c/libcurl-multi.html, section "multi_socket".
#include "adapters/curl/multi.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include <fcntl.h>

#include <cerrno>
#include <exception>
#include <new>
#include <utility>

namespace headwater::curl {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

// One socket of libcurl's, and what libcurl waits for at it. It is libcurl's to close, and it does so when it likes: we
// look at a duplicate.
struct multi::watched {
    watched(asio::any_io_executor const& executor, curl_socket_t which) : socket(which), eye(executor) {}

    void stop() noexcept
    {
        error_code ignored;
        wanted = CURL_POLL_NONE;
        eye.close(ignored);
    }

    curl_socket_t socket;
    asio::posix::stream_descriptor eye;
    int wanted = CURL_POLL_NONE;  // CURL_POLL_IN and CURL_POLL_OUT are bits.
    int waiting = CURL_POLL_NONE;
};

struct multi::sleeper {
    std::chrono::nanoseconds due{};
    asio::cancellation_signal wake;
};

multi::multi(asio::any_io_executor executor, clock& time, std::size_t max_connections)
    : executor_(std::move(executor)), time_(time), sessions_(curl_share_init()), handle_(curl_multi_init())
{
    if (!sessions_ || !handle_) throw std::bad_alloc();
    curl_share_setopt(sessions_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    curl_multi_setopt(handle_, CURLMOPT_SOCKETFUNCTION, &on_socket);
    curl_multi_setopt(handle_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(handle_, CURLMOPT_TIMERFUNCTION, &on_timer);
    curl_multi_setopt(handle_, CURLMOPT_TIMERDATA, this);
    auto const most = static_cast<long>(max_connections);
    curl_multi_setopt(handle_, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
    curl_multi_setopt(handle_, CURLMOPT_MAXCONNECTS, most);
}

multi::~multi()
{
    // It tells of each socket that it closes, and may set its timer once more.
    curl_multi_setopt(handle_, CURLMOPT_TIMERFUNCTION, nullptr);
    curl_multi_cleanup(handle_);
    curl_share_cleanup(sessions_);
    stop_sleeper();
}

bool multi::add(CURL* easy)
{
    curl_easy_setopt(easy, CURLOPT_SHARE, sessions_);
    return curl_multi_add_handle(handle_, easy) == CURLM_OK;
}

void multi::remove(CURL* easy) noexcept { curl_multi_remove_handle(handle_, easy); }

std::shared_ptr<multi::watched> multi::watch(curl_socket_t which, error_code& wrong)
{
    auto& one = sockets_[which];
    if (one) return one;
    one = std::make_shared<watched>(executor_, which);
    int const copy = ::fcntl(which, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        wrong.assign(errno, boost::system::system_category());
    } else {
        one->eye.assign(copy, wrong);
    }
    return one;
}

int multi::on_socket(CURL* easy, curl_socket_t which, int what, void* me, void*)
{
    auto& self = *static_cast<multi*>(me);
    if (what == CURL_POLL_REMOVE) {
        auto const gone = self.sockets_.extract(which);
        if (!gone.empty()) gone.mapped()->stop();
        return 0;
    }
    error_code wrong;
    auto const one = self.watch(which, wrong);
    one->wanted = what;
    if (!wrong) {
        self.arm(one);
        return 0;
    }
    finishable* whose = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &whose);
    if (whose) whose->unwatchable(wrong);
    return 0;
}

void multi::arm(std::shared_ptr<watched> const& one)
{
    auto const wait = [&](int event, asio::posix::stream_descriptor::wait_type direction) {
        if ((one->wanted & event) == 0 || (one->waiting & event) != 0) return;
        one->waiting |= event;
        one->eye.async_wait(direction, [kept = weak_from_this(), one, event](error_code how) {
            if (auto const me = kept.lock()) me->ready(one, event, how);
        });
    };
    wait(CURL_POLL_IN, asio::posix::stream_descriptor::wait_read);
    wait(CURL_POLL_OUT, asio::posix::stream_descriptor::wait_write);
}

void multi::ready(std::shared_ptr<watched> const& one, int event, error_code how)
{
    one->waiting &= ~event;
    bool const cannot_wait = how && how != asio::error::operation_aborted;
    if (cannot_wait) return one->stop();  // Its transfer has been told.
    if (!how && (one->wanted & event) != 0) {
        act(one->socket, event == CURL_POLL_IN ? CURL_CSELECT_IN : CURL_CSELECT_OUT);
    }
    // What it waits for may be what it waited for before: libcurl tells changes only.
    arm(one);
}

int multi::on_timer(CURLM*, long after_ms, void* me)
{
    static_cast<multi*>(me)->set_timer(after_ms);
    return 0;
}

void multi::set_timer(long after_ms)
{
    due_.reset();
    if (after_ms < 0) return stop_sleeper();
    if (after_ms == 0) return kick();
    due_ = time_.since_boot() + milliseconds(after_ms);
    if (sleeper_ && sleeper_->due <= *due_) return;  // It wakes before that, and looks again.
    stop_sleeper();
    start_sleeper();
}

void multi::start_sleeper()
{
    sleeper_ = std::make_shared<sleeper>();
    sleeper_->due = *due_;
    auto finish = [](std::exception_ptr thrown) {
        if (!thrown) return;
        try {
            std::rethrow_exception(thrown);
        } catch (boost::system::system_error const& woken) {
            if (woken.code() != asio::error::operation_aborted) throw;
        }
    };
    auto work = sleep_until_due(shared_from_this(), sleeper_);
    asio::co_spawn(executor_, std::move(work), asio::bind_cancellation_slot(sleeper_->wake.slot(), finish));
}

void multi::stop_sleeper()
{
    auto const mine = std::exchange(sleeper_, nullptr);
    if (mine) mine->wake.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> multi::sleep_until_due(std::shared_ptr<multi> me, std::shared_ptr<sleeper> mine)
{
    for (;;) {
        auto const left = mine->due - me->time_.since_boot();
        if (left.count() > 0) co_await me->time_.sleep_for(left);
        if (me->sleeper_ != mine) co_return;
        if (me->due_ && *me->due_ <= me->time_.since_boot()) break;
        if (!me->due_) break;
        mine->due = *me->due_;
    }
    me->sleeper_ = nullptr;
    if (me->due_) me->act(CURL_SOCKET_TIMEOUT, 0);
}

// libcurl wants to be called at once, but not from inside one of its callbacks.
void multi::kick()
{
    if (std::exchange(kicked_, true)) return;
    asio::post(executor_, [kept = weak_from_this()] {
        auto const me = kept.lock();
        if (!me) return;
        me->kicked_ = false;
        me->act(CURL_SOCKET_TIMEOUT, 0);
    });
}

void multi::act(curl_socket_t which, int event)
{
    int running = 0;
    curl_multi_socket_action(handle_, which, event, &running);
    for (int left = 0;;) {
        auto const* const told = curl_multi_info_read(handle_, &left);
        if (!told) break;
        if (told->msg != CURLMSG_DONE) continue;
        finishable* one = nullptr;
        curl_easy_getinfo(told->easy_handle, CURLINFO_PRIVATE, &one);
        one->finished(told->data.result);
    }
    if (which != CURL_SOCKET_TIMEOUT) return;
    // By its own clock it may have been early; then it does not ask again by itself.
    long after_ms = -1;
    curl_multi_timeout(handle_, &after_ms);
    set_timer(running == 0 ? -1 : after_ms);
}

}  // namespace headwater::curl
