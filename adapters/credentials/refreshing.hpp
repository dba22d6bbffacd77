// refreshing: a provider that keeps credentials and fetches the next ones. One fetch at a time, whoever asks; before
// the end in the background, while the old ones serve. Stands between the stores and the sources that fetch.
#pragma once

#include "adapters/credentials/leased.hpp"
#include "adapters/http/wait_list.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/async.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace headwater::credentials {

template <class T>
class refreshing final : public credentials_provider<T> {
public:
    using fetcher = std::function<task<leased<T>>()>;

    /// `fetch` runs on `executor`; it ends early when this is destroyed.
    refreshing(boost::asio::any_io_executor executor, clock& time, fetcher fetch)
        : core_(std::make_shared<core>(std::move(executor), time, std::move(fetch)))
    {
    }
    ~refreshing() override
    {
        core_->over = true;
        core_->waiting.abort_all();
        if (!core_->fetching) return;
        core_->stop.emit(boost::asio::cancellation_type::terminal);
    }

    task<std::shared_ptr<T const>> current() override
    {
        auto const shared = core_;
        auto const what = shared->needed();
        if (what != renewal::none && !shared->fetching) start(shared);
        if (what != renewal::first) co_return shared->held;
        if (shared->fetching) {
            http::waiter me(shared->waiting);
            co_await me.wait();
        }
        if (shared->last && !shared->still_good()) co_return *shared->last;
        co_return shared->held;
    }

    bool refused(std::shared_ptr<T const> const& these) override
    {
        if (core_->held == these) core_->held = nullptr;
        return true;
    }

private:
    struct core {
        core(boost::asio::any_io_executor on, clock& its_time, fetcher how)
            : executor(std::move(on)), time(its_time), fetch(std::move(how)), waiting(executor)
        {
        }

        renewal needed() const { return held ? renewal_at(time.now(), good_for, failed) : renewal::first; }
        bool still_good() const { return held && (!good_for || time.now() < good_for->ends); }

        void take(result<leased<T>> got)
        {
            fetching = false;
            last.reset();
            failed.reset();
            if (got) {
                held = std::make_shared<T const>(std::move(got->value));
                good_for.reset();
                if (got->ends) good_for = term{time.now(), *got->ends};
            } else {
                last = got.error();
                failed = time.now();
            }
            waiting.wake_all();
        }

        boost::asio::any_io_executor executor;
        clock& time;
        fetcher fetch;
        http::wait_list waiting;
        boost::asio::cancellation_signal stop;
        std::shared_ptr<T const> held;
        std::optional<term> good_for;
        std::optional<time_ms> failed;  ///< When the last fetch failed.
        std::optional<error> last;      ///< What the last fetch failed with.
        bool fetching = false;
        bool over = false;  ///< The provider is gone, and its clock perhaps too.
    };

    /// What was thrown, as a failure of the fetch. Its text is not repeated: nobody knows what is in it.
    static error as_error(std::exception_ptr const& thrown)
    {
        diagnostics why("", "", "the credentials could not be fetched");
        try {
            std::rethrow_exception(thrown);
        } catch (failure const& typed) {
            return typed.what_failed();
        } catch (boost::system::system_error const& known) {
            why.detail += ": " + known.code().message();
        } catch (...) {
            why.detail += ": an exception was thrown";
        }
        return {errc::unavailable, std::move(why)};
    }

    static void start(std::shared_ptr<core> const& shared)
    {
        shared->fetching = true;
        auto const ended = [shared](std::exception_ptr const& thrown, result<leased<T>> got) {
            if (shared->over) return;
            if (thrown) got = as_error(thrown);
            shared->take(std::move(got));
        };
        detail::spawn(shared->executor, shared->fetch(), shared->stop.slot(), ended);
    }

    std::shared_ptr<core> core_;
};

}  // namespace headwater::credentials
