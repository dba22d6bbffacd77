// reconstruct: how long it takes to rebuild the current state under a store's delays, strategies side by side.
//
//   bench_reconstruct [--reads N] [--delays SHAPE] [--depth N] [--tables N] [--stale]
//   bench_reconstruct --endpoint http://127.0.0.1:PORT    over the native client, against bench_server, in real time
#include "bench/support/history.hpp"
#include "bench/support/keys.hpp"
#include "bench/support/must.hpp"
#include "bench/support/options.hpp"
#include "bench/support/output.hpp"
#include "bench/support/plain_readers.hpp"
#include "bench/support/world.hpp"

#include <headwater/reader.hpp>
#include <headwater/stores.hpp>

#include <cstdio>
#include <stdexcept>

namespace headwater::bench {
namespace {

enum class way {
    single_get,  // one request: the unit of everything else
    sequential,  // see plain_readers.hpp
    rfc_order,
    speculative,
    first_use,    // the library, which opens the graph beside
    open_handle,  // the library on an open graph, without a state
    warm,         // the library with the newest state at hand
};

struct strategy {
    char const* name;
    way how;
    bool carry;
    bool hedged;
};

constexpr strategy strategies[] = {
    {"single GET", way::single_get, true, false},
    {"single GET, hedged", way::single_get, true, true},
    {"sequential", way::sequential, false, false},
    {"RFC order", way::rfc_order, false, false},
    {"speculative, plain", way::speculative, false, false},
    {"speculative, plain, hedged", way::speculative, false, true},
    {"headwater, no carry", way::open_handle, false, false},
    {"headwater, no carry, hedged", way::open_handle, false, true},
    {"headwater, first use", way::first_use, true, false},
    {"headwater, first use, hedged", way::first_use, true, true},
    {"headwater, cold", way::open_handle, true, false},
    {"headwater, cold, hedged", way::open_handle, true, true},
    {"headwater, warm poll", way::warm, true, false},
    {"headwater, warm poll, hedged", way::warm, true, true},
};

// One strategy with its own stack of stores, so that hedging learns from its own reads, and its samples.
class lane {
public:
    lane(world& where, strategy what)
        : what_(what),
          where_(where),
          graph_(make_prefixed_store(where.store(), what.carry ? "carry/" : "plain/")),
          hedging_(what.hedged ? make_hedging_store(*graph_, where.time()) : nullptr),
          store_(make_metered_store(hedging_ ? *hedging_ : *graph_, counts_)),
          handle_(*store_, "main", where.time())
    {
    }

    boost::asio::awaitable<void> read_once(std::uint64_t expected, bool counted)
    {
        co_await prepare();
        cost const before = counts_.total();
        auto const began = where_.time().since_boot();
        auto const seq = co_await read();
        std::chrono::duration<double, std::milli> const took = where_.time().since_boot() - began;
        if (seq != expected) throw std::logic_error(std::string(what_.name) + " has read another state");
        if (!counted) co_return;
        took_ms_.push_back(took.count());
        add(before);
    }

    void report(nlohmann::ordered_json line) const
    {
        auto const reads = static_cast<double>(took_ms_.size());
        line["strategy"] = what_.name;
        add_spread(line, "ms", took_ms_);
        line["requests"] = static_cast<double>(spent_.requests) / reads;
        line["attempts"] = static_cast<double>(spent_.attempts) / reads;
        line["bytes"] = static_cast<double>(spent_.bytes_read) / reads;
        line["rounds"] = static_cast<double>(spent_.rounds) / reads;
        emit(line);
    }

private:
    boost::asio::awaitable<void> prepare()
    {
        bool const kept = what_.how == way::warm && is_warm_;
        if (kept || what_.how < way::open_handle) co_return;
        handle_ = reader(*store_, "main", where_.time());
        sequence const first(1);
        (void)must(co_await handle_.at(first));  // Opens the graph, and leaves no newest state behind.
        if (what_.how == way::warm) (void)must(co_await handle_.current());
        is_warm_ = true;
    }

