// fold: what it takes to make a state of a checkpoint's bytes, by the number of tables: decoded as strictly as FORMAT
// says, its digest checked, folded; beside nlohmann's DOM parse of the same bytes. And the memory at its peak.
//
//   bench_fold [--tables N] [--work N]          every width up to N
//   bench_fold --only-tables N --folds N       nothing measured: for callgrind
#include "bench/support/keys.hpp"
#include "bench/support/must.hpp"
#include "bench/support/options.hpp"
#include "bench/support/output.hpp"
#include "bench/support/world.hpp"

#include <headwater/checkpoint.hpp>
#include <headwater/graph.hpp>
#include <headwater/reader.hpp>

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

// All memory that the program holds, now and at most: what the operators below count.
struct memory_counts {
    std::size_t held = 0;
    std::size_t most = 0;
};
constinit memory_counts memory;

}  // namespace

void* operator new(std::size_t size)
{
    void* const made = std::malloc(size);
    if (!made) throw std::bad_alloc();
    memory.held += ::malloc_usable_size(made);
    memory.most = std::max(memory.most, memory.held);
    return made;
}

void operator delete(void* gone) noexcept
{
    memory.held -= ::malloc_usable_size(gone);
    std::free(gone);
}
void operator delete(void* gone, std::size_t) noexcept { operator delete(gone); }

namespace headwater::bench {
namespace {

constexpr sequence boundary(50);
constexpr std::string_view ulid_text = "01JZ0000000000000000000000";
using steady = std::chrono::steady_clock;
using milliseconds = std::chrono::duration<double, std::milli>;

head nth_head(std::uint64_t id)
{
    head out;
    out.table = {id, 1};
    out.table_key = "node:Table" + std::to_string(id);
    out.location = "tables/table-" + std::to_string(id) + "-6f1c0b1e";
    out.registered_seq = sequence(1 + id % 40);
    out.version.emplace();
    out.version->target_version = id;
    out.version->staged_version = (1ULL << 63) + id;
    out.version->transaction_uuid = "6f1c0b1e-0000-4000-8000-000000000001";
    out.version->entity_count = id * 1000;
    out.pinned_seq = boundary;
    out.head_commit_id = commit_id(std::string(ulid_text));
    return out;
}

bytes checkpoint_of(std::uint64_t tables)
{
    checkpoint out;
    out.stream = "main";
    out.header.seq = boundary;
    out.header.head_commit_id = commit_id(std::string(ulid_text));
    out.header.created_at = 1'757'900'000'000;
    for (std::uint64_t id = 1; id <= tables; ++id) out.heads.push_back(nth_head(id));
    out.state_digest = digest_of(out);
    return must(encode(out));
}

template <class Work>
double milliseconds_of(Work work)
{
    auto const began = steady::now();
    work();
    return milliseconds(steady::now() - began).count();
}

// A graph in memory whose state at the boundary is one checkpoint: reading it is decoding, checking and folding it.
class folding {
public:
    explicit folding(bytes const& content)
        : world_(make_virtual_world(1)), main_(world_->store(), "main", world_->time())
    {
        auto const chance = make_seeded_random(7);
        init_options const defaults;
        (void)must(world_->run(init_graph(world_->store(), world_->time(), *chance, defaults)));
        object_key const key(keys::checkpoint(boundary.value()));
        (void)must(world_->run(world_->store().put(key, content)));
    }

    std::size_t once() { return must(world_->run(main_.at(boundary))).heads().size(); }

private:
    std::unique_ptr<world> world_;
    reader main_;
};

void measure_width(std::uint64_t tables, std::uint64_t rounds)
{
    auto const content = checkpoint_of(tables);
    folding graph(content);
    if (graph.once() != tables) throw std::logic_error("the fold has lost tables");
    auto const before = memory.held;
    memory.most = memory.held;
    (void)graph.once();
    // Over a network the object's own bytes are there too; here the store shares them.
    auto const peak = memory.most - before + content.size();

    std::vector<double> fold_ms;
    std::vector<double> decode_ms;
    std::vector<double> dom_ms;
    std::vector<double> ratios;
    for (std::uint64_t round = 0; round != rounds; ++round) {
        dom_ms.push_back(milliseconds_of([&] {
            auto const dom = nlohmann::json::parse(content.view());
            if (dom.empty()) throw std::logic_error("the DOM is empty");
        }));
        fold_ms.push_back(milliseconds_of([&] { (void)graph.once(); }));
        decode_ms.push_back(milliseconds_of([&] {
            auto const value = must(decode_checkpoint(content.view(), stream_id(), boundary));
            if (value.heads.size() != tables) throw std::logic_error("the codec has lost tables");
        }));
        ratios.push_back(fold_ms.back() / dom_ms.back());
    }
    nlohmann::ordered_json line{{"bench", "fold"}, {"tables", tables}, {"bytes", content.size()}};
    add_spread(line, "ms", fold_ms);
    line["decode_ms_p50"] = median(decode_ms);
    line["dom_ms_p50"] = median(dom_ms);
    line["to_dom"] = median(ratios);
    line["us_per_table"] = median(fold_ms) * 1000 / static_cast<double>(tables);
    line["peak_bytes"] = peak;
    line["peak_to_bytes"] = static_cast<double>(peak) / static_cast<double>(content.size());
    emit(line);
}

void run_fold(options const& wanted)
{
    if (auto const only = wanted.number("--only-tables", 0)) {
        folding graph(checkpoint_of(only));
        for (auto left = wanted.number("--folds", 1); left > 0; --left) (void)graph.once();
        return;
    }
    auto const most = wanted.number("--tables", 100'000);
    auto const work = wanted.number("--work", 1'000'000);  // Tables folded at each width.
    for (std::uint64_t tables = 10; tables <= most; tables *= 10) {
        measure_width(tables, std::clamp<std::uint64_t>(work / tables, 7, 501));
    }
}

}  // namespace
}  // namespace headwater::bench

int main(int count, char** words)
try {
    headwater::bench::run_fold(headwater::bench::options(count, words));
} catch (std::exception const& what) {
    std::fprintf(stderr, "bench_fold: %s\n", what.what());
    return 1;
}
