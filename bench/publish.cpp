// publish: what a commit takes beside a bare conditional PUT, and how several writers of one stream get on.
//
//   bench_publish [--commits N] [--delays SHAPE] [--endpoint http://127.0.0.1:PORT]
#include "bench/support/history.hpp"
#include "bench/support/must.hpp"
#include "bench/support/options.hpp"
#include "bench/support/output.hpp"
#include "bench/support/world.hpp"

#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/stores.hpp>

#include <cstdio>
#include <numeric>

namespace headwater::bench {
namespace {

constexpr std::uint64_t tables = 217;

using milliseconds = std::chrono::duration<double, std::milli>;

// Each group of measurements has a graph of its own in the same store.
std::unique_ptr<object_store> make_graph(world& where, std::string const& name, random& chance)
{
    auto store = make_prefixed_store(where.store(), name + "/");
    init_options const defaults;
    (void)must(where.run(init_graph(*store, where.time(), chance, defaults)));
    return store;
}

publisher::plan next_commit()
{
    return [](snapshot const& now) -> result<intent> { return nth_commit(now.seq().value() + 1, tables); };
}

struct bare_put {
    object_store& store;
    std::size_t made = 0;

    boost::asio::awaitable<void> operator()(clock& time, std::vector<double>& took)
    {
        object_key const key("bare-" + std::to_string(made++));
        bytes const content(std::string(2'000, 'x'));
        auto const began = time.since_boot();
        auto const answer = co_await store.put_if_absent(key, content);
        took.push_back(milliseconds(time.since_boot() - began).count());
        if (!answer) throw failure(answer.error());
    }
};

// A commit is timed to its answer; hint and checkpoint follow off the caller's path.
task<commit_receipt> commit_once(publisher& writer, clock& time, std::vector<double>& took)
{
    auto const plan = next_commit();
    auto const began = time.since_boot();
    auto receipt = co_await writer.publish(plan);
    if (!receipt) co_return receipt.error();
    took.push_back(milliseconds(time.since_boot() - began).count());
    (void)must(co_await writer.upkeep());
    co_return receipt;
}

void measure_latency(world& where, std::uint64_t commits, random& chance, nlohmann::ordered_json line)
{
    auto const store = make_graph(where, "latency", chance);
    meter counts;
    auto const counted = make_metered_store(*store, counts);
    publisher writer(*counted, "main", where.time(), chance);
    (void)must(where.run(writer.current()));
    bare_put bare{*store};
    std::vector<double> bare_ms;
    std::vector<double> publish_ms;
    auto const before = counts.total();
    for (std::uint64_t i = 0; i != commits; ++i) {
        where.run(bare(where.time(), bare_ms));
        (void)must(where.run(commit_once(writer, where.time(), publish_ms)));
    }
    line["what"] = "latency";
    auto of_bare = line;
    of_bare["client"] = "bare conditional PUT";
    add_spread(of_bare, "ms", bare_ms);
    emit(of_bare);
    auto const spent = counts.total();
    line["client"] = "headwater";
    add_spread(line, "ms", publish_ms);
    auto const each = [&](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(commits); };
    line["requests"] = each(spent.requests - before.requests);
    line["bytes_written"] = each(spent.bytes_written - before.bytes_written);
    emit(line);
}

struct writers_outcome {
    std::uint64_t left;
    std::uint64_t lost = 0;
    std::uint64_t gave_up = 0;  // Publishes that lost `max_prepares` races.
    std::vector<std::uint64_t> commits{};
    std::vector<double> took_ms{};
};

task<void> keep_publishing(world& where, object_store& store, std::uint64_t seed, std::size_t me, writers_outcome& all)
{
    auto const chance = make_seeded_random(seed);
    publisher writer(store, "main", where.time(), *chance);
    (void)must(co_await writer.current());
    while (all.left > 0) {
        auto const receipt = co_await commit_once(writer, where.time(), all.took_ms);
        if (!receipt && !(receipt.error() == errc::conflict)) co_return receipt.error();
        if (!receipt) {
            ++all.gave_up;
            continue;
        }
        all.left -= std::min<std::uint64_t>(all.left, 1);
        ++all.commits[me];
        all.lost += receipt->attempts - 1;
    }
    co_return result<void>();
}

// Jain's index: 1 when all have the same, 1/n when one has everything.
double fairness(std::vector<std::uint64_t> const& shares)
{
    double sum = 0;
    double squares = 0;
    for (auto const each : shares) {
        sum += static_cast<double>(each);
        squares += static_cast<double>(each) * static_cast<double>(each);
    }
    return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 0;
}

boost::asio::awaitable<void> all_publish(world& where, object_store& store, writers_outcome& all)
{
    std::vector<task<void>> work;
    for (std::size_t me = 0; me != all.commits.size(); ++me) {
        work.push_back(keep_publishing(where, store, 100 + me, me, all));
    }
    auto const ended = co_await at_once(std::move(work));
    for (auto const& each : ended) must(each);
}

void measure_writers(world& where, std::size_t writers, std::uint64_t commits, random& chance,
                     nlohmann::ordered_json line)
{
    auto const store = make_graph(where, "writers-" + std::to_string(writers), chance);
    writers_outcome all{.left = commits};
    all.commits.resize(writers);
    auto const began = where.time().since_boot();
    where.run(all_publish(where, *store, all));
    auto const seconds = milliseconds(where.time().since_boot() - began).count() / 1000;
    line["what"] = "writers";
    line["writers"] = writers;
    add_spread(line, "ms", all.took_ms);
    line["commits_per_second"] = static_cast<double>(all.took_ms.size()) / seconds;
    line["lost_per_commit"] = static_cast<double>(all.lost) / static_cast<double>(commits);
    line["gave_up"] = all.gave_up;
    line["fairness"] = fairness(all.commits);
    line["least"] = *std::ranges::min_element(all.commits);
    line["most"] = *std::ranges::max_element(all.commits);
    emit(line);
}

void run_publish(options const& wanted)
{
    auto const endpoint = wanted.text("--endpoint");
    auto const shape = wanted.text("--delays", "store");
    auto const commits = wanted.number("--commits", 400);
    auto const where = endpoint.empty() ? make_virtual_world(wanted.number("--seed", 42))
                                        : make_socket_world(endpoint, http_options());
    auto const chance = make_seeded_random(7);
    where->set_delays(shape);
    nlohmann::ordered_json const line{
        {"bench", "publish"}, {"world", endpoint.empty() ? "virtual" : "socket"}, {"delays", shape}};
    measure_latency(*where, commits, *chance, line);
    for (std::size_t const writers : {1, 2, 4, 8, 16}) measure_writers(*where, writers, commits, *chance, line);
}

}  // namespace
}  // namespace headwater::bench

int main(int count, char** words)
try {
    headwater::bench::run_publish(headwater::bench::options(count, words));
} catch (std::exception const& what) {
    std::fprintf(stderr, "bench_publish: %s\n", what.what());
    return 1;
}
