// Sends a second request for a read that is later than most, and takes the answer that comes first. Stands below
// retrying: what it repeats has not failed yet. Writes pass: two of them are never on their way for one call.
#include "src/store/attempts.hpp"
#include "src/store/hedge_delay.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace headwater {

namespace {

namespace asio = boost::asio;
using std::chrono::nanoseconds;

// One request of a race; without an answer it was not sent, or was given up.
template <class T>
using lap = std::optional<result<T>>;

template <class T>
bool decides(result<T> const& answer) noexcept
{
    return answer || !(answer.error() == errc::unavailable || answer.error() == errc::outcome_unknown);
}

// Tells when the race of a call's two requests is over: with the first answer that decides, with one that does not when
// there is no other request, with the last one otherwise.
struct finish_line {
    bool const* second_sent;

    template <class T>
    asio::cancellation_type operator()(std::exception_ptr const& thrown, lap<T> const& ended) const noexcept
    {
        bool const was_not_sent = !thrown && !ended;  // The second one could not be paid: the first runs on.
        bool const over = thrown || !*second_sent || (ended && decides(*ended));
        return over && !was_not_sent ? asio::cancellation_type::all : asio::cancellation_type::none;
    }
};

class hedging_store final : public object_store {
public:
    hedging_store(object_store& next, clock& time) : next_(next), time_(time) {}

    task<object> get(object_key key, get_options options) override
    {
        auto const send = [&] { return next_.get(key, options); };
        co_return co_await hedged<object>(send, gets_);
    }

    task<object_meta> head(object_key key) override
    {
        auto const send = [&] { return next_.head(key); };
        co_return co_await hedged<object_meta>(send, heads_);
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        return next_.put(std::move(key), std::move(content));
    }
    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        return next_.put_if_absent(std::move(key), std::move(content));
    }
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        return next_.put_if_match(std::move(key), std::move(content), std::move(expected));
    }
    task<list_page> list(std::string prefix, list_options options) override
    {
        return next_.list(std::move(prefix), options);
    }
    task<remove_answer> remove(object_key key) override { return next_.remove(std::move(key)); }
    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        return next_.remove_many(std::move(keys));
    }
    std::shared_ptr<retry_tokens> tokens() const override { return next_.tokens(); }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    // Learns how long a request took until it was answered; one that was given up took so long at least.
    class timing {
    public:
        timing(hedge_delay& into, clock& time) : into_(into), time_(time), began_(time.since_boot()) {}
        timing(timing const&) = delete;
        timing& operator=(timing const&) = delete;
        ~timing()
        {
            if (counts_) into_.took(time_.since_boot() - began_);
        }
        void failed() noexcept { counts_ = false; }

    private:
        hedge_delay& into_;
        clock& time_;
        nanoseconds began_;
        bool counts_ = true;
    };

    template <class T, class Send>
    asio::awaitable<lap<T>> first(Send const& send, hedge_delay& known)
    {
        timing measured(known, time_);
        auto answer = co_await send();
        if (!decides(answer)) measured.failed();
        co_return lap<T>(std::move(answer));
    }

    template <class T, class Send>
    asio::awaitable<lap<T>> second(Send const& send, nanoseconds after, bool& sent)
    {
        co_await time_.sleep_for(after);
        if (!tokens_.take()) co_return lap<T>();
        sent = true;
        auto answer = co_await send();
        co_return lap<T>(std::move(answer));
    }

    template <class T, class Send>
    task<T> hedged(Send const& send, hedge_delay& known)
    {
        auto const late = known.late_after();
        lap<T> answer;
        if (late) {
            answer = co_await race<T>(send, known, *late);
        } else {
            answer = co_await first<T>(send, known);
        }
        if (decides(*answer)) tokens_.answered();
        co_return std::move(*answer);
    }

    template <class T, class Send>
    asio::awaitable<lap<T>> race(Send const& send, hedge_delay& known, nanoseconds late)
    {
        auto const executor = co_await asio::this_coro::executor;
        bool sent = false;
        auto one = first<T>(send, known);
        auto two = second<T>(send, late, sent);
        auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(one), asio::deferred),
                                                             asio::co_spawn(executor, std::move(two), asio::deferred));
        finish_line const line{&sent};
        auto [order, thrown_one, end_one, thrown_two, end_two] = co_await group.async_wait(line, asio::use_awaitable);
        if (!end_one && !end_two) std::rethrow_exception(thrown_one ? thrown_one : thrown_two);

        auto const attempts = sent_by(end_one) + (sent ? sent_by(end_two) : 0);
        bool const second_is_better = end_two && decides(*end_two) && (order[0] == 1 || !end_one || !decides(*end_one));
        auto& best = second_is_better || !end_one ? end_two : end_one;
        if (*best) {
            (*best)->info.attempts = attempts;
            co_return std::move(best);
        }
        co_return lap<T>(with_attempts(best->error(), attempts));
    }

    // A request that was given up has been sent even so.
    template <class T>
    static std::uint32_t sent_by(lap<T> const& ended) noexcept
    {
        return ended ? attempts_of(*ended) : 1;
    }

    object_store& next_;
    clock& time_;
    hedge_delay gets_;
    hedge_delay heads_;
    hedge_tokens tokens_;
};

}  // namespace

std::unique_ptr<object_store> make_hedging_store(object_store& next, clock& time)
{
    return std::make_unique<hedging_store>(next, time);
}

}  // namespace headwater
