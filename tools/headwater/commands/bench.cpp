// headwater bench: how long a store takes for each kind of request that a graph makes, one after the other. All kinds
// take their turn in each round, so that a slow minute is slow for all of them.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/own_folders.hpp"
#include "tools/headwater/print_bench.hpp"
#include "tools/headwater/stop_request.hpp"

#include <headwater/stores.hpp>

#include <boost/system/errc.hpp>

#include <algorithm>
#include <cstdio>

namespace headwater::cli {

namespace {

constexpr std::uint32_t listed_keys = 100;

std::string own_bench_prefix(random& chance)
{
    char unique[17];
    std::snprintf(unique, sizeof unique, "%016llx", static_cast<unsigned long long>(chance.next()));
    return "headwater-bench-" + std::string(unique) + '-';  // No slash: no empty folder stays where keys are files.
}

class store_bench {
public:
    store_bench(session& in, std::uint64_t size)
        : time_(in.time()),
          store_(make_prefixed_store(in.store(), own_bench_prefix(in.chance()))),
          content_(std::string(size, 'x'))
    {
    }

    // The first request finds out whether there is a store at all, and pays for the connection.
    task<void> begin()
    {
        object_key const nothing("absent");
        get_options const whole;
        auto const answer = co_await store_->get(nothing, whole);
        if (!answer && !(answer.error() == errc::not_found)) co_return answer.error();
        co_return result<void>();
    }

    task<void> round()
    {
        object_key const key("object-" + std::to_string(rounds_));
        auto done = co_await write(key);
        if (done) done = co_await read(key);
        if (done) ++rounds_;
        co_return done;
    }

    // Whatever went wrong before.
    boost::asio::awaitable<std::uint64_t> clean()
    {
        std::uint64_t left = 0;
        for (; written_ > 0; --written_) {
            object_key const key("object-" + std::to_string(written_ - 1));
            auto removing = timed(remove_, store_->remove(key));
            auto const removed = co_await std::move(removing);
            left += removed ? 0 : 1;
        }
        co_return left;
    }

    std::uint64_t rounds() const noexcept { return rounds_; }
    std::vector<latency> operations() const { return {create_, taken_, put_, get_, absent_, list_, remove_}; }

private:
    template <class T>
    task<T> timed(latency& into, task<T> call)
    {
        auto const begun = time_.since_boot();
        auto out = co_await std::move(call);
        into.samples.push_back(time_.since_boot() - begun);
        co_return out;
    }

    task<void> write(object_key key)
    {
        ++written_;
        auto creating = timed(create_, store_->put_if_absent(key, content_));
        auto const created = co_await std::move(creating);
        if (!created) co_return created.error();
        auto again = timed(taken_, store_->put_if_absent(key, content_));
        auto const taken = co_await std::move(again);
        if (!taken) co_return taken.error();
        if (taken->created) {
            co_return error(errc::unsupported,
                            "the store created one object twice: no graph may be kept there, see `headwater probe`");
        }
        auto putting = timed(put_, store_->put(key, content_));
        auto const put = co_await std::move(putting);
        if (!put) co_return put.error();
        co_return result<void>();
    }

    task<void> read(object_key key)
    {
        get_options const whole;
        auto getting = timed(get_, store_->get(key, whole));
        auto const got = co_await std::move(getting);
        if (!got) co_return got.error();
        object_key const nothing("absent");
        auto missing = timed(absent_, store_->get(nothing, whole));
        auto const absent = co_await std::move(missing);
        if (!absent && !(absent.error() == errc::not_found)) co_return absent.error();
        list_options page;
        page.max_keys = listed_keys;
        std::string const all;
        auto listing = timed(list_, store_->list(all, page));
        auto const listed = co_await std::move(listing);
        if (!listed) co_return listed.error();
        co_return result<void>();
    }

    clock& time_;
    std::unique_ptr<object_store> store_;
    bytes content_;
    std::uint64_t rounds_ = 0;
    std::uint64_t written_ = 0;
    latency create_{"create"};
    latency taken_{"create_taken"};
    latency put_{"put"};
    latency get_{"get"};
    latency absent_{"get_absent"};
    latency list_{"list"};
    latency remove_{"remove"};
};

}  // namespace

task<void> perform(session& in, bench_arguments const& wanted)
{
    own_folders const folders(in.store().address());
    store_bench running(in, wanted.size);
    auto done = co_await running.begin();
    stop_request stop(in.executor());
    while (done && running.rounds() < wanted.rounds && !stop.made()) done = co_await running.round();
    bench_report report;
    report.left_behind = co_await running.clean();
    if (!done) co_return done;
    report.store = in.store().address();
    report.rounds = running.rounds();
    report.size = wanted.size;
    report.operations = running.operations();
    report.spent = in.spent();
    auto const told = in.answer(bench_json(report), bench_text(report), report.spent);
    if (!told || report.rounds == wanted.rounds) co_return told;
    co_return error(make_error_code(boost::system::errc::operation_canceled),
                    diagnostics("bench", "", "stopped by a signal before the last round"));
}

}  // namespace headwater::cli
