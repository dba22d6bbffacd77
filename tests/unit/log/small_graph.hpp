// small_graph: a graph in memory with a short interval, and hands to damage it.
#pragma once

#include "src/format/object_layout.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/run.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>
#include <headwater/record.hpp>

#include <functional>
#include <memory>
#include <string>

namespace headwater::test {

class small_graph {
public:
    static constexpr std::uint64_t interval = 5;
    static constexpr std::uint64_t tables = 4;

    explicit small_graph(memory_options how = {}, std::uint64_t carry_limit = default_carry_limit)
        : store(make_memory_store(time, how)), chance(make_seeded_random(1))
    {
        init_options options;
        options.checkpoint_interval = interval;
        options.carry_limit = carry_limit;
        (void)must(init_graph(*store, time, *chance, options));
    }

    template <class T>
    T must(task<T> work)
    {
        auto answer = run(time, std::move(work));
        if (!answer) throw failure(answer.error());
        return std::move(*answer);
    }

    template <class T>
    error must_fail(task<T> work)
    {
        auto answer = run(time, std::move(work));
        return answer ? error() : answer.error();
    }

    /// The n-th commit registers a table while there are fewer than `tables`, then pins them in turn.
    static result<intent> wish(snapshot const& now)
    {
        auto const seq = now.seq().value() + 1;
        auto const id = (seq - 1) % tables + 1;
        auto const key = "node:T" + std::to_string(id);
        if (seq <= tables) return a_first_version(table(id), key);
        intent out;
        out.pins.push_back(a_pin(table(id), key, seq));
        return out;
    }

    /// Publishes until the newest record is `newest`, with checkpoints and hints.
    void grow(std::uint64_t newest)
    {
        publisher writer(*store, "main", time, *chance);
        auto now = must(writer.current()).seq().value();
        for (; now < newest; ++now) {
            (void)must(writer.publish(wish));
            (void)must(writer.upkeep());
        }
    }

    snapshot read()
    {
        reader main(*store, "main", time);
        return must(main.current());
    }

    bytes get(object_key const& key)
    {
        get_options const whole;
        return must(store->get(key, whole)).content;
    }
    void put(object_key const& key, std::string content) { (void)must(store->put(key, bytes(std::move(content)))); }
    void remove(object_key const& key) { (void)must(store->remove(key)); }

    /// Writes a record again, changed.
    void rewrite(std::uint64_t seq, std::function<void(record&)> const& change)
    {
        auto value = decode_record(get(record_at(seq)).view(), stream_id(), sequence(seq));
        change(*value);
        put(record_at(seq), std::string(encode(*value)->view()));
    }

    /// As cleanup does, but for what it deletes.
    void raise_floor(std::uint64_t floor)
    {
        auto metadata = decode_stream_metadata(get(layout::metadata(stream_id())).view(), stream_id());
        metadata->floor = sequence(floor);
        put(layout::metadata(stream_id()), std::string(encode(*metadata)->view()));
    }
    /// As a branch's deletion does.
    void retire(std::uint64_t final_seq)
    {
        auto metadata = decode_stream_metadata(get(layout::metadata(stream_id())).view(), stream_id());
        stream_metadata::retired_type end;
        end.by = "test";
        end.final_seq = sequence(final_seq);
        metadata->retired = end;
        put(layout::metadata(stream_id()), std::string(encode(*metadata)->view()));
    }

    static object_key record_at(std::uint64_t seq) { return layout::record(stream_id(), sequence(seq)); }
    static object_key checkpoint_at(std::uint64_t seq) { return layout::checkpoint(stream_id(), sequence(seq)); }
    static object_key hint_key() { return layout::hint(stream_id()); }

    virtual_clock time;
    std::unique_ptr<object_store> store;
    std::unique_ptr<random> chance;
};

}  // namespace headwater::test
