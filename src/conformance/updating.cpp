// A conditional update compares and swaps.
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

awaitable<void> update_with_the_right_etag_replaces(trial& on)
{
    auto const made = co_await on.create("k", "first");
    if (!on.ok(made, "create")) co_return;
    auto const second = co_await on.update("k", "second", made->tag);
    if (!on.ok(second, "update with the etag of the create")) co_return;
    on.holds(second->tag != made->tag, "an update left the etag as it was");
    co_await on.has_content("k", "second");
    auto const third = co_await on.update("k", "third", second->tag);
    on.ok(third, "update with the etag of the update");
    co_await on.has_content("k", "third");
}

awaitable<void> update_with_a_read_etag_replaces(trial& on)
{
    auto const written = co_await on.put("k", "first");
    on.ok(written, "put");
    auto const read = co_await on.get("k");
    if (!on.ok(read, "get")) co_return;
    auto const second = co_await on.update("k", "second", read->tag);
    on.ok(second, "update with the etag of a get");
    auto const meta = co_await on.head("k");
    if (!on.ok(meta, "head")) co_return;
    auto const third = co_await on.update("k", "third", meta->tag);
    on.ok(third, "update with the etag of a head");
}

awaitable<void> update_with_a_wrong_etag_fails(trial& on)
{
    auto const made = co_await on.create("k", "first");
    if (!on.ok(made, "create")) co_return;
    auto const second = co_await on.update("k", "second", made->tag);
    if (!on.ok(second, "update")) co_return;
    auto const late = co_await on.update("k", "late", made->tag);
    on.fails_with(late, errc::precondition_failed, "update with an old etag");
    co_await on.has_content("k", "second");
}

awaitable<void> update_of_what_is_gone_fails(trial& on)
{
    auto const made = co_await on.create("k", "first");
    if (!on.ok(made, "create")) co_return;
    auto const removed = co_await on.remove("k");
    on.ok(removed, "remove");
    auto const gone = co_await on.update("k", "late", made->tag);
    on.fails_with(gone, errc::precondition_failed, "update of a removed key");
    auto const never = co_await on.update("never", "late", made->tag);
    on.fails_with(never, errc::precondition_failed, "update of a key that never was");
    auto const read = co_await on.get("k");
    on.fails_with(read, errc::not_found, "get after an update of a removed key");
}

}  // namespace

std::vector<conformance_check> updating_checks()
{
    constexpr std::string_view theme = "updating";
    return {
        {"update_with_the_right_etag_replaces", theme, true, update_with_the_right_etag_replaces},
        {"update_with_a_read_etag_replaces", theme, true, update_with_a_read_etag_replaces},
        {"update_with_a_wrong_etag_fails", theme, true, update_with_a_wrong_etag_fails},
        {"update_of_what_is_gone_fails", theme, true, update_of_what_is_gone_fails},
    };
}

}  // namespace headwater::conformance
