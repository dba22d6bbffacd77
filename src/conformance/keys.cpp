// A key is a string of bytes: none is normalised into another.
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

// Some servers would turn these into another key: an adapter may refuse them, before it sends anything.
bool may_be_refused(std::string_view key)
{
    auto const path = '/' + std::string(key) + '/';
    return key.find('\\') != key.npos || path.find("/./") != path.npos || path.find("/../") != path.npos;
}

awaitable<bool> is_refused(trial& on, std::string const& key)
{
    auto const read = co_await on.get(key);
    co_return may_be_refused(key) && !read && read.error() == errc::invalid_argument;
}

awaitable<void> is_own_object(trial& on, std::string const& key)
{
    auto const made = co_await on.create(key, key);
    if (!on.ok(made, key)) co_return;
    on.holds(made, made->created, "the create of the new key " + key + " lost: it was taken for another");
    co_await on.has_content(key, key);
    auto const meta = co_await on.head(key);
    if (on.ok(meta, key)) on.holds(meta->key.text() == key, "head of " + key + " speaks of another key");
    auto const replaced = co_await on.put(key, "updated");
    on.ok(replaced, key);
    co_await on.has_content(key, "updated");
}

awaitable<void> is_refused_by_all(trial& on, std::string const& key)
{
    auto const written = co_await on.put(key, key);
    on.fails_with(written, errc::invalid_argument, "put of " + key);
    auto const made = co_await on.create(key, key);
    on.fails_with(made, errc::invalid_argument, "create of " + key);
    auto const meta = co_await on.head(key);
    on.fails_with(meta, errc::invalid_argument, "head of " + key);
    auto const removed = co_await on.remove(key);
    on.fails_with(removed, errc::invalid_argument, "remove of " + key);
}

awaitable<void> each_is_its_own_object(trial& on, key_list keys)
{
    key_list kept;
    for (auto const& key : keys) {
        bool const refused = co_await is_refused(on, key);
        if (refused) {
            on.differs("the key " + key + " is refused");
            co_await is_refused_by_all(on, key);
            continue;
        }
        co_await is_own_object(on, key);
        kept.push_back(key);
    }
    auto const whole = co_await on.list_all("", list_options());
    on.same(sorted(whole.keys), sorted(kept), "a listing");
    for (auto const& key : kept) {
        auto const one = co_await on.list_all(key, list_options());
        on.holds(std::ranges::find(one.keys, key) != one.keys.end(),
                 "a listing of the prefix " + key + " is without it");
        auto const removed = co_await on.remove(key);
        on.ok(removed, key);
    }
    auto const rest = co_await on.list_all("", list_options());
    on.same(rest.keys, {}, "a listing after all was removed");
}

awaitable<void> keys_with_any_printable_character(trial& on)
{
    key_list keys;
    for (char each = ' '; each <= '~'; ++each) keys.push_back("c/" + std::string(1, each) + "x" + each + "y");
    return each_is_its_own_object(on, std::move(keys));
}

awaitable<void> keys_with_odd_slashes(trial& on)
{
    return each_is_its_own_object(on, {"a//b", "a///b", "a/b", "c/", "d//", "e//f/"});
}

awaitable<void> keys_with_dot_segments(trial& on)
{
    return each_is_its_own_object(on, {"a/./b", "a/../b", "..", "./c", "d/..", "a/b", "...", "a/.b", "a/..b"});
}

awaitable<void> keys_in_unicode(trial& on)
{
    return each_is_its_own_object(on, {"ü", "u\u0308", "日本/語", "🙂", "Ωmega%C3%A9", "naïve é.commit"});
}

awaitable<void> keys_in_either_case(trial& on) { return each_is_its_own_object(on, {"k", "K", "a/k", "A/k", "a/K"}); }

awaitable<void> keys_that_look_encoded(trial& on)
{
    return each_is_its_own_object(on, {"a%2Fb", "a/b", "a%252Fb", "a+b", "a b", "a%20b", "%!", "%!%2E", "a?b=c&d",
                                       "a#b", "review%2F2026.01ARZ3NDEKTSV4RRFFQ69G5FAV/latest.json"});
}

awaitable<void> keys_of_the_log(trial& on)
{
    return each_is_its_own_object(on, {"_graph/format.json", "_graph/names/review%2F2026.json",
                                       "_graph/streams/main.json", "_graph/main/18446744073709551614.commit",
                                       "_graph/main/checkpoints/00000000000000000050.json", "_graph/main/latest.json"});
}

}  // namespace

std::vector<conformance_check> key_checks()
{
    constexpr std::string_view theme = "keys";
    return {
        {"keys_of_the_log", theme, true, keys_of_the_log},
        {"keys_with_any_printable_character", theme, true, keys_with_any_printable_character},
        {"keys_with_odd_slashes", theme, true, keys_with_odd_slashes},
        {"keys_with_dot_segments", theme, true, keys_with_dot_segments},
        {"keys_in_unicode", theme, true, keys_in_unicode},
        {"keys_in_either_case", theme, true, keys_in_either_case},
        {"keys_that_look_encoded", theme, true, keys_that_look_encoded},
    };
}

}  // namespace headwater::conformance
