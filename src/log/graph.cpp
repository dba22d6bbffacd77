// Two conditional creates; the marker last, so that a graph is there only when it is whole.
#include <headwater/graph.hpp>

#include "src/format/object_layout.hpp"
#include "src/log/commit_ids.hpp"

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

}  // namespace

task<graph_format> init_graph(object_store& store, clock& time, random& chance, init_options options)
{
    if (auto good = check(options); !good) co_return good.error();
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
    if (!marker->created) {
        diagnostics why("init", format_key.text(), "there is a graph in " + store.address() + " already");
        co_return error(errc::already_exists, std::move(why));
    }
    co_return format;
}

}  // namespace headwater
