// Published once, in memory; placed by plain writes, many at once.
#include "bench/support/history.hpp"

#include "bench/support/keys.hpp"
#include "bench/support/must.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/random.hpp>
#include <headwater/stream_metadata.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <exception>

namespace headwater::bench {

namespace {

namespace asio = boost::asio;

constexpr std::uint64_t registering_commits = 10;
constexpr std::uint64_t pins_a_commit = 3;
constexpr std::size_t writes_at_once = 32;

std::string table_key(std::uint64_t id) { return (id % 2 == 0 ? "node:Table" : "edge:Table") + std::to_string(id); }

registration nth_registration(std::uint64_t id)
{
    registration out;
    out.table = {id, 1};
    out.table_key = table_key(id);
    out.location = "tables/table-" + std::to_string(id) + "-6f1c0b1e";
    return out;
}

pin_change nth_pin(std::uint64_t id, std::uint64_t version)
{
    pin_change out;
    out.table = {id, 1};
    out.table_key = table_key(id);
    out.version.target_version = version;
    out.version.staged_version = (1ULL << 63) + version;
    out.version.transaction_uuid = "6f1c0b1e-0000-4000-8000-00000000000" + std::to_string(version % 10);
    out.version.entity_count = version * 1000;
    return out;
}

bytes without_carry(bytes const& stored, std::uint64_t seq)
{
    auto value = must(decode_record(stored.view(), stream_id(), sequence(seq)));
    value.carried.reset();
    value.state_digest.reset();
    return must(encode(value));
}

// The graph's marker, that says so to readers.
bytes carrying_nothing(bytes const& marker)
{
    auto value = must(decode_graph_format(marker.view()));
    value.carry_limit = 0;
    return must(encode(value));
}

}  // namespace

intent nth_commit(std::uint64_t seq, std::uint64_t tables)
{
    intent out;
    out.actor = "svc-ingestion";
    auto const share = (tables + registering_commits - 1) / registering_commits;
    auto const last = std::min(tables, seq * share);
    for (auto id = (seq - 1) * share + 1; id <= last; ++id) {
        out.registrations.push_back(nth_registration(id));
        out.pins.push_back(nth_pin(id, seq));
    }
    if (!out.pins.empty()) return out;
    // A stride that meets every table in turn, neighbours apart.
    for (std::uint64_t i = 0; i != std::min(pins_a_commit, tables); ++i) {
        out.pins.push_back(nth_pin((seq * pins_a_commit + i) % tables + 1, seq));
    }
    return out;
}

history::history(std::uint64_t depth, std::uint64_t tables) : depth_(depth), tables_(tables)
{
    auto const time = make_system_clock();
    auto const store = make_memory_store(*time);
    asio::io_context io(1);
    std::exception_ptr thrown;
    asio::co_spawn(io, make(*store), [&](std::exception_ptr what) { thrown = what; });
    io.run();
    if (thrown) std::rethrow_exception(thrown);
}

asio::awaitable<void> history::make(object_store& store)
{
    co_await publish_all(store);
    co_await keep_all(store);
}

commit_id history::id_at(std::uint64_t seq) const
{
    return must(decode_record(records_.at(seq).view(), stream_id(), sequence(seq))).id;
}

asio::awaitable<void> history::publish_all(object_store& store) const
{
    auto const time = make_system_clock();
    auto const chance = make_seeded_random(7);
    init_options options;
    options.checkpoint_interval = interval;
    (void)must(co_await init_graph(store, *time, *chance, options));
    publisher writer(store, "main", *time, *chance);
    publisher::plan const next = [this](snapshot const& now) -> result<intent> {
        return nth_commit(now.seq().value() + 1, tables_);
    };
    for (std::uint64_t seq = 1; seq <= depth_; ++seq) {
        (void)must(co_await writer.publish(next));
        (void)must(co_await writer.upkeep());
    }
}

asio::awaitable<void> history::keep_all(object_store& store)
{
    get_options const whole;
    for (auto const& name : {keys::format(), keys::metadata()}) {
        object_key const key(name);
        opening_.emplace_back(key, must(co_await store.get(key, whole)).content);
    }
    for (std::uint64_t seq = 1; seq <= depth_; ++seq) {
        object_key const key(keys::record(seq));
        auto content = must(co_await store.get(key, whole)).content;
        plain_records_[seq] = without_carry(content, seq);
        records_[seq] = std::move(content);
        if (seq % interval != 0) continue;
        object_key const boundary(keys::checkpoint(seq));
        checkpoints_[seq] = must(co_await store.get(boundary, whole)).content;
    }
}

hint history::true_hint(std::uint64_t newest) { return {sequence(newest), sequence(newest - newest % interval)}; }

asio::awaitable<void> history::place(object_store& to, std::uint64_t above, std::uint64_t newest,
                                     history_shape shape) const
{
    auto objects = opening_;
    if (!shape.carry) objects.front().second = carrying_nothing(objects.front().second);
    for (auto seq = above + 1; seq <= newest; ++seq) {
        auto const& content = shape.carry ? records_.at(seq) : plain_records_.at(seq);
        objects.emplace_back(object_key(keys::record(seq)), content);
        if (!shape.checkpoints || seq % interval != 0) continue;
        objects.emplace_back(object_key(keys::checkpoint(seq)), checkpoints_.at(seq));
    }
    objects.emplace_back(object_key(keys::hint()), encode(true_hint(newest)));
    co_await put_all(to, std::move(objects));
}

asio::awaitable<void> put_all(object_store& to, std::vector<std::pair<object_key, bytes>> objects)
{
    for (std::size_t from = 0; from < objects.size(); from += writes_at_once) {
        std::vector<task<put_answer>> batch;
        for (auto at = from; at < std::min(from + writes_at_once, objects.size()); ++at) {
            batch.push_back(to.put(objects[at].first, objects[at].second));
        }
        auto const answers = co_await at_once(std::move(batch));
        for (auto const& each : answers) {
            if (!each) throw failure(each.error());
        }
    }
}

}  // namespace headwater::bench
