// depth: what a cold read of the current state asks for as the history grows, on any store; and, as the control, what a
// reader pays that has neither checkpoint nor carry.
//
//   bench_depth --store ADDRESS [--deepest N] [--control-deepest N] [--keep]    address and settings as `headwater`
#include "bench/support/history.hpp"
#include "bench/support/must.hpp"
#include "bench/support/options.hpp"
#include "bench/support/output.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/file.hpp>
#include <headwater/adapters/url.hpp>
#include <headwater/reader.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/io_context.hpp>

#include <sys/resource.h>

#include <cstdio>
#include <exception>

namespace headwater::bench {
namespace {

namespace asio = boost::asio;

void run_on(asio::io_context& io, asio::awaitable<void> work)
{
    std::exception_ptr thrown;
    asio::co_spawn(io, std::move(work), [&](std::exception_ptr what) { thrown = what; });
    io.restart();
    io.run();
    if (thrown) std::rethrow_exception(thrown);
}

// What this process has computed so far.
double cpu_ms()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    auto const of = [](timeval const& part) {
        return static_cast<double>(part.tv_sec) * 1e3 + static_cast<double>(part.tv_usec) / 1e3;
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

struct place {
    asio::io_context io{1};
    std::unique_ptr<clock> time = make_system_clock();
    std::unique_ptr<random> chance = make_system_random();
    std::string address;
    std::unique_ptr<object_store> store;
    std::unique_ptr<object_store> writing;  // The same, without waiting for the disk.

    explicit place(std::string const& at) : address(at)
    {
        store = must(open_store(io.get_executor(), *time, *chance, address, process_environment()));
        if (!is_file()) return;
        file_options unsynced;
        unsynced.root = address;
        unsynced.durability = file_durability::none;
        writing = make_file_store(unsynced, *time, *chance);
    }

    bool is_file() const { return address.starts_with('/'); }
    object_store& writer() { return writing ? *writing : *store; }
    std::string kind() const
    {
        if (is_file()) return "file";
        if (address.starts_with("s3:")) return "s3";
        return address.starts_with("az:") ? "azure" : "memory";
    }
};

asio::awaitable<void> read_cold(object_store& store, std::uint64_t newest, cost& spent)
{
    reader main(store, "main");
    auto const now = must(co_await main.current());
    if (now.seq().value() != newest) throw std::logic_error("another state was read");
    spent = now.spent();
}

void measure_depth(place& where, object_store& graph, std::uint64_t depth, std::uint64_t reads, char const* reader)
{
    std::vector<double> took;
    std::vector<double> computed;
    cost spent;
    for (std::uint64_t i = 0; i != reads; ++i) {
        auto const began = where.time->since_boot();
        auto const cpu = cpu_ms();
        run_on(where.io, read_cold(graph, depth, spent));
        computed.push_back(cpu_ms() - cpu);
        took.push_back(std::chrono::duration<double, std::milli>(where.time->since_boot() - began).count());
    }
    nlohmann::ordered_json line{{"bench", "depth"},           {"store", where.kind()},
                                {"reader", reader},           {"depth", depth},
                                {"requests", spent.requests}, {"open_requests", spent.open_requests},
                                {"rounds", spent.rounds},     {"bytes", spent.bytes_read}};
    add_spread(line, "ms", took);
    line["cpu_ms_p50"] = median(computed);
    emit(line);
}

// Grows one graph and reads it at each depth.
void grow_and_read(place& where, history const& all, history_shape shape, std::uint64_t deepest, std::uint64_t reads)
{
    auto const* const name = shape.checkpoints ? "headwater" : "control: records alone";
    std::string const prefix = shape.checkpoints ? "flat/" : "control/";
    auto const graph = make_prefixed_store(*where.store, prefix);
    auto const writing = make_prefixed_store(where.writer(), prefix);
    std::uint64_t grown = 0;
    for (std::uint64_t const depth : {10, 99, 100, 999, 1'000, 9'999, 10'000, 100'000}) {
        if (depth > deepest) break;
        run_on(where.io, all.place(*writing, grown, depth, shape));
        grown = depth;
        measure_depth(where, *graph, depth, shape.checkpoints ? reads : 3, name);
    }
}

asio::awaitable<void> remove_all(object_store& store)
{
    for (;;) {
        list_options const page_of_all;
        std::string const everything;
        auto const page = must(co_await store.list(everything, page_of_all));
        std::vector<task<remove_answer>> removals;
        for (auto const& each : page.objects) removals.push_back(store.remove(each.key));
        auto const removed = co_await at_once(std::move(removals));
        for (auto const& each : removed) {
            if (!each) throw failure(each.error());
        }
        if (!page.next) co_return;
    }
}

void run_depth(options const& wanted)
{
    place where(wanted.text("--store", "memory:"));
    auto const deepest = wanted.number("--deepest", 10'000);
    constexpr std::uint64_t tables = 8;
    history const all(deepest, tables);
    auto const reads = wanted.number("--reads", 21);
    grow_and_read(where, all, {.carry = true, .checkpoints = true}, deepest, reads);
    grow_and_read(where, all, {.carry = false, .checkpoints = false}, wanted.number("--control-deepest", 1'000), reads);
    if (!wanted.has("--keep")) run_on(where.io, remove_all(*where.store));
}

}  // namespace
}  // namespace headwater::bench

int main(int count, char** words)
try {
    headwater::bench::run_depth(headwater::bench::options(count, words));
} catch (std::exception const& what) {
    std::fprintf(stderr, "bench_depth: %s\n", what.what());
    return 1;
}
