// What was written is what is read: whole, in part, or not again.
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

awaitable<void> round_trip(trial& on)
{
    auto const written = co_await on.put("a/b", "content");
    auto const read = co_await on.get("a/b");
    if (!on.ok(written, "put") || !on.ok(read, "get")) co_return;
    on.holds(read->content.view() == "content", "get gave other bytes than were put");
    on.holds(read->full_size == 7, "get gave another size than was put");
    on.holds(!read->tag.empty(), "get gave no etag");
    on.holds(read->tag == written->tag, "put and get gave different etags");
    on.holds(read->last_modified.has_value(), "get gave no time of the last change");
}

awaitable<void> head_tells_size_and_etag(trial& on)
{
    auto const written = co_await on.put("k", "content");
    auto const meta = co_await on.head("k");
    if (!on.ok(written, "put") || !on.ok(meta, "head")) co_return;
    on.holds(meta->key == object_key("k"), "head spoke of another key");
    on.holds(meta->size == 7, "head gave another size than was put");
    on.holds(meta->tag == written->tag, "put and head gave different etags");
    on.holds(meta->last_modified.has_value(), "head gave no time of the last change");
}

awaitable<void> absent_is_not_found(trial& on)
{
    auto const none = co_await on.get("absent");
    on.fails_with(none, errc::not_found, "get of an absent key");
    auto const no_head = co_await on.head("absent");
    on.fails_with(no_head, errc::not_found, "head of an absent key");
    auto const written = co_await on.put("k", "content");
    on.ok(written, "put");
    auto const below = co_await on.get("k/below");
    on.fails_with(below, errc::not_found, "get below a key");
    auto const beside = co_await on.get("k2");
    on.fails_with(beside, errc::not_found, "get beside a key");
}

awaitable<void> put_replaces(trial& on)
{
    auto const first = co_await on.put("k", "first content");
    auto const second = co_await on.put("k", "second");
    if (on.ok(first, "put") && on.ok(second, "put")) {
        on.holds(first->tag != second->tag, "two contents have the same etag");
    }
    co_await on.has_content("k", "second");
}

awaitable<void> empty_body(trial& on)
{
    auto const made = co_await on.create("k", "");
    if (on.ok(made, "create")) on.holds(made->created, "the create of a new key lost");
    auto const read = co_await on.get("k");
    if (on.ok(read, "get")) on.holds(read->full_size == 0, "an empty object has a size");
    auto const again = co_await on.create("k", "");
    if (on.ok(again, "create")) on.holds(!again->created, "an empty object was created twice");
    auto const meta = co_await on.head("k");
    if (on.ok(meta, "head")) on.holds(meta->size == 0, "an empty object has a size");
}

awaitable<void> body_of_8_mib(trial& on)
{
    std::string content(8u << 20, '\0');
    for (std::size_t at = 0; at < content.size(); ++at) content[at] = static_cast<char>(at * 2654435761u >> 13);
    auto const written = co_await on.put("k", content);
    if (!on.ok(written, "put")) co_return;
    auto const read = co_await on.get("k");
    if (on.ok(read, "get")) on.holds(read->content.view() == content, "8 MiB came back as other bytes");
}

awaitable<void> max_bytes_bounds_a_read(trial& on)
{
    auto const written = co_await on.put("k", "12345678");
    on.ok(written, "put");
    auto const fits = co_await on.get("k", get_options{.max_bytes = 8});
    on.ok(fits, "get of just so many bytes");
    auto const larger = co_await on.get("k", get_options{.max_bytes = 7});
    on.fails_with(larger, errc::limit_exceeded, "get of an object over max_bytes");
    auto const part = co_await on.get("k", get_options{.range = byte_range{0, 6}, .max_bytes = 7});
    on.ok(part, "get of a range within max_bytes");
}

awaitable<void> ranges(trial& on)
{
    struct row {
        byte_range range;
        std::string_view content;
    };
    constexpr row rows[] = {{{0, 0}, "0"}, {{2, 4}, "234"}, {{7, 9}, "789"}, {{8, 100}, "89"}, {{9, ~0ull}, "9"}};
    auto const written = co_await on.put("k", "0123456789");
    for (auto const& [range, content] : rows) {
        auto const read = co_await on.get("k", get_options{.range = range});
        if (!on.ok(read, "get of a range")) continue;
        on.holds(read->content.view() == content, "a range gave other bytes than asked for");
        on.holds(read->full_size == 10, "a range did not tell the object's full size");
        if (written) on.holds(read->tag == written->tag, "a range has another etag than its object");
    }
    auto const beyond = co_await on.get("k", get_options{.range = byte_range{10, 12}});
    on.fails_with(beyond, errc::invalid_argument, "a range that begins at the end");
}

awaitable<void> conditional_get(trial& on)
{
    auto const first = co_await on.put("k", "first");
    if (!on.ok(first, "put")) co_return;
    auto const seen = first->tag.text();
    auto const same = co_await on.get("k", get_options{.if_none_match = seen});
    on.fails_with(same, errc::not_modified, "get with the current etag in If-None-Match");
    auto const second = co_await on.put("k", "second");
    on.ok(second, "put");
    auto const changed = co_await on.get("k", get_options{.if_none_match = seen});
    if (on.ok(changed, "get with an old etag in If-None-Match")) {
        on.holds(changed->content.view() == "second", "get gave old bytes");
    }
}

}  // namespace

std::vector<conformance_check> reading_checks()
{
    constexpr std::string_view theme = "reading";
    return {
        {"round_trip", theme, true, round_trip},
        {"head_tells_size_and_etag", theme, true, head_tells_size_and_etag},
        {"absent_is_not_found", theme, true, absent_is_not_found},
        {"put_replaces", theme, true, put_replaces},
        {"empty_body", theme, true, empty_body},
        {"body_of_8_mib", theme, true, body_of_8_mib},
        {"max_bytes_bounds_a_read", theme, true, max_bytes_bounds_a_read},
        {"ranges", theme, true, ranges},
        {"conditional_get", theme, true, conditional_get},
    };
}

}  // namespace headwater::conformance
