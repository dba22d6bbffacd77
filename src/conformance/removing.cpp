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

}  // namespace

std::vector<conformance_check> removing_checks()
{
    constexpr std::string_view theme = "removing";
    return {
        {"remove_is_done_when_gone", theme, true, remove_is_done_when_gone},
        {"remove_leaves_its_neighbours", theme, true, remove_leaves_its_neighbours},
    };
}

}  // namespace headwater::conformance
