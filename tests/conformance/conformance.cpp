// The checks. Each says what the port promises (object_store.hpp, STORE sections 1 and 2), not what one store does.
#include "tests/conformance/conformance.hpp"

#include "tests/support/all.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace headwater::conformance {

namespace {

namespace asio = boost::asio;
using test::all;

// Calls whose owning parameters are made outside of any co_await expression.
task<object> get(object_store& from, std::string_view key, get_options options = {})
{
    return from.get(object_key(key), options);
}
task<object_meta> head(object_store& from, std::string_view key) { return from.head(object_key(key)); }
task<put_answer> put(object_store& to, std::string_view key, std::string_view content)
{
    return to.put(object_key(key), bytes(content));
}
task<create_answer> create(object_store& to, std::string_view key, std::string_view content)
{
    return to.put_if_absent(object_key(key), bytes(content));
}
task<update_answer> update(object_store& to, std::string_view key, std::string_view content, etag const& expected)
{
    return to.put_if_match(object_key(key), bytes(content), expected);
}
task<remove_answer> remove(object_store& from, std::string_view key) { return from.remove(object_key(key)); }

template <class T>
bool ok(result<T> const& answer, std::string_view what)
{
    EXPECT_TRUE(answer) << what << ": " << answer.error().message();
    return bool(answer);
}

template <class T>
void expect_error(result<T> const& answer, errc code, std::string_view what)
{
    EXPECT_FALSE(answer) << what << ": succeeded";
    if (!answer) EXPECT_EQ(answer.error(), code) << what << ": " << answer.error().message();
}

asio::awaitable<void> expect_content(object_store& store, std::string_view key, std::string_view content)
{
    auto const answer = co_await get(store, key);
    if (ok(answer, key)) EXPECT_EQ(answer->content.view(), content) << key;
}

asio::awaitable<void> fill(object_store& store, std::vector<std::string> const& keys)
{
    for (std::size_t at = 0; at < keys.size(); at += 50) {
        std::vector<task<put_answer>> writes;
        for (auto each = at; each < std::min(at + 50, keys.size()); ++each) {
            writes.push_back(put(store, keys[each], keys[each]));
        }
        auto const written = co_await all(std::move(writes));
        for (auto const& each : written) ok(each, "put");
    }
}

// All pages of a listing, in the order in which they came.
struct listing {
    listing() = default;

