// kept_graph: small_graph with the upkeep verbs in virtual time.
#pragma once

#include "tests/unit/log/small_graph.hpp"

#include <headwater/cleanup.hpp>
#include <headwater/repair.hpp>
#include <headwater/stores.hpp>
#include <headwater/verify.hpp>

#include <string>
#include <vector>

namespace headwater::test {

class kept_graph : public small_graph {
public:
    using small_graph::small_graph;

    static cleanup_options keep(std::uint64_t count, bool quiesced = false)
    {
        cleanup_options how;
        how.keep = count;
        how.confirm = true;
        how.quiesced = quiesced;
        return how;
    }
    cleanup_report clean(cleanup_options how, root_sink roots = {})
    {
        return must(cleanup(*store, time, how, std::move(roots)));
    }
    /// Kinds of all findings, each with a `!` if corrupt.
    std::vector<std::string> findings(bool deep = false)
    {
        verify_options how;
        how.deep = deep;
        std::vector<std::string> out;
        for (auto const& each : must(verify(*store, time, how)).findings) {
            out.push_back(std::string(to_string(each.kind)) + (each.corrupt ? "!" : ""));
        }
        return out;
    }
    repair_report mend(bool confirm = true)
    {
        repair_options how;
        how.confirm = confirm;
        return must(repair(*store, time, how));
    }
    bool has(object_key const& key) { return run(time, store->head(key)).has_value(); }
    std::uint64_t floor() { return metadata_of(stream_id()).floor.value(); }
    stream_metadata metadata_of(stream_id const& stream)
    {
        return *decode_stream_metadata(get(layout::metadata(stream)).view(), stream);
    }
    void put_metadata(stream_metadata const& value)
    {
        put(layout::metadata(*stream_id::parse(value.stream)), std::string(encode(value)->view()));
    }
    /// A record with a change that keeps it readable.
    template <class Change>
    void change_record(std::uint64_t seq, Change change)
    {
        auto value = *decode_record(get(record_at(seq)).view(), stream_id(), sequence(seq));
        change(value);
        put(record_at(seq), std::string(encode(value)->view()));
    }
    /// A child of main, forked at `fork`, a boundary.
    stream_id fork(std::string const& name, std::uint64_t fork)
    {
        auto const stream = *stream_id::parse(name + ".01ARZ3NDEKTSV4RRFFQ69G5FAV");
        auto first = *decode_checkpoint(get(checkpoint_at(fork)).view(), stream_id(), sequence(fork));
        first.stream = stream.text();
        put(layout::checkpoint(stream, sequence(fork)), std::string(encode(first)->view()));
        branch_pointer pointer;
        pointer.logical = name;
        pointer.stream = stream.text();
        put(layout::name(stream.logical()), std::string(encode(pointer)->view()));
        stream_metadata metadata;
        metadata.stream = stream.text();
        metadata.logical = name;
        metadata.creator = "test";
        metadata.floor = sequence(fork);
        stream_metadata::parent_type parent;
        parent.stream = "main";
        parent.seq = sequence(fork);
        parent.id = first.header.head_commit_id;
        metadata.parent = parent;
        put_metadata(metadata);
        return stream;
    }
};

}  // namespace headwater::test
