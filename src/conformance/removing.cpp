// Removing is done when the object is gone, whoever removed it.
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

awaitable<void> remove_is_done_when_gone(trial& on)
{
    auto const nothing = co_await on.remove("absent");
    on.ok(nothing, "remove of an absent key");
    auto const written = co_await on.put("k", "content");
    on.ok(written, "put");
    auto const removed = co_await on.remove("k");
    on.ok(removed, "remove");
    auto const read = co_await on.get("k");
    on.fails_with(read, errc::not_found, "get of a removed key");
    auto const again = co_await on.remove("k");
    on.ok(again, "remove again");
    auto const made = co_await on.create("k", "new");
    if (on.ok(made, "create")) on.holds(made, made->created, "the create of a removed key lost");
}

awaitable<void> remove_leaves_its_neighbours(trial& on)
{
    key_list const keys = {"a/b", "a/bc", "a/b.c", "ab"};
    co_await on.fill(keys);
    auto const removed = co_await on.remove("a/b");
    on.ok(removed, "remove");
    key_list const rest = {"a/bc", "a/b.c", "ab"};
    for (auto const& key : rest) co_await on.has_content(key, key);
}

awaitable<void> remove_many_tells_of_each_key(trial& on)
{
    key_list names = {"\u00fc \u65e5\u672c \U0001F642"};
    for (char each = ' '; each <= '~'; ++each) {
        if (each != '\\') names.push_back("x" + std::string(1, each) + "y");  // Azure would make a slash of it.
    }
    key_list const stays = {"stays"};
    co_await on.fill(names);
    co_await on.fill(stays);
    names.emplace_back("absent");
    std::vector<object_key> keys;
    for (auto const& each : names) keys.emplace_back(each);
    auto const gone = co_await on.store().remove_many(keys);
    if (!on.ok(gone, "remove_many")) co_return;
    on.holds(gone, gone->failed.empty(), "remove_many left keys that may be removed");
    auto const left = co_await on.list_all("", list_options());
    on.same(left.keys, stays, "what remove_many left");
}

}  // namespace

std::vector<conformance_check> removing_checks()
{
    constexpr std::string_view theme = "removing";
    return {
        {"remove_is_done_when_gone", theme, true, remove_is_done_when_gone},
        {"remove_many_tells_of_each_key", theme, true, remove_many_tells_of_each_key},
        {"remove_leaves_its_neighbours", theme, true, remove_leaves_its_neighbours},
    };
}

}  // namespace headwater::conformance
