// The transport over libcurl: resolves as the native one does, then lets a transfer run.
#include <headwater/adapters/curl.hpp>

#include "adapters/curl/multi.hpp"
#include "adapters/curl/proxies.hpp"
#include "adapters/curl/transfer.hpp"
#include "adapters/http/addresses.hpp"
#include "adapters/http/sweep.hpp"
#include "adapters/http/url.hpp"
#include "adapters/http/wait_list.hpp"
#include "adapters/http/wire.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace headwater::curl {

namespace {

namespace asio = boost::asio;
using http::broken;
using http::exchange_error;

std::string in_url(std::string const& host) { return host.find(':') == host.npos ? host : '[' + host + ']'; }

route make_route(http::endpoint where, std::string proxy, proxy_place const& via, std::string const& setting)
{
    route out;
    out.where = std::move(where);
    auto const port = ':' + std::to_string(out.where.port);
    out.url = (out.where.tls ? "https://" : "http://") + in_url(out.where.host) + port + '/';
    out.proxy = std::move(proxy);
    if (!out.proxy.empty()) {
        out.proxy_called = setting + ", " + in_url(via.host) + ':' + std::to_string(via.port);
        if (!http::is_ip_address(via.host)) out.resolved_name = via.host + ':' + std::to_string(via.port);
    } else if (!http::is_ip_address(out.where.host) || !out.where.connect_to.empty()) {
        out.resolved_name = in_url(out.where.host) + port;
    }
    return out;
}

// What the calls share; it lives as long as the last of them.
class core {
public:
    core(asio::any_io_executor executor, clock& time, http::endpoint where, http_options with, std::string proxy,
         proxy_place at, std::string const& setting)
        : options(std::move(with)),
          via(std::move(at)),
          to(make_route(std::move(where), std::move(proxy), via, setting)),
          deadlines(std::make_shared<http::sweep>(executor, time, options)),
          names(std::make_shared<http::addresses>(executor, first_hop(), to.proxy.empty() ? to.where.port : via.port,
                                                  options.resolve_ttl)),
          running(executor),
          keep(options.keep_idle),
          executor_(std::move(executor)),
          time_(time)
    {
        purge(nullptr);
    }

    http_options options;
    proxy_place via;
    route to;
    std::shared_ptr<http::sweep> deadlines;
    std::shared_ptr<http::addresses> names;
    std::shared_ptr<multi> runner;
    http::wait_list running;
    std::optional<std::chrono::nanoseconds> idle_since;  // Since the last answer.
    std::chrono::nanoseconds keep;  // For how long a connection may be unused: the option, or what the server said.

    /// Begins with new connections: after one was found stale the others are too, most likely. Those in use end with
    /// their transfers, so that for a moment there may be twice as many.
    void purge(std::shared_ptr<multi> const& with_stale)
    {
        if (runner != with_stale) return;  // Another transfer was here first: what is kept now is newer.
        runner = std::make_shared<multi>(executor_, time_, std::max<std::size_t>(options.max_connections, 1));
    }

    /// Closes all when nobody has used any for too long. True: that time has not come yet.
    bool expire(std::chrono::nanoseconds now)
    {
        if (!options.close_idle_on_time || !idle_since || !running.empty()) return false;
        if (now < *idle_since + keep) return true;
        idle_since.reset();
        purge(runner);
        return false;
    }

    bool is_full() const { return running.size() >= options.max_connections + options.max_waiters; }

private:
    std::string first_hop() const
    {
        if (!to.proxy.empty()) return via.host;
        return to.where.connect_to.empty() ? to.where.host : to.where.connect_to;
    }

    asio::any_io_executor executor_;
    clock& time_;
};

// One address after the other, as the native transport does, until one is connected to.
asio::awaitable<http::exchange_result> exchange_at_any_address(core& c, http::request const& what,
                                                               http::deadline& until)
{
    auto const order = c.names->next_order();
    std::optional<http::exchange_result> answer;
    for (auto const& where : order) {
        auto const runner = c.runner;
        transfer one(c.running, runner, what, c.to, c.options);
        one.connect_to(where);
        one.keep_within(c.keep);
        auto got = co_await one.run(until);
        c.idle_since = until.now();
        if (!got && got.error().how == broken::stale) c.purge(runner);
        answer = std::move(got);
        auto const unreached = one.unreached();
        if (unreached) c.names->failed(*unreached);
        if (!unreached || until.passed() == http::phase::total || answer->error().why == errc::configuration) break;
    }
    co_return *std::move(answer);
}

class curl_transport final : public http::transport {
public:
    explicit curl_transport(std::shared_ptr<core> shared) : core_(std::move(shared))
    {
        core_->deadlines->on_tick([kept = std::weak_ptr(core_)](std::chrono::nanoseconds now) {
            auto const still = kept.lock();
            return still && still->expire(now);
        });
    }
    ~curl_transport() override
    {
        core_->running.abort_all();
        core_->names->abort_waiting();
        core_->deadlines->retire();
    }

    asio::awaitable<http::exchange_result> send(http::request const& what) override
    {
        auto const wrong = http::check_request(what);
        if (wrong) co_return exchange_error(broken::refused, *wrong);
        auto const c = core_;
        if (c->is_full()) {
            error full(errc::unavailable, "max_waiters: too many requests wait for a connection");
            co_return exchange_error(broken::nothing_sent, std::move(full));
        }
        http::deadline until(c->deadlines);
        auto const unresolved = co_await c->names->refresh(until);
        if (unresolved.code()) co_return exchange_error(broken::nothing_sent, unresolved);

        auto answer = co_await exchange_at_any_address(*c, what, until);
        if (answer) c->keep = http::keep_time(c->options.keep_idle, answer->find("keep-alive"));
        co_return answer;
    }

private:
    std::shared_ptr<core> core_;
};

// A proxy without a usable address.
class unusable_transport final : public http::transport {
public:
    explicit unusable_transport(error why) : why_(std::move(why)) {}

    asio::awaitable<http::exchange_result> send(http::request const&) override
    {
        co_return exchange_error(broken::nothing_sent, why_);
    }

private:
    error why_;
};

class curl_maker final : public http::transport_maker {
public:
    explicit curl_maker(proxy_options proxies) : proxies_(std::move(proxies)) {}

    std::unique_ptr<http::transport> make(asio::any_io_executor executor, clock& time, http::endpoint where,
                                          http_options options) const override
    {
        auto proxy = proxy_for(proxies_, where);
        auto const& setting = where.tls ? proxies_.https_name : proxies_.http_name;
        proxy_place via;
        if (!proxy.empty()) {
            auto read = place_of(proxy, setting);
            if (!read) return std::make_unique<unusable_transport>(read.error());
            via = *std::move(read);
        }
        return std::make_unique<curl_transport>(std::make_shared<core>(std::move(executor), time, std::move(where),
                                                                       std::move(options), std::move(proxy),
                                                                       std::move(via), setting));
    }

private:
    proxy_options proxies_;
};

}  // namespace

}  // namespace headwater::curl

namespace headwater {

std::shared_ptr<http::transport_maker const> curl_transport(proxy_options proxies)
{
    return std::make_shared<curl::curl_maker>(std::move(proxies));
}

}  // namespace headwater
