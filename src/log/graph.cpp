// First the store's proof, then two conditional creates; the marker last, so that a graph is there only when it is
// whole.
#include <headwater/graph.hpp>

#include "src/format/object_layout.hpp"
#include "src/log/commit_ids.hpp"

#include <headwater/probe.hpp>

namespace headwater {

namespace {

result<void> check(init_options const& options)
{
    if (options.checkpoint_interval == 0 || options.checkpoint_interval > max_checkpoint_interval) {
        return error(errc::invalid_argument,
                     "checkpoint_interval must be 1 to " + std::to_string(max_checkpoint_interval));
    }
    if (options.carry_limit > max_record_bytes / 2) {
        return error(errc::invalid_argument, "carry_limit must be at most half of a record, "
                                                 + std::to_string(max_record_bytes / 2) + " bytes");
    }
    return {};
}

error already_there(object_store const& store, object_key const& marker)
{
    diagnostics why("init", marker.text(), "there is a graph in " + store.address() + " already");
    return {errc::already_exists, std::move(why)};
}

// Before anything is written: is the place free, and may its store be trusted with a graph?
task<void> prove(object_store& store, clock& time, random& chance)
{
    object_key const marker = layout::format();
    auto const there = co_await store.head(marker);
    if (there) co_return already_there(store, marker);
    // Without list permission S3 says 403 of what is absent: then the create decides.
    bool const may_be_absent = there.error() == errc::not_found || there.error() == errc::access_denied;
    if (!may_be_absent) co_return there.error();
    probe_options const creates_only{.updates = false, .listing = false};
    auto const proof = co_await probe(store, time, chance, creates_only);
    if (!proof) co_return proof.error();
    co_return check_writable(*proof, store.address());
}

}  // namespace

task<graph_format> init_graph(object_store& store, clock& time, random& chance, init_options options)
{
    if (auto good = check(options); !good) co_return good.error();
    if (!options.proven) {
        auto const proven = co_await prove(store, time, chance);
        if (!proven) co_return proven.error();
    }
    auto const now = static_cast<std::uint64_t>(time.now().time_since_epoch().count());

    stream_metadata main;
    main.stream = main.logical = stream_id().text();
    main.creator = options.creator;
    main.created_at = now;
    auto const main_bytes = encode(main);
    if (!main_bytes) co_return main_bytes.error();
    object_key const main_key = layout::metadata(stream_id());
    auto first = co_await store.put_if_absent(main_key, *main_bytes);
    if (!first) co_return first.error();

    graph_format format;
    format.identity_domain = to_string(make_ulid(now, chance));
    format.checkpoint_interval = options.checkpoint_interval;
    format.carry_limit = options.carry_limit;
    format.created_at = now;
    auto const format_bytes = encode(format);
    if (!format_bytes) co_return format_bytes.error();
    object_key const format_key = layout::format();
    auto marker = co_await store.put_if_absent(format_key, *format_bytes);
    if (!marker) co_return marker.error();
    if (!marker->created) co_return already_there(store, format_key);
    co_return format;
}

}  // namespace headwater
