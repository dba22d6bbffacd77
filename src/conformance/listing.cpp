// A listing gives every key once, page by page, and nothing else.
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

awaitable<void> list_of_nothing_has_no_keys(trial& on)
{
    auto const whole = co_await on.list_all("", list_options());
    on.holds(whole.keys.empty(), "a listing of nothing has keys");
    auto const below = co_await on.list_all("no/such/", list_options());
    on.holds(below.keys.empty(), "a listing below a prefix that nothing has gave keys");
}

awaitable<void> list_shows_each_write_at_once(trial& on)
{
    key_list keys;
    for (auto const& key : numbered("k", 5)) {
        auto const made = co_await on.create(key, key);
        on.ok(made, "create");
        keys.push_back(key);
        auto const whole = co_await on.list_all("", list_options());
        on.same(sorted(whole.keys), keys, "a listing right after a create");
    }
    auto const removed = co_await on.remove(keys.front());
    on.ok(removed, "remove");
    keys.erase(keys.begin());
    auto const whole = co_await on.list_all("", list_options());
    on.same(sorted(whole.keys), keys, "a listing right after a remove");
}

awaitable<void> list_tells_sizes(trial& on)
{
    auto const written = co_await on.put("k", "12345");
    on.ok(written, "put");
    std::string const everything;
    auto const page = co_await on.store().list(everything, list_options());
    if (!on.ok(page, "list") || !on.holds(page->objects.size() == 1, "one object is not listed as one")) co_return;
    on.holds(page->objects.front().size == 5, "a listing gave another size than was put");
    on.holds(page->objects.front().last_modified.has_value(), "a listing gave no time of the last change");
}

awaitable<void> list_order_is_that_of_bytes(trial& on)
{
    if (!on.store().capabilities().ordered_listing) co_return on.disclaim("listings come in no order");
    key_list const keys = {"a", "B", "a-b", "a.b", "a/b", "aa", "a0", "é", "z", "~", "18446744073709551614", "9"};
    co_await on.fill(keys);
    auto const whole = co_await on.list_all("", list_options());
    on.same(whole.keys, sorted(keys), "a listing");
    auto const small = co_await on.list_all("", list_options{.max_keys = 3});
    on.same(small.keys, sorted(keys), "a listing in pages of 3");
}

awaitable<void> list_goes_on_past_one_page(trial& on)
{
    auto const keys = numbered("page/", 1050);
    co_await on.fill(keys);
    auto const whole = co_await on.list_all("", list_options());
    on.same(sorted(whole.keys), keys, "a listing of 1,050 keys");
    on.holds(whole.pages >= 2, "more than 1,000 keys came in one page");
}

awaitable<void> list_pages_of_any_size_give_each_key_once(trial& on)
{
    auto const keys = numbered("k", 20);
    co_await on.fill(keys);
    for (std::uint32_t const size : {1u, 7u, 19u, 20u, 21u}) {
        auto const whole = co_await on.list_all("", list_options{.max_keys = size});
        on.same(sorted(whole.keys), keys, "a listing in pages of " + std::to_string(size));
    }
}

awaitable<void> list_prefix_is_a_string(trial& on)
{
    key_list const keys = {"a", "abx", "ab/c", "abd/e", "ac", "b/ab"};
    co_await on.fill(keys);
    auto const ab = co_await on.list_all("ab", list_options());
    on.same(sorted(ab.keys), {"ab/c", "abd/e", "abx"}, "a listing of the prefix ab");
    auto const folder = co_await on.list_all("ab/", list_options());
    on.same(sorted(folder.keys), {"ab/c"}, "a listing of the prefix ab/");
    auto const whole_key = co_await on.list_all("b/ab", list_options());
    on.same(sorted(whole_key.keys), {"b/ab"}, "a listing of a whole key");
}

awaitable<void> list_delimiter_groups(trial& on)
{
    key_list const keys = {"a/1", "a/2", "a/x/3", "b", "c/4", "c-5"};
    co_await on.fill(keys);
    auto const top = co_await on.list_all("", list_options{.delimiter = "/"});
    on.same(sorted(top.keys), {"b", "c-5"}, "a listing with a delimiter");
    on.same(sorted(top.prefixes), {"a/", "c/"}, "the groups of a listing with a delimiter");
    auto const below = co_await on.list_all("a/", list_options{.delimiter = "/"});
    on.same(sorted(below.keys), {"a/1", "a/2"}, "a listing of a folder");
    on.same(sorted(below.prefixes), {"a/x/"}, "the groups of a listing of a folder");
    auto const one_by_one = co_await on.list_all("", list_options{.delimiter = "/", .max_keys = 1});
    on.same(sorted(one_by_one.keys), {"b", "c-5"}, "a listing with a delimiter in pages of 1");
    on.same(sorted(one_by_one.prefixes), {"a/", "c/"}, "the groups of a listing in pages of 1");
}

awaitable<void> list_start_after_is_exclusive(trial& on)
{
    auto const keys = numbered("k", 10);
    co_await on.fill(keys);
    auto const rest = key_list(keys.begin() + 4, keys.end());
    auto const after = co_await on.list_all("", list_options{.start_after = "k00003"});
    on.same(sorted(after.keys), rest, "a listing after a key");
    auto const between = co_await on.list_all("", list_options{.start_after = "k00003x"});
    on.same(sorted(between.keys), rest, "a listing after what is no key");
    auto const paged = co_await on.list_all("k", list_options{.start_after = "k00003", .max_keys = 2});
    on.same(sorted(paged.keys), rest, "a listing after a key in pages of 2");
    auto const none = co_await on.list_all("", list_options{.start_after = "k00009"});
    on.holds(none.keys.empty(), "a listing after the last key has keys");
    auto const early = co_await on.list_all("k", list_options{.start_after = "a"});
    on.same(sorted(early.keys), keys, "a listing after what is before the prefix");
}

}  // namespace

std::vector<conformance_check> listing_checks()
{
    constexpr std::string_view theme = "listing";
    return {
        {"list_of_nothing_has_no_keys", theme, true, list_of_nothing_has_no_keys},
        {"list_shows_each_write_at_once", theme, true, list_shows_each_write_at_once},
        {"list_tells_sizes", theme, true, list_tells_sizes},
        {"list_order_is_that_of_bytes", theme, true, list_order_is_that_of_bytes},
        {"list_goes_on_past_one_page", theme, true, list_goes_on_past_one_page},
        {"list_pages_of_any_size_give_each_key_once", theme, true, list_pages_of_any_size_give_each_key_once},
        {"list_prefix_is_a_string", theme, true, list_prefix_is_a_string},
        {"list_delimiter_groups", theme, true, list_delimiter_groups},
        {"list_start_after_is_exclusive", theme, true, list_start_after_is_exclusive},
    };
}

}  // namespace headwater::conformance
