// micro: the codecs, the digests and the addresses, one function at a time (Google Benchmark). What has no door of its
// own, signing and XML, is measured where it is used: see transport.
#include "bench/support/history.hpp"
#include "bench/support/keys.hpp"
#include "bench/support/must.hpp"
#include "bench/support/world.hpp"

#include <headwater/adapters/url.hpp>
#include <headwater/checkpoint.hpp>
#include <headwater/digest.hpp>
#include <headwater/hint.hpp>
#include <headwater/random.hpp>
#include <headwater/record.hpp>
#include <headwater/ulid.hpp>

#include <benchmark/benchmark.h>

namespace headwater::bench {
namespace {

constexpr std::uint64_t newest = 74;
constexpr std::uint64_t tables = 217;

// The newest record, its checkpoint and the hint of a graph like that of BUDGETS.
struct sample_objects {
    bytes record_bytes;
    bytes checkpoint_bytes;
    bytes hint_bytes;

    sample_objects()
    {
        auto const where = make_virtual_world(1);
        history const graph(newest, tables);
        where->run(graph.place(where->store(), 0, newest, {}));
        get_options const whole;
        auto const read = [&](std::string const& name) {
            object_key const key(name);
            return must(where->run(where->store().get(key, whole))).content;
        };
        record_bytes = read(keys::record(newest));
        checkpoint_bytes = read(keys::checkpoint(history::interval));
        hint_bytes = read(keys::hint());
    }
};

sample_objects const& samples()
{
    static sample_objects const made;
    return made;
}

void count_bytes(benchmark::State& state, bytes const& content)
{
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(content.size()));
}

void decode_record_bench(benchmark::State& state)
{
    auto const& content = samples().record_bytes;
    for (auto _ : state) benchmark::DoNotOptimize(decode_record(content.view(), stream_id(), sequence(newest)));
    count_bytes(state, content);
}
BENCHMARK(decode_record_bench)->Name("decode record with carry");

void encode_record_bench(benchmark::State& state)
{
    auto const value = must(decode_record(samples().record_bytes.view(), stream_id(), sequence(newest)));
    for (auto _ : state) benchmark::DoNotOptimize(encode(value));
    count_bytes(state, samples().record_bytes);
}
BENCHMARK(encode_record_bench)->Name("encode record with carry");

void decode_checkpoint_bench(benchmark::State& state)
{
    auto const& content = samples().checkpoint_bytes;
    sequence const at(history::interval);
    for (auto _ : state) benchmark::DoNotOptimize(decode_checkpoint(content.view(), stream_id(), at));
    count_bytes(state, content);
}
BENCHMARK(decode_checkpoint_bench)->Name("decode checkpoint, 217 tables");

void encode_checkpoint_bench(benchmark::State& state)
{
    sequence const at(history::interval);
    auto const value = must(decode_checkpoint(samples().checkpoint_bytes.view(), stream_id(), at));
    for (auto _ : state) benchmark::DoNotOptimize(encode(value));
    count_bytes(state, samples().checkpoint_bytes);
}
BENCHMARK(encode_checkpoint_bench)->Name("encode checkpoint, 217 tables");

void digest_bench(benchmark::State& state)
{
    sequence const at(history::interval);
    auto const value = must(decode_checkpoint(samples().checkpoint_bytes.view(), stream_id(), at));
    for (auto _ : state) benchmark::DoNotOptimize(digest_of(value));
}
BENCHMARK(digest_bench)->Name("digest of 217 heads");

void digest_step_bench(benchmark::State& state)
{
    set_digest sum;
    std::string const element(350, 'x');
    for (auto _ : state) {
        sum.subtract(element);
        sum.add(element);
        benchmark::DoNotOptimize(sum);
    }
}
BENCHMARK(digest_step_bench)->Name("digest: one head changed");

void decode_hint_bench(benchmark::State& state)
{
    for (auto _ : state) benchmark::DoNotOptimize(decode_hint(samples().hint_bytes.view()));
}
BENCHMARK(decode_hint_bench)->Name("decode hint");

void sha256_bench(benchmark::State& state)
{
    std::string const content(static_cast<std::size_t>(state.range(0)), 'x');
    for (auto _ : state) benchmark::DoNotOptimize(sha256_hex(content));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(sha256_bench)->Name("sha256")->Arg(64)->Arg(4096);

void open_store_bench(benchmark::State& state)
{
    auto const where = make_virtual_world(1);
    auto const chance = make_seeded_random(1);
    environment const settings = [](std::string_view name) -> std::optional<std::string> {
        if (name == "AWS_ACCESS_KEY_ID") return "id";
        if (name == "AWS_SECRET_ACCESS_KEY") return "secret";
        if (name == "AWS_ENDPOINT_URL_S3") return "http://127.0.0.1:1";
        return {};
    };
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            open_store(where->io().get_executor(), where->time(), *chance, "s3://bucket/a/graph", settings));
    }
}
BENCHMARK(open_store_bench)->Name("open a store by its address");

}  // namespace
}  // namespace headwater::bench

BENCHMARK_MAIN();
