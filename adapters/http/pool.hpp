// pool: the connections to one endpoint, and those who wait for one. Bounded; the most recently used goes out first.
// It hands out leases: a lease that is dropped closes its connection, so a cancelled request leaves the pool sound.
#pragma once

#include "adapters/http/connection.hpp"
#include "adapters/http/sweep.hpp"
#include "adapters/http/wait_list.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace headwater::http {

class pool;

/// A connection used less than this ago goes out without a look at its socket, which costs a system call in each
/// request of a busy client. If the server has closed it even so, the exchange ends `stale`, as it may after any look.
inline constexpr std::chrono::milliseconds trusted_idle{1};

/// The right to one connection, and the connection once there is one.
class lease {
public:
    lease() = default;
    explicit lease(std::shared_ptr<pool> home, std::unique_ptr<connection> held = {});
    lease(lease&&) = default;
    lease& operator=(lease&& other) noexcept;
    ~lease() { drop(); }

    explicit operator bool() const noexcept { return home_ != nullptr; }
    connection* get() const noexcept { return held_.get(); }
    void fill(std::unique_ptr<connection> opened) noexcept { held_ = std::move(opened); }
    /// Closes the connection but keeps the right to open another.
    void empty() noexcept { held_.reset(); }
    /// Gives the connection back for others, for so long.
    void keep(std::chrono::nanoseconds now, std::chrono::nanoseconds length);

private:
    friend class pool;

    void drop() noexcept;

    std::shared_ptr<pool> home_;
    std::unique_ptr<connection> held_;
    std::size_t purges_ = 0;  // Of the pool, when this went out.
};

/// Threads: those of `executor`.
class pool : public std::enable_shared_from_this<pool> {
public:
    pool(boost::asio::any_io_executor executor, std::size_t max_connections, std::size_t max_waiters);

    /// A connection that is alive, or the right to open one, or nothing: all are in use.
    lease take(std::chrono::nanoseconds now);
    /// False: `max_waiters` wait already.
    bool may_wait() const noexcept { return waiting_.size() < max_waiters_; }
    /// Waits in line for `take`. Empty when a deadline passed.
    boost::asio::awaitable<lease> wait(deadline& until);

    /// Closes those whose time is up.
    void expire(std::chrono::nanoseconds now) noexcept;
    /// Closes all that nobody uses: after one was found stale the others are too, most likely. Not again for one that
    /// went out before the last time: what is here now has answered since.
    void purge(lease const& stale) noexcept;
    /// The owner goes: nothing is kept from now on, and whoever waits is cancelled.
    void close();

    std::size_t open() const noexcept { return open_; }
    std::size_t idle() const noexcept { return idle_.size(); }

private:
    friend class lease;

    struct kept {
        std::unique_ptr<connection> one;
        std::chrono::nanoseconds since;
        std::chrono::nanoseconds until;

        bool usable(std::chrono::nanoseconds now) const { return now - since < trusted_idle || one->alive(); }
    };
    // A place in line, and what came of it: every waiter of `waiting_` is one.
    struct ticket;

    void purge() noexcept;
    void give_back(kept back);
    void give_up() noexcept;

    wait_list waiting_;
    std::vector<kept> idle_;  // Oldest first.
    std::size_t max_connections_;
    std::size_t max_waiters_;
    std::size_t open_ = 0;  // Idle, leased and being opened.
    std::size_t purges_ = 0;
    bool closed_ = false;
};

}  // namespace headwater::http
