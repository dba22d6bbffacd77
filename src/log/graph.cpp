// First the store's proof, then two conditional creates; the marker last, so that a graph is there only when it is
// whole.
#include <headwater/graph.hpp>

#include "src/format/object_layout.hpp"
#include "src/log/commit_ids.hpp"

#include <headwater/probe.hpp>

#include <algorithm>
#include <utility>

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

error marker_lost(object_store const& store, std::string const& left)
{
    diagnostics why("init", layout::format().text(),
                    "there is a graph in " + store.address() + " whose marker is lost, since " + left
                        + " stands: put this object back as it was, from a version or a copy that the store keeps; a "
                          "new one would give what is there another identity");
    return {errc::corrupt, std::move(why)};
}

// Whether it stands. Without list permission S3 says 403 of what is absent: then the create decides.
task<bool> object_stands(object_store& store, object_key key)
{
    auto const there = co_await store.head(std::move(key));
    if (there) co_return true;
    bool const may_be_absent = there.error() == errc::not_found || there.error() == errc::access_denied;
    if (!may_be_absent) co_return there.error();
    co_return false;
}

task<void> expect_no_marker(object_store& store)
{
    object_key marker = layout::format();
    auto const there = co_await object_stands(store, marker);
    if (!there) co_return there.error();
    if (*there) co_return already_there(store, marker);
    co_return result<void>();
}

// What an `init` that was stopped leaves, the metadata of main alone, is no such folder.
bool is_of_a_graph(std::string const& folder)
{
    return folder == layout::names_prefix() || folder == layout::tombstones_prefix()
           || layout::parse_record_prefix(folder);
}

// Is the place free? Streams or names without a marker are a graph that has lost it. One request, where listing is
// allowed and tells enough.
task<void> look_for_graph(object_store& store)
{
    if (!store.capabilities().list_allowed) co_return co_await expect_no_marker(store);
    list_options how;
    how.delimiter = "/";
    auto prefix = layout::graph_prefix();
    auto const page = co_await store.list(std::move(prefix), how);
    bool const tells_nothing = !page
                               && (page.error() == errc::access_denied || page.error() == errc::unsupported
                                   || page.error() == errc::not_found);
    if (tells_nothing) co_return co_await expect_no_marker(store);
    if (!page) co_return page.error();
    object_key const marker = layout::format();
    auto const is_marker = [&](object_meta const& each) { return each.key == marker; };
    if (std::ranges::any_of(page->objects, is_marker)) co_return already_there(store, marker);
    auto const left = std::ranges::find_if(page->common_prefixes, is_of_a_graph);
    if (left == page->common_prefixes.end() && !page->next) co_return result<void>();
    // It may be on a later page.
    auto const absent = co_await expect_no_marker(store);
    if (!absent) co_return absent.error();
    if (left == page->common_prefixes.end()) co_return result<void>();
    co_return marker_lost(store, *left);
}

// The metadata of main stood there before: an `init` was stopped, or somebody lost the marker.
task<void> look_beside_main(object_store& store, bool looked)
{
    if (!looked) {
        auto const free = co_await look_for_graph(store);
        if (!free) co_return free.error();
    }
    // Where nothing is listed, the hint tells of commits.
    object_key hint = layout::hint(stream_id());
    auto const began = co_await object_stands(store, hint);
    if (!began) co_return began.error();
    if (!*began) co_return result<void>();
    auto const absent = co_await expect_no_marker(store);
    if (!absent) co_return absent.error();
    co_return marker_lost(store, hint.text());
}

// Before anything is written: is the place free, and may its store be trusted with a graph?
task<void> prove(object_store& store, clock& time, random& chance)
{
    auto const free = co_await look_for_graph(store);
    if (!free) co_return free.error();
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
    if (!first->created) {
        auto const free = co_await look_beside_main(store, !options.proven);
        if (!free) co_return free.error();
    }

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