    std::vector<std::string> keys;
    std::vector<std::string> prefixes;
    std::size_t pages = 0;
};

constexpr std::size_t max_pages = 1000;

asio::awaitable<listing> list_all(object_store& store, std::string_view prefix, list_options options)
{
    listing whole;
    std::string continuation;
    while (whole.pages < max_pages) {
        options.continuation = continuation;
        std::string const below(prefix);
        auto const page = co_await store.list(below, options);
        if (!ok(page, "list")) break;
        ++whole.pages;
        EXPECT_LE(page->objects.size() + page->common_prefixes.size(), options.max_keys);
        for (auto const& found : page->objects) whole.keys.push_back(found.key.text());
        for (auto const& group : page->common_prefixes) whole.prefixes.push_back(group);
        if (!page->next) break;
        EXPECT_NE(*page->next, continuation);
        continuation = *page->next;
    }
    EXPECT_LT(whole.pages, max_pages);
    co_return whole;
}

using names = std::vector<std::string>;

names sorted(names of)
{
    std::ranges::sort(of);
    return of;
}

names numbered(std::string_view prefix, std::size_t count)
{
    names keys;
    for (std::size_t at = 0; at < count; ++at) {
        auto digits = std::to_string(at);
        keys.push_back(std::string(prefix) + std::string(5 - digits.size(), '0') + digits);
    }
    return keys;
}

// --- reading and writing ---------------------------------------------------------------------------------------------

asio::awaitable<void> round_trip(subject& on)
{
    auto const written = co_await put(on.store, "a/b", "content");
    auto const read = co_await get(on.store, "a/b");
    if (!ok(written, "put") || !ok(read, "get")) co_return;
    EXPECT_EQ(read->content.view(), "content");
    EXPECT_EQ(read->full_size, 7u);
    EXPECT_FALSE(read->tag.empty());
    EXPECT_EQ(read->tag, written->tag);
    EXPECT_TRUE(read->last_modified);
    EXPECT_EQ(read->info.attempts, 1u);
}

asio::awaitable<void> head_tells_size_and_tag(subject& on)
{
    auto const written = co_await put(on.store, "k", "content");
    auto const meta = co_await head(on.store, "k");
    if (!ok(written, "put") || !ok(meta, "head")) co_return;
    EXPECT_EQ(meta->key, object_key("k"));
    EXPECT_EQ(meta->size, 7u);
    EXPECT_EQ(meta->tag, written->tag);
    EXPECT_TRUE(meta->last_modified);
}

asio::awaitable<void> absent_is_not_found(subject& on)
{
    expect_error(co_await get(on.store, "absent"), errc::not_found, "get");
    expect_error(co_await head(on.store, "absent"), errc::not_found, "head");
    ok(co_await put(on.store, "k", "content"), "put");
    expect_error(co_await get(on.store, "k/below"), errc::not_found, "get below a key");
    expect_error(co_await get(on.store, "k2"), errc::not_found, "get");
}

asio::awaitable<void> put_replaces(subject& on)
{
    auto const first = co_await put(on.store, "k", "first content");
    auto const second = co_await put(on.store, "k", "second");
    if (ok(first, "put") && ok(second, "put")) EXPECT_NE(first->tag, second->tag);
    co_await expect_content(on.store, "k", "second");
}

asio::awaitable<void> empty_body(subject& on)
{
    auto const made = co_await create(on.store, "k", "");
    if (ok(made, "create")) EXPECT_TRUE(made->created);
    auto const read = co_await get(on.store, "k");
    if (ok(read, "get")) EXPECT_EQ(read->full_size, 0u);
    auto const again = co_await create(on.store, "k", "");
    if (ok(again, "create")) EXPECT_FALSE(again->created);
    auto const meta = co_await head(on.store, "k");
    if (ok(meta, "head")) EXPECT_EQ(meta->size, 0u);
}

asio::awaitable<void> body_of_8_mib(subject& on)
{
    std::string content(8u << 20, '\0');
    for (std::size_t at = 0; at < content.size(); ++at) content[at] = static_cast<char>(at * 2654435761u >> 13);
    ok(co_await put(on.store, "k", content), "put");
    auto const read = co_await get(on.store, "k");
    if (ok(read, "get")) EXPECT_TRUE(read->content.view() == content);
}

asio::awaitable<void> remove_is_done_when_gone(subject& on)
{
    ok(co_await remove(on.store, "absent"), "remove of an absent key");
    ok(co_await put(on.store, "k", "content"), "put");
    ok(co_await remove(on.store, "k"), "remove");
    expect_error(co_await get(on.store, "k"), errc::not_found, "get");
    ok(co_await remove(on.store, "k"), "remove again");
    auto const made = co_await create(on.store, "k", "new");
    if (ok(made, "create")) EXPECT_TRUE(made->created);
}

asio::awaitable<void> max_bytes_bounds_a_read(subject& on)
{
    ok(co_await put(on.store, "k", "12345678"), "put");
    ok(co_await get(on.store, "k", get_options{.max_bytes = 8}), "get of just so many bytes");
    expect_error(co_await get(on.store, "k", get_options{.max_bytes = 7}), errc::limit_exceeded, "get");
    ok(co_await get(on.store, "k", get_options{.range = byte_range{0, 6}, .max_bytes = 7}), "get of a range");
}

asio::awaitable<void> ranges(subject& on)
{
    struct row {
        byte_range range;
        std::string_view content;
    };
    constexpr row rows[] = {{{0, 0}, "0"}, {{2, 4}, "234"}, {{7, 9}, "789"}, {{8, 100}, "89"}, {{9, ~0ull}, "9"}};
    auto const written = co_await put(on.store, "k", "0123456789");
    for (auto const& [range, content] : rows) {
        auto const read = co_await get(on.store, "k", get_options{.range = range});
        if (!ok(read, content)) continue;
        EXPECT_EQ(read->content.view(), content);
        EXPECT_EQ(read->full_size, 10u) << content;
        if (written) EXPECT_EQ(read->tag, written->tag) << content;
    }
    auto const beyond = co_await get(on.store, "k", get_options{.range = byte_range{10, 12}});
    expect_error(beyond, errc::invalid_argument, "a range that begins at the end");
}

asio::awaitable<void> conditional_get(subject& on)
{
    auto const first = co_await put(on.store, "k", "first");
    if (!ok(first, "put")) co_return;
    auto const seen = first->tag.text();
    expect_error(co_await get(on.store, "k", get_options{.if_none_match = seen}), errc::not_modified, "get");
    ok(co_await put(on.store, "k", "second"), "put");
    auto const changed = co_await get(on.store, "k", get_options{.if_none_match = seen});
    if (ok(changed, "get")) EXPECT_EQ(changed->content.view(), "second");
}

// --- conditional writes ----------------------------------------------------------------------------------------------

asio::awaitable<void> create_twice_keeps_the_first(subject& on)
{
    auto const first = co_await create(on.store, "k", "first");
    auto const second = co_await create(on.store, "k", "second");
    if (!ok(first, "create") || !ok(second, "create")) co_return;
    EXPECT_TRUE(first->created);
    EXPECT_FALSE(first->earlier_unknown);
    EXPECT_FALSE(second->created);
    auto const read = co_await get(on.store, "k");
    if (!ok(read, "get")) co_return;
    EXPECT_EQ(read->content.view(), "first");
    EXPECT_EQ(read->tag, first->tag);
}

asio::awaitable<void> create_over_a_put_loses(subject& on)
{
    ok(co_await put(on.store, "k", "put"), "put");
    auto const made = co_await create(on.store, "k", "create");
    if (ok(made, "create")) EXPECT_FALSE(made->created);
    co_await expect_content(on.store, "k", "put");
}

asio::awaitable<void> update_with_the_right_tag_replaces(subject& on)
{
    auto const made = co_await create(on.store, "k", "first");
    if (!ok(made, "create")) co_return;
    auto const second = co_await update(on.store, "k", "second", made->tag);
    if (!ok(second, "update")) co_return;
    EXPECT_NE(second->tag, made->tag);
    co_await expect_content(on.store, "k", "second");
    ok(co_await update(on.store, "k", "third", second->tag), "update with the new tag");
    co_await expect_content(on.store, "k", "third");
}

asio::awaitable<void> update_with_a_read_tag_replaces(subject& on)
{
    ok(co_await put(on.store, "k", "first"), "put");
    auto const read = co_await get(on.store, "k");
    if (!ok(read, "get")) co_return;
    auto const second = co_await update(on.store, "k", "second", read->tag);
    ok(second, "update with the tag of a get");
    auto const meta = co_await head(on.store, "k");
    if (!ok(meta, "head")) co_return;
    ok(co_await update(on.store, "k", "third", meta->tag), "update with the tag of a head");
}

asio::awaitable<void> update_with_a_wrong_tag_fails(subject& on)
{
    auto const made = co_await create(on.store, "k", "first");
    if (!ok(made, "create")) co_return;
    auto const second = co_await update(on.store, "k", "second", made->tag);
    if (!ok(second, "update")) co_return;
    expect_error(co_await update(on.store, "k", "late", made->tag), errc::precondition_failed, "a stale tag");
    co_await expect_content(on.store, "k", "second");
}

asio::awaitable<void> update_of_what_is_gone_fails(subject& on)
{
    auto const made = co_await create(on.store, "k", "first");
    if (!ok(made, "create")) co_return;
    ok(co_await remove(on.store, "k"), "remove");
    expect_error(co_await update(on.store, "k", "late", made->tag), errc::precondition_failed, "gone");
    expect_error(co_await update(on.store, "never", "late", made->tag), errc::precondition_failed, "never there");
    expect_error(co_await get(on.store, "k"), errc::not_found, "get");
}

asio::awaitable<void> race_creates(subject& on, std::size_t racers)
{
    std::vector<object_store*> stores;
    while (stores.size() < racers) stores.push_back(&on.connect());
    for (int round = 0; round < on.race_rounds; ++round) {
        auto const key = "race/" + std::to_string(round);
        std::vector<task<create_answer>> starts;
        for (std::size_t at = 0; at < racers; ++at) starts.push_back(create(*stores[at], key, std::to_string(at)));
        auto const answers = co_await all(std::move(starts));
        names winners;
        for (std::size_t at = 0; at < racers; ++at) {
            if (ok(answers[at], key) && answers[at]->created) winners.push_back(std::to_string(at));
        }
        EXPECT_EQ(winners.size(), 1u) << key;
        if (winners.size() != 1) co_return;
        co_await expect_content(on.store, key, winners.front());
    }
}

asio::awaitable<void> race_of_8_creates_has_one_winner(subject& on) { return race_creates(on, 8); }
asio::awaitable<void> race_of_32_creates_has_one_winner(subject& on) { return race_creates(on, 32); }

asio::awaitable<void> race_of_8_updates_has_one_winner(subject& on)
{
    std::vector<object_store*> stores;
    while (stores.size() < 8) stores.push_back(&on.connect());
    auto const made = co_await create(on.store, "k", "start");
    if (!ok(made, "create")) co_return;
    auto current = made->tag;
    for (int round = 0; round < on.race_rounds; ++round) {
        std::vector<task<update_answer>> starts;
        for (std::size_t at = 0; at < stores.size(); ++at) {
            starts.push_back(update(*stores[at], "k", std::to_string(round) + '/' + std::to_string(at), current));
        }
        auto const answers = co_await all(std::move(starts));
        auto const before = current;
        std::size_t winners = 0;
        for (auto const& answer : answers) {
            if (!answer) {
                EXPECT_EQ(answer.error(), errc::precondition_failed) << answer.error().message();
                continue;
            }
            ++winners;
            current = answer->tag;
        }
        EXPECT_EQ(winners, 1u) << round;
        if (winners != 1) co_return;
        EXPECT_NE(current, before);
    }
}

// --- listing ---------------------------------------------------------------------------------------------------------

asio::awaitable<void> list_of_nothing_is_one_empty_page(subject& on)
{
    auto const whole = co_await list_all(on.store, "", list_options());
    EXPECT_TRUE(whole.keys.empty());
    EXPECT_EQ(whole.pages, 1u);
    auto const below = co_await list_all(on.store, "no/such/", list_options());
    EXPECT_TRUE(below.keys.empty());
}

asio::awaitable<void> list_tells_sizes(subject& on)
{
    ok(co_await put(on.store, "k", "12345"), "put");
    std::string const everything;
    auto const page = co_await on.store.list(everything, list_options());
    if (!ok(page, "list")) co_return;
    EXPECT_EQ(page->objects.size(), 1u);
    if (page->objects.empty()) co_return;
    EXPECT_EQ(page->objects.front().size, 5u);
    EXPECT_TRUE(page->objects.front().last_modified);
}

asio::awaitable<void> list_order_is_that_of_bytes(subject& on)
{
    if (!on.store.capabilities().ordered_listing) co_return;
    names const keys = {"a", "B", "a-b", "a.b", "a/b", "aa", "a0", "é", "z", "~", "18446744073709551614", "9"};
    co_await fill(on.store, keys);
    auto const whole = co_await list_all(on.store, "", list_options());
    EXPECT_EQ(whole.keys, sorted(keys));
    auto const small = co_await list_all(on.store, "", list_options{.max_keys = 3});
    EXPECT_EQ(small.keys, sorted(keys));
}

asio::awaitable<void> list_goes_on_past_one_page(subject& on)
{
    auto const keys = numbered("page/", 1050);
    co_await fill(on.store, keys);
    auto const whole = co_await list_all(on.store, "", list_options());
    EXPECT_EQ(sorted(whole.keys), keys);
    EXPECT_GE(whole.pages, 2u);
}

asio::awaitable<void> list_pages_of_any_size_give_each_key_once(subject& on)
{
    auto const keys = numbered("k", 20);
    co_await fill(on.store, keys);
    for (std::uint32_t const size : {1u, 7u, 19u, 20u, 21u}) {
        auto const whole = co_await list_all(on.store, "", list_options{.max_keys = size});
        EXPECT_EQ(sorted(whole.keys), keys) << size;
    }
}

asio::awaitable<void> list_prefix_is_a_string(subject& on)
{
    names const keys = {"a", "abx", "ab/c", "abd/e", "ac", "b/ab"};
    co_await fill(on.store, keys);
    auto const ab = co_await list_all(on.store, "ab", list_options());
    EXPECT_EQ(sorted(ab.keys), (names{"ab/c", "abd/e", "abx"}));
    auto const folder = co_await list_all(on.store, "ab/", list_options());
    EXPECT_EQ(sorted(folder.keys), (names{"ab/c"}));
    auto const whole_key = co_await list_all(on.store, "b/ab", list_options());
    EXPECT_EQ(sorted(whole_key.keys), (names{"b/ab"}));
}

asio::awaitable<void> list_delimiter_groups(subject& on)
{
    names const keys = {"a/1", "a/2", "a/x/3", "b", "c/4", "c-5"};
    co_await fill(on.store, keys);
    auto const top = co_await list_all(on.store, "", list_options{.delimiter = "/"});
    EXPECT_EQ(sorted(top.keys), (names{"b", "c-5"}));
    EXPECT_EQ(sorted(top.prefixes), (names{"a/", "c/"}));
    auto const below = co_await list_all(on.store, "a/", list_options{.delimiter = "/"});
    EXPECT_EQ(sorted(below.keys), (names{"a/1", "a/2"}));
    EXPECT_EQ(sorted(below.prefixes), (names{"a/x/"}));
    auto const one_by_one = co_await list_all(on.store, "", list_options{.delimiter = "/", .max_keys = 1});
    EXPECT_EQ(sorted(one_by_one.keys), (names{"b", "c-5"}));
    EXPECT_EQ(sorted(one_by_one.prefixes), (names{"a/", "c/"}));
}

asio::awaitable<void> list_start_after_is_exclusive(subject& on)
{
    auto const keys = numbered("k", 10);
    co_await fill(on.store, keys);
    auto const rest = names(keys.begin() + 4, keys.end());
    auto const after = co_await list_all(on.store, "", list_options{.start_after = "k00003"});
    EXPECT_EQ(sorted(after.keys), rest);
    auto const between = co_await list_all(on.store, "", list_options{.start_after = "k00003x"});
    EXPECT_EQ(sorted(between.keys), rest);
    auto const paged = co_await list_all(on.store, "k", list_options{.start_after = "k00003", .max_keys = 2});
    EXPECT_EQ(sorted(paged.keys), rest);
    auto const none = co_await list_all(on.store, "", list_options{.start_after = "k00009"});
    EXPECT_TRUE(none.keys.empty());
    auto const early = co_await list_all(on.store, "k", list_options{.start_after = "a"});
    EXPECT_EQ(sorted(early.keys), keys);
}

// --- keys ------------------------------------------------------------------------------------------------------------

// Some servers would turn these into another key: an adapter may refuse them, before it sends anything.
bool may_be_refused(std::string_view key)
{
    auto const path = '/' + std::string(key) + '/';
    return key.find('\\') != key.npos || path.find("/./") != path.npos || path.find("/../") != path.npos;
}

asio::awaitable<bool> is_refused(object_store& store, std::string const& key)
{
    auto const read = co_await get(store, key);
    co_return may_be_refused(key) && !read && read.error() == errc::invalid_argument;
}

asio::awaitable<void> expect_own_object(object_store& store, std::string const& key)
{
    auto const made = co_await create(store, key, key);
    if (!ok(made, key)) co_return;
    EXPECT_TRUE(made->created) << key;
    co_await expect_content(store, key, key);
    auto const meta = co_await head(store, key);
    if (ok(meta, key)) EXPECT_EQ(meta->key.text(), key);
    auto const replaced = co_await update(store, key, "updated", made->tag);
    ok(replaced, key);
}

asio::awaitable<void> expect_refused(object_store& store, std::string const& key)
{
    expect_error(co_await put(store, key, key), errc::invalid_argument, key);
    expect_error(co_await create(store, key, key), errc::invalid_argument, key);
    expect_error(co_await head(store, key), errc::invalid_argument, key);
    expect_error(co_await remove(store, key), errc::invalid_argument, key);
}

asio::awaitable<void> each_is_its_own_object(object_store& store, names keys)
{
    names kept;
    for (auto const& key : keys) {
        if (co_await is_refused(store, key)) {
            co_await expect_refused(store, key);
            continue;
        }
        co_await expect_own_object(store, key);
        kept.push_back(key);
    }
    auto const whole = co_await list_all(store, "", list_options());
    EXPECT_EQ(sorted(whole.keys), sorted(kept));
    for (auto const& key : kept) {
        auto const one = co_await list_all(store, key, list_options());
        EXPECT_NE(std::ranges::find(one.keys, key), one.keys.end()) << key;
        ok(co_await remove(store, key), key);
    }
    auto const rest = co_await list_all(store, "", list_options());
    EXPECT_EQ(rest.keys, names());
}

asio::awaitable<void> keys_with_any_printable_character(subject& on)
{
    names keys;
    for (char each = ' '; each <= '~'; ++each) keys.push_back("c/" + std::string(1, each) + "x" + each + "y");
    return each_is_its_own_object(on.store, std::move(keys));
}

asio::awaitable<void> keys_with_odd_slashes(subject& on)
{
    return each_is_its_own_object(on.store, {"a//b", "a///b", "a/b", "c/", "d//", "e//f/"});
}

asio::awaitable<void> keys_with_dot_segments(subject& on)
{
    return each_is_its_own_object(on.store, {"a/./b", "a/../b", "..", "./c", "d/..", "a/b", "...", "a/.b", "a/..b"});
}

asio::awaitable<void> keys_in_unicode(subject& on)
{
    return each_is_its_own_object(on.store, {"ü", "u\u0308", "日本/語", "🙂", "Ωmega%C3%A9", "naïve é.commit"});
}

asio::awaitable<void> keys_that_look_encoded(subject& on)
{
    return each_is_its_own_object(on.store, {"a%2Fb", "a/b", "a%252Fb", "a+b", "a b", "a%20b", "%!", "%!%2E", "a?b=c&d",
                                             "a#b", "review%2F2026.01ARZ3NDEKTSV4RRFFQ69G5FAV/latest.json"});
}

asio::awaitable<void> keys_of_the_log(subject& on)
{
    return each_is_its_own_object(on.store,
                                  {"_graph/format.json", "_graph/names/review%2F2026.json", "_graph/streams/main.json",
                                   "_graph/main/18446744073709551614.commit",
                                   "_graph/main/checkpoints/00000000000000000050.json", "_graph/main/latest.json"});
}

}  // namespace

