// The native transport: takes a connection or opens one, exchanges, gives it back. It decides no retry; only a kept
// connection that turns out closed before a byte was written is replaced, since then nothing was sent.
#include "adapters/http/transport.hpp"

#include "adapters/http/addresses.hpp"
#include "adapters/http/connection.hpp"
#include "adapters/http/pool.hpp"
#include "adapters/http/sweep.hpp"
#include "adapters/http/wire.hpp"

#include <utility>

namespace headwater::http {

namespace {

namespace asio = boost::asio;

// What the calls share; it lives as long as the last of them.
class core {
public:
    core(asio::any_io_executor on, clock& time, endpoint to, http_options with)
        : executor(on),
          where(std::move(to)),
          options(std::move(with)),
          deadlines(std::make_shared<sweep>(on, time, options)),
          names(std::make_shared<addresses>(on, where.connect_to.empty() ? where.host : where.connect_to, where.port,
                                            options.resolve_ttl)),
          connections(std::make_shared<pool>(on, options.max_connections, options.max_waiters))
    {
        deadlines->on_tick(
            [kept = std::weak_ptr(connections), on_time = options.close_idle_on_time](std::chrono::nanoseconds now) {
                auto const still = kept.lock();
                if (still) still->expire(now);
                return still && on_time && still->idle() != 0;
            });
        if (!where.tls) return;
        auto made = tls_context::make(options);
        if (made) {
            tls = *made;
        } else {
            unusable = made.error();
        }
    }

    asio::any_io_executor executor;
    endpoint where;
    http_options options;
    std::shared_ptr<sweep> deadlines;
    std::shared_ptr<addresses> names;
    std::shared_ptr<pool> connections;
    std::shared_ptr<tls_context> tls;
    std::optional<error> unusable;  // Why TLS cannot be used.
};

bool is_safe(request const& what) noexcept { return what.method == "GET" || what.method == "HEAD"; }

exchange_error not_sent(error why) { return {broken::nothing_sent, std::move(why)}; }

// Fills the lease with a new connection; one address after the other.
asio::awaitable<std::optional<exchange_error>> open(core& c, lease& held, deadline& until)
{
    if (c.unusable) co_return not_sent(*c.unusable);
    auto const unresolved = co_await c.names->refresh(until);
    if (unresolved.code()) co_return not_sent(unresolved);
    std::optional<exchange_error> last;
    for (auto const& to : c.names->next_order()) {
        auto fresh = std::make_unique<connection>(c.executor, c.tls);
        last = co_await fresh->open(to, c.where.host, until);
        if (!last) {
            held.fill(std::move(fresh));
            co_return std::nullopt;
        }
        c.names->failed(to);
        if (until.passed() == phase::total || last->why == errc::configuration) break;
    }
    co_return last;
}

// What a lease without a connection needs: its turn, if it is no lease yet, and a connection that is alive or new.
asio::awaitable<std::optional<exchange_error>> prepare(core& c, lease& held, deadline& until)
{
    if (!held) {
        if (!c.connections->may_wait()) {
            error full(errc::unavailable, "max_waiters: too many requests wait for a connection");
            co_return not_sent(std::move(full));
        }
        held = co_await c.connections->wait(until);
        if (!held) co_return not_sent(until.why());
        if (held.get() && held.get()->alive()) co_return std::nullopt;
        held.empty();
    }
    co_return co_await open(c, held, until);
}

class native_transport final : public transport {
public:
    explicit native_transport(std::shared_ptr<core> shared) : core_(std::move(shared)) {}
    ~native_transport() override
    {
        core_->connections->close();
        core_->names->abort_waiting();
        core_->deadlines->retire();
    }

    asio::awaitable<exchange_result> send(request const& what) override
    {
        if (auto const wrong = check_request(what)) co_return exchange_error(broken::refused, *wrong);
        auto const c = core_;
        deadline until(c->deadlines);
        auto held = c->connections->take(until.now());
        // The server may have closed with its last answer, even where the pool trusts the connection. A read would be
        // sent again; a write must not be in doubt for this.
        if (held.get() && !is_safe(what) && !held.get()->alive()) {
            c->connections->purge(held);
            held.empty();
        }
        for (;;) {
            if (!held.get()) {
                auto const unready = co_await prepare(*c, held, until);
                if (unready) co_return *unready;
            }
            auto answer = co_await held.get()->exchange(what, c->where.authority, until);
            if (held.get()->reusable()) {
                held.keep(until.now(), keep_time(c->options.keep_idle, answer->find("keep-alive")));
            }
            if (answer || !held.get()->reused()) co_return answer;
            auto const how = answer.error().how;
            if (how == broken::nothing_sent || how == broken::stale) c->connections->purge(held);
            if (how != broken::nothing_sent || until.passed()) co_return answer;
            held.empty();  // The next one is new, so there is no third round.
        }
    }

private:
    std::shared_ptr<core> core_;
};

}  // namespace

std::unique_ptr<transport> make_native_transport(asio::any_io_executor executor, clock& time, endpoint where,
                                                 http_options options)
{
    return std::make_unique<native_transport>(
        std::make_shared<core>(std::move(executor), time, std::move(where), std::move(options)));
}

std::unique_ptr<transport> make_transport(asio::any_io_executor executor, clock& time, endpoint where,
                                          http_options options)
{
    auto const chosen = options.transport;
    if (chosen) return chosen->make(std::move(executor), time, std::move(where), std::move(options));
    return make_native_transport(std::move(executor), time, std::move(where), std::move(options));
}

}  // namespace headwater::http