    boost::asio::awaitable<std::uint64_t> read()
    {
        switch (what_.how) {
        case way::single_get: {
            object_key const key(keys::hint());
            get_options const whole;
            auto const answer = must(co_await store_->get(key, whole));
            co_return decode_hint(answer.content.view())->seq.value();
        }
        case way::sequential: co_return must(co_await read_sequentially(*store_)).seq;
        case way::rfc_order: co_return must(co_await read_in_rfc_order(*store_)).seq;
        case way::speculative: co_return must(co_await read_speculatively(*store_)).seq;
        case way::first_use: {
            reader fresh(*store_, "main", where_.time());
            co_return must(co_await fresh.current()).seq().value();
        }
        case way::open_handle:
        case way::warm: co_return must(co_await handle_.current()).seq().value();
        }
        co_return 0;
    }

    void add(cost const& before)
    {
        auto const& now = counts_.total();
        spent_.requests += now.requests - before.requests;
        spent_.attempts += now.attempts - before.attempts;
        spent_.bytes_read += now.bytes_read - before.bytes_read;
        spent_.rounds += now.rounds - before.rounds;
    }

    strategy what_;
    world& where_;
    meter counts_;
    std::unique_ptr<object_store> graph_;
    std::unique_ptr<object_store> hedging_;
    std::unique_ptr<object_store> store_;
    reader handle_;
    bool is_warm_ = false;
    std::vector<double> took_ms_;
    cost spent_;
};

// The strategies take turns, so that what disturbs one disturbs all.
void compare(world& where, history const& graph, std::uint64_t reads, nlohmann::ordered_json const& line)
{
    // Hedging needs some answers before it knows what late is.
    auto const learning = std::min<std::uint64_t>(40, 2 * reads);
    std::vector<std::unique_ptr<lane>> lanes;
    for (auto const& each : strategies) lanes.push_back(std::make_unique<lane>(where, each));
    for (std::uint64_t turn = 0; turn != learning + reads; ++turn) {
        for (auto const& each : lanes) where.run(each->read_once(graph.depth(), turn >= learning));
    }
    for (auto const& each : lanes) each->report(line);
}

void put_hint(world& where, std::string const& graph, hint const& value)
{
    object_key const key(graph + keys::hint());
    (void)must(where.run(where.store().put(key, encode(value))));
}

// What a hint that is too old costs.
void go_stale(world& where, history const& graph, std::uint64_t reads, nlohmann::ordered_json line)
{
    for (std::uint64_t const stale : {0, 1, 2, 3, 4, 10, 100}) {
        if (stale >= graph.depth()) break;
        put_hint(where, "carry/", history::true_hint(graph.depth() - stale));
        lane cold(where, {"headwater, stale hint", way::open_handle, true, false});
        for (std::uint64_t turn = 0; turn != reads; ++turn) where.run(cold.read_once(graph.depth(), true));
        line["stale"] = stale;
        cold.report(line);
    }
    put_hint(where, "carry/", history::true_hint(graph.depth()));
}

void run_reconstruct(options const& wanted)
{
    auto const endpoint = wanted.text("--endpoint");
    auto const shape = wanted.text("--delays", "store");
    auto const reads = wanted.number("--reads", 500);
    // 24 records since the checkpoint, about 217 tables.
    history const graph(wanted.number("--depth", 1'024), wanted.number("--tables", 217));
    http_options connections;
    connections.max_connections = wanted.number("--connections", connections.max_connections);
    auto const where =
        endpoint.empty() ? make_virtual_world(wanted.number("--seed", 42)) : make_socket_world(endpoint, connections);
    for (bool const carry : {true, false}) {
        auto const under = make_prefixed_store(where->store(), carry ? "carry/" : "plain/");
        where->run(graph.place(*under, 0, graph.depth(), {.carry = carry, .checkpoints = true}));
    }
    where->set_delays(shape);
    nlohmann::ordered_json line{{"bench", "reconstruct"},   {"world", endpoint.empty() ? "virtual" : "socket"},
                                {"delays", shape},          {"depth", graph.depth()},
                                {"tables", graph.tables()}, {"connections", connections.max_connections}};
    compare(*where, graph, reads, line);
    if (wanted.has("--stale")) go_stale(*where, graph, reads, line);
    where->set_delays("none");
}

}  // namespace
}  // namespace headwater::bench

int main(int count, char** words)
try {
    headwater::bench::run_reconstruct(headwater::bench::options(count, words));
} catch (std::exception const& what) {
    std::fprintf(stderr, "bench_reconstruct: %s\n", what.what());
    return 1;
}
