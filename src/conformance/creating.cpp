// A conditional create has one winner, and the winner's bytes stay.
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

awaitable<void> create_twice_keeps_the_first(trial& on)
{
    auto const first = co_await on.create("k", "first");
    auto const second = co_await on.create("k", "second");
    if (!on.ok(first, "create") || !on.ok(second, "create")) co_return;
    on.holds(first, first->created, "the create of a new key lost");
    on.holds(!first->earlier_unknown, "a create that was answered at once speaks of an earlier one");
    on.holds(second, !second->created, "If-None-Match is ignored: a second create of the same key succeeded");
    auto const read = co_await on.get("k");
    if (!on.ok(read, "get")) co_return;
    on.holds(read->content.view() == "first", "If-None-Match is ignored: the second create replaced the first");
    on.holds(read->tag == first->tag, "create and get gave different etags");
}

awaitable<void> create_over_a_put_loses(trial& on)
{
    auto const written = co_await on.put("k", "put");
    on.ok(written, "put");
    auto const made = co_await on.create("k", "create");
    if (on.ok(made, "create")) on.holds(made, !made->created, "If-None-Match is ignored: a create replaced an object");
    co_await on.has_content("k", "put");
}

awaitable<void> create_again_after_the_same_bytes_loses(trial& on)
{
    auto const first = co_await on.create("k", "same");
    on.ok(first, "create");
    auto const second = co_await on.create("k", "same");
    if (on.ok(second, "create")) {
        on.holds(second, !second->created, "If-None-Match is ignored where the bytes are the same");
    }
}

}  // namespace

std::vector<conformance_check> creating_checks()
{
    constexpr std::string_view theme = "creating";
    return {
        {"create_twice_keeps_the_first", theme, true, create_twice_keeps_the_first},
        {"create_over_a_put_loses", theme, true, create_over_a_put_loses},
        {"create_again_after_the_same_bytes_loses", theme, true, create_again_after_the_same_bytes_loses},
    };
}

}  // namespace headwater::conformance
