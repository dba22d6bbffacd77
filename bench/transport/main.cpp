// transport: what a request costs on this machine beside the least it could: a raw epoll loop, and beside libcurl.
//
//   bench_transport --port N [--ca FILE] [--rounds N] [--part N]    all clients in turn; a N-th of the requests
//   bench_transport --port N --only CLIENT --gets N --size N        one client, nothing measured: for callgrind
#include "bench/support/must.hpp"
#include "bench/support/options.hpp"
#include "bench/support/output.hpp"
#include "bench/support/world.hpp"
#include "bench/transport/client.hpp"

#include <sys/resource.h>

#include <cstdio>
#include <map>
#include <stdexcept>

namespace headwater::bench {
namespace {

struct contender {
    std::string name;
    std::unique_ptr<client> one;
};

wanted_get object_of(std::size_t size) { return {"object-" + std::to_string(size), size}; }

constexpr std::size_t small = 1'024;
constexpr std::size_t checkpoint_like = 38'000;
constexpr std::size_t record_like = 765;

void place_objects(target const& to)
{
    http_options how;
    how.ca_file = to.ca_file;
    auto const where = make_socket_world(to.endpoint(), how);
    for (auto const size : {small, checkpoint_like, record_like}) {
        object_key const key(object_of(size).name);
        (void)must(where->run(where->store().put(key, bytes(std::string(size, 'x')))));
    }
}

contender make_contender(std::string const& name, target const& to)
{
    if (name == "raw") return {name, make_raw_client(to)};
    if (name == "headwater") return {name, make_headwater_client(to)};
    if (name == "headwater over libcurl") return {name, make_headwater_over_curl_client(to)};
    if (name == "libcurl") return {name, make_curl_client(to)};
    throw std::invalid_argument("no such client: " + name);
}

constexpr char const* one_get = "one warm GET";

// What is measured of every client in every round; smaller is better.
struct experiment {
    std::string name;
    std::size_t size;
    std::size_t in_flight;
    std::size_t requests;
};

double measure_wall(client& one, experiment const& what)
{
    if (what.name == one_get) return median(one.one_by_one(object_of(what.size), what.requests));
    std::vector<wanted_get> all(what.requests, object_of(what.size));
    // A batch is what a reader asks for: a checkpoint and the records since.
    if (what.name == "batch") all.front() = object_of(checkpoint_like);
    return one.together(all, what.in_flight);
}

// User and system time of this process.
double cpu_us()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    auto const of = [](timeval const& part) {
        return static_cast<double>(part.tv_sec) * 1e6 + static_cast<double>(part.tv_usec);
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

struct measured {
    double wall_us;  // Of one request, a batch, or all of them: as the experiment says.
    double cpu_us;   // Of one request. On a machine that others use it is the steadier of the two.
};

measured measure(client& one, experiment const& what)
{
    auto const before = cpu_us();
    auto const wall = measure_wall(one, what);
    return {wall, (cpu_us() - before) / static_cast<double>(what.requests)};
}

// Clients take turns within each round, so that a ratio is one between neighbours.
void run_experiment(experiment const& what, std::vector<contender>& clients, std::size_t rounds,
                    nlohmann::ordered_json line)
{
    std::map<std::string, std::vector<double>> took;
    std::map<std::string, std::vector<double>> ratios;
    std::map<std::string, std::vector<double>> cpu;
    for (auto& [name, one] : clients) (void)measure(*one, what);  // Connections open, caches fill.
    for (std::size_t round = 0; round != rounds; ++round) {
        double floor = 0;
        for (auto& [name, one] : clients) {
            auto const mine = measure(*one, what);
            if (name == "raw") floor = mine.wall_us;
            took[name].push_back(mine.wall_us);
            ratios[name].push_back(mine.wall_us / floor);
            cpu[name].push_back(mine.cpu_us);
        }
    }
    line["what"] = what.name;
    line["size"] = what.size;
    line["in_flight"] = what.in_flight;
    for (auto const& [name, one] : clients) {
        auto mine = line;
        mine["client"] = name;
        add_spread(mine, "us", took[name]);
        if (what.name == "throughput") {
            mine["per_second"] = static_cast<double>(what.requests) / median(took[name]) * 1e6;
        }
        mine["cpu_us"] = median(cpu[name]);
        mine["to_raw_p10"] = quantile(ratios[name], 0.1);
        mine["to_raw"] = median(ratios[name]);
        mine["to_raw_p90"] = quantile(ratios[name], 0.9);
        emit(mine);
    }
}

void run_transport(options const& wanted)
{
    target to;
    to.port = wanted.text("--port");
    to.ca_file = wanted.text("--ca");
    place_objects(to);
    if (auto const only = wanted.text("--only"); !only.empty()) {
        auto const alone = make_contender(only, to);
        (void)alone.one->one_by_one(object_of(wanted.number("--size", small)), wanted.number("--gets", 200));
        return;
    }
    std::vector<contender> clients;
    for (auto const* name : {"raw", "headwater", "libcurl", "headwater over libcurl"}) {
        clients.push_back(make_contender(name, to));
    }
    auto const rounds = wanted.number("--rounds", 21);
    auto const part = wanted.number("--part", 1);
    nlohmann::ordered_json const line{{"bench", "transport"}, {"tls", to.tls()}};
    for (auto each : {experiment{one_get, small, 1, 300}, experiment{one_get, checkpoint_like, 1, 300},
                      experiment{"batch", record_like, 50, 50}, experiment{"throughput", small, 1, 500},
                      experiment{"throughput", small, 8, 2'000}, experiment{"throughput", small, 50, 4'000}}) {
        if (each.name != "batch") each.requests = std::max(each.requests / part, each.in_flight);
        run_experiment(each, clients, rounds, line);
    }
}

}  // namespace
}  // namespace headwater::bench

int main(int count, char** words)
try {
    headwater::bench::run_transport(headwater::bench::options(count, words));
} catch (std::exception const& what) {
    std::fprintf(stderr, "bench_transport: %s\n", what.what());
    return 1;
}