#define HEADWATER_CHECK(name) \
    {                         \
        #name, name           \
    }

std::span<check const> all_checks()
{
    static constexpr check checks[] = {
        HEADWATER_CHECK(round_trip),
        HEADWATER_CHECK(head_tells_size_and_tag),
        HEADWATER_CHECK(absent_is_not_found),
        HEADWATER_CHECK(put_replaces),
        HEADWATER_CHECK(empty_body),
        HEADWATER_CHECK(body_of_8_mib),
        HEADWATER_CHECK(remove_is_done_when_gone),
        HEADWATER_CHECK(max_bytes_bounds_a_read),
        HEADWATER_CHECK(ranges),
        HEADWATER_CHECK(conditional_get),
        HEADWATER_CHECK(create_twice_keeps_the_first),
        HEADWATER_CHECK(create_over_a_put_loses),
        HEADWATER_CHECK(update_with_the_right_tag_replaces),
        HEADWATER_CHECK(update_with_a_read_tag_replaces),
        HEADWATER_CHECK(update_with_a_wrong_tag_fails),
        HEADWATER_CHECK(update_of_what_is_gone_fails),
        HEADWATER_CHECK(race_of_8_creates_has_one_winner),
        HEADWATER_CHECK(race_of_32_creates_has_one_winner),
        HEADWATER_CHECK(race_of_8_updates_has_one_winner),
        HEADWATER_CHECK(list_of_nothing_is_one_empty_page),
        HEADWATER_CHECK(list_tells_sizes),
        HEADWATER_CHECK(list_order_is_that_of_bytes),
        HEADWATER_CHECK(list_goes_on_past_one_page),
        HEADWATER_CHECK(list_pages_of_any_size_give_each_key_once),
        HEADWATER_CHECK(list_prefix_is_a_string),
        HEADWATER_CHECK(list_delimiter_groups),
        HEADWATER_CHECK(list_start_after_is_exclusive),
        HEADWATER_CHECK(keys_with_any_printable_character),
        HEADWATER_CHECK(keys_with_odd_slashes),
        HEADWATER_CHECK(keys_with_dot_segments),
        HEADWATER_CHECK(keys_in_unicode),
        HEADWATER_CHECK(keys_that_look_encoded),
        HEADWATER_CHECK(keys_of_the_log),
    };
    return checks;
}

#undef HEADWATER_CHECK

}  // namespace headwater::conformance
