// Published once, in memory; placed by plain writes, many at once.
#include "tests/cost/long_history.hpp"

#include "src/base/together.hpp"
#include "src/format/object_layout.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/stream_metadata.hpp>

#include <stdexcept>

namespace headwater::test {

namespace {

constexpr std::size_t writes_at_once = 32;

template <class T>
T must(result<T> answer)
{
    if (!answer) throw failure(answer.error());
    return std::move(*answer);
}

intent nth_wish(snapshot const& now)
{
    auto const seq = now.seq().value() + 1;
    auto const id = (seq - 1) % long_history::tables + 1;
    auto const key = "node:T" + std::to_string(id);
    if (seq <= long_history::tables) return a_first_version(table(id), key);
    intent out;
    out.pins.push_back(a_pin(table(id), key, seq));
    return out;
}

boost::asio::awaitable<void> publish_all(object_store& store)
{
    auto const time = make_system_clock();
    auto const chance = make_seeded_random(7);
    init_options options;
    options.checkpoint_interval = long_history::interval;
    (void)must(co_await init_graph(store, *time, *chance, options));
    publisher writer(store, "main", *time, *chance);
    publisher::plan const wish = [](snapshot const& now) -> result<intent> { return nth_wish(now); };
    for (std::uint64_t seq = 1; seq <= long_history::depth; ++seq) {
        (void)must(co_await writer.publish(wish));
        (void)must(co_await writer.upkeep());
    }
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

long_history const& long_history::get()
{
    static long_history const made;
    return made;
}

long_history::long_history()
{
    auto const time = make_system_clock();
    auto const store = make_memory_store(*time);
    run(publish_all(*store));
    auto const read = [&](object_key const& key) {
        get_options const whole;
        return must(run(store->get(key, whole))).content;
    };
    for (auto const& key : {layout::format(), layout::metadata(stream_id())}) opening_.emplace_back(key, read(key));
    for (std::uint64_t seq = 1; seq <= depth; ++seq) {
        auto content = read(layout::record(stream_id(), sequence(seq)));
        ids_[seq] = must(decode_record(content.view(), stream_id(), sequence(seq))).id.text();
        plain_records_[seq] = without_carry(content, seq);
        records_[seq] = std::move(content);
        if (seq % interval == 0) checkpoints_[seq] = read(layout::checkpoint(stream_id(), sequence(seq)));
    }
}

hint long_history::true_hint(std::uint64_t newest) { return {sequence(newest), sequence(newest - newest % interval)}; }

boost::asio::awaitable<void> long_history::place(object_store& to, std::uint64_t above, std::uint64_t newest,
                                                 history_shape shape) const
{
    auto objects = opening_;
    if (!shape.carry) objects.front().second = carrying_nothing(objects.front().second);
    for (auto seq = above + 1; seq <= newest; ++seq) {
        auto const& content = shape.carry ? records_.at(seq) : plain_records_.at(seq);
        objects.emplace_back(layout::record(stream_id(), sequence(seq)), content);
        if (shape.checkpoints && seq % interval == 0) {
            objects.emplace_back(layout::checkpoint(stream_id(), sequence(seq)), checkpoints_.at(seq));
        }
    }
    objects.emplace_back(layout::hint(stream_id()), encode(true_hint(newest)));
    for (std::size_t i = 0; i < objects.size(); i += writes_at_once) {
        std::vector<task<put_answer>> batch;
        for (auto j = i; j < std::min(i + writes_at_once, objects.size()); ++j) {
            batch.push_back(to.put(objects[j].first, objects[j].second));
        }
        auto const answers = co_await together(std::move(batch));
        for (auto const& each : answers) {
            if (!each) throw failure(each.error());
        }
    }
}

}  // namespace headwater::test
