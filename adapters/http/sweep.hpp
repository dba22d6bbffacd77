// sweep: the deadlines of all requests of one transport, checked by one sleeper instead of a timer per operation.
// It sleeps only while requests are in flight or its owner asks for more, so it keeps no io_context running by itself.
// Time comes from the clock port.
#pragma once

#include <headwater/adapters/http.hpp>
#include <headwater/clock.hpp>
#include <headwater/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headwater::http {

/// What a request may be waiting for; each has its limit in http_options.
enum class phase : std::size_t { acquire, resolve, connect, tls, send, first_byte, idle, total };
inline constexpr std::size_t phase_count = 8;

/// Something that waits and can be told to give up. Telling it again changes nothing.
class stoppable {
public:
    virtual void stop() noexcept = 0;

protected:
    ~stoppable() = default;
};

class deadline;

/// Threads: those of `executor`.
class sweep : public std::enable_shared_from_this<sweep> {
public:
    /// `time` must outlive every deadline.
    sweep(boost::asio::any_io_executor executor, clock& time, http_options const& limits);

    /// `also` runs after each look at the deadlines, and when the last request has gone. As long as it answers true
    /// there are more looks without requests.
    void on_tick(std::function<bool(std::chrono::nanoseconds now)> also) { also_ = std::move(also); }
    /// The owner goes: no more looks without requests.
    void retire();
    std::chrono::nanoseconds now() const { return time_.since_boot(); }
    std::chrono::nanoseconds limit(phase of) const noexcept { return limits_[static_cast<std::size_t>(of)]; }

private:
    friend class deadline;

    void join(deadline& one);
    void leave(deadline& one) noexcept;
    void start();
    void finish_when_idle();
    boost::asio::awaitable<void> run();
    void look();
    bool is_wanted() const { return !active_.empty() || lingering_; }

    boost::asio::any_io_executor executor_;
    clock& time_;
    std::array<std::chrono::nanoseconds, phase_count> limits_;
    std::chrono::nanoseconds tick_;
    std::function<bool(std::chrono::nanoseconds)> also_;
    std::vector<deadline*> active_;
    boost::asio::cancellation_signal wake_;
    bool running_ = false;
    bool lingering_ = false;  // `also_` wants more looks.
    bool idle_check_posted_ = false;
};

/// The deadlines of one request: the total one, and that of the phase it is in.
class deadline {
public:
    explicit deadline(std::shared_ptr<sweep> home);
    ~deadline() { home_->leave(*this); }
    deadline(deadline const&) = delete;
    deadline& operator=(deadline const&) = delete;

    /// Which deadline passed since the last `watch` began.
    std::optional<phase> passed() const noexcept { return passed_; }
    /// `unavailable`, naming the option whose time is up. Only when one passed.
    error why() const;
    std::chrono::nanoseconds now() const { return home_->now(); }

    /// While it lives, the thing it names is told to stop when a deadline passes.
    class watch {
    public:
        watch(deadline& home, stoppable& what) noexcept : home_(home)
        {
            home_.what_ = &what;
            home_.passed_.reset();
        }
        ~watch() { home_.what_ = nullptr; }
        watch(watch const&) = delete;
        watch& operator=(watch const&) = delete;

        /// Starts the time of a phase.
        void enter(phase next);

    private:
        deadline& home_;
    };

private:
    friend class sweep;

    void look(std::chrono::nanoseconds now) noexcept;

    std::shared_ptr<sweep> home_;
    std::chrono::nanoseconds total_at_;
    std::chrono::nanoseconds phase_at_;
    phase phase_ = phase::total;
    std::optional<phase> passed_;
    stoppable* what_ = nullptr;
    std::size_t place_ = 0;
};

}  // namespace headwater::http
