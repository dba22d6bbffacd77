// What the port leaves open, and where vendors go their own ways; measured against Amazon's S3.
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

bool is_quoted(etag const& tag)
{
    auto const& text = tag.text();
    return text.size() > 2 && text.front() == '"' && text.back() == '"';
}

awaitable<void> update_takes_the_etag_as_it_was_given(trial& on)
{
    auto const made = co_await on.create("k", "first");
    if (!on.ok(made, "create")) co_return;
    auto const replaced = co_await on.update("k", "second", made->tag);
    if (!on.ok(replaced, "update")) co_return;
    if (replaced->bare_etag) on.differs("If-Match takes the etag without its quotes only");
}

awaitable<void> update_takes_the_bare_etag(trial& on)
{
    auto const made = co_await on.create("k", "first");
    if (!on.ok(made, "create")) co_return;
    if (!is_quoted(made->tag)) co_return on.differs("etags have no quotes");
    etag const bare(made->tag.text().substr(1, made->tag.text().size() - 2));
    auto const replaced = co_await on.update("k", "second", bare);
    if (replaced || replaced.error() == errc::unsupported) co_return (void) on.ok(replaced, "update");
    on.differs("an update under an etag without its quotes is refused: " + brief(replaced.error()));
}

awaitable<void> etag_is_that_of_the_content(trial& on)
{
    auto const first = co_await on.put("k", "content");
    auto const second = co_await on.put("k", "content");
    if (!on.ok(first, "put") || !on.ok(second, "put")) co_return;
    if (first->tag != second->tag) on.differs("the same content written again has another etag");
}

awaitable<void> refused_create_is_412(trial& on)
{
    auto const first = co_await on.create("k", "first");
    on.ok(first, "create");
    auto const second = co_await on.create("k", "second");
    if (!on.ok(second, "create") || !on.holds(second, !second->created, "no create is refused")) co_return;
    auto const status = second->info.status;
    if (status != 412 && status != 0) on.differs("a refused create is answered with " + std::to_string(status));
}

awaitable<void> refused_create_tells_no_etag(trial& on)
{
    auto const first = co_await on.create("k", "first");
    on.ok(first, "create");
    auto const second = co_await on.create("k", "second");
    if (on.ok(second, "create") && !second->tag.empty()) on.differs("a refused create tells the etag of what is there");
}

awaitable<void> update_of_an_absent_key_is_404(trial& on)
{
    auto const written = co_await on.put("other", "content");
    if (!on.ok(written, "put")) co_return;
    auto const lost = co_await on.update("k", "late", written->tag);
    if (!on.fails_with(lost, errc::precondition_failed, "update of an absent key")) co_return;
    auto const status = lost.error().why() ? lost.error().why()->status : 0;
    if (status != 404 && status != 0) on.differs("it is answered with " + std::to_string(status));
}

awaitable<void> key_below_a_key_is_allowed(trial& on)
{
    auto const upper = co_await on.put("k", "k");
    on.ok(upper, "put");
    auto const lower = co_await on.put("k/below", "k/below");
    if (!lower) co_return on.differs("no key can lie below another one: " + brief(lower.error()));
    co_await on.has_content("k", "k");
    co_await on.has_content("k/below", "k/below");
}

awaitable<void> answers_are_dated(trial& on)
{
    auto const written = co_await on.put("k", "content");
    if (on.ok(written, "put") && !written->info.date) on.differs("answers do not tell the store's time");
}

awaitable<void> listings_are_ordered(trial& on)
{
    key_list const keys = {"a/b", "B", "a-b", "a0"};
    co_await on.fill(keys);
    auto const whole = co_await on.list_all("", list_options());
    if (whole.keys != sorted(keys)) on.differs("keys are listed in another order than that of their bytes");
}

}  // namespace

std::vector<conformance_check> vendor_checks()
{
    constexpr std::string_view theme = "vendor";
    return {
        {"update_takes_the_etag_as_it_was_given", theme, false, update_takes_the_etag_as_it_was_given},
        {"update_takes_the_bare_etag", theme, false, update_takes_the_bare_etag},
        {"update_of_an_absent_key_is_404", theme, false, update_of_an_absent_key_is_404},
        {"etag_is_that_of_the_content", theme, false, etag_is_that_of_the_content},
        {"refused_create_is_412", theme, false, refused_create_is_412},
        {"refused_create_tells_no_etag", theme, false, refused_create_tells_no_etag},
        {"key_below_a_key_is_allowed", theme, false, key_below_a_key_is_allowed},
        {"answers_are_dated", theme, false, answers_are_dated},
        {"listings_are_ordered", theme, false, listings_are_ordered},
    };
}

}  // namespace headwater::conformance
