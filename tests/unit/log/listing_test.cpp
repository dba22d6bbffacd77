// A listing comes to its end whatever the store's continuations do.
#include "src/log/listing.hpp"

#include "tests/support/run.hpp"
#include "tests/support/scripted_store.hpp"

#include <gtest/gtest.h>

namespace headwater {

namespace {

list_page page_of(std::vector<std::string> const& keys, std::optional<std::string> next)
{
    list_page out;
    for (auto const& key : keys) out.objects.emplace_back(object_key(key), 1, etag("e"));
    out.next = std::move(next);
    return out;
}

// How a listing of these pages ends, and after how many.
std::pair<std::string, std::size_t> listed(test::scripted_store& store)
{
    listing pages(store, "p/");
    for (;;) {
        auto const page = test::run(pages.next());
        if (!page) return {page.error() == errc::protocol ? "protocol" : page.error().message(), store.calls.size()};
        if (!*page) return {"end", store.calls.size()};
    }
}

}  // namespace

TEST(circle_search, finds_each_circle_within_three_times_its_length)
{
    for (std::size_t before : {0u, 1u, 5u, 100u}) {
        for (std::size_t length : {1u, 2u, 3u, 7u, 64u, 100u}) {
            circle_search search;
            std::size_t at = 0;
            auto const token = [&](std::size_t step) {
                return std::to_string(step < before ? step : before + (step - before) % length);
            };
            while (search.goes_on(token(at))) ++at;
            EXPECT_LE(at, 3 * (before + length)) << before << ' ' << length;
            EXPECT_GE(at, before + length) << "none of these has been there before";
        }
    }
}

TEST(listing, pages_that_lead_back_to_one_before_are_a_protocol_error)
{
    test::scripted_store store;
    for (int round = 0; round < 10; ++round) {
        for (auto const* next : {"A", "B"}) store.lists.emplace_back(page_of({}, next));
    }
    auto const [how, pages] = listed(store);
    EXPECT_EQ(how, "protocol");
    EXPECT_LE(pages, 6u);
}

TEST(listing, pages_whose_keys_do_not_go_on_are_a_protocol_error_where_keys_are_in_order)
{
    for (bool const ordered : {true, false}) {
        test::scripted_store store;
        store.can.ordered_listing = ordered;
        store.lists.emplace_back(page_of({"p/a", "p/b"}, "1"));
        store.lists.emplace_back(page_of({}, "2"));
        store.lists.emplace_back(page_of({"p/a", "p/b"}, "3"));
        store.lists.emplace_back(page_of({"p/c"}, {}));
        auto const [how, pages] = listed(store);
        EXPECT_EQ(how, ordered ? "protocol" : "end");
        EXPECT_EQ(pages, ordered ? 3u : 4u);
    }
}

}  // namespace headwater
