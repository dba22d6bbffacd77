// Listings over a real socket: paging, tokens, names that XML cannot carry, pages that must not be believed.
#include "tests/faults/rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headwater::faults {

namespace {

using test::dialect;

struct listing : testing::TestWithParam<wire_kind> {};

INSTANTIATE_TEST_SUITE_P(wires, listing, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

// Every key below a prefix, page after page.
std::vector<std::string> keys_of(rig& on, std::string const& prefix, std::uint32_t at_once)
{
    std::vector<std::string> out;
    std::string continuation;
    for (int pages = 0; pages < 100; ++pages) {
        list_options options;
        options.max_keys = at_once;
        options.continuation = continuation;
        auto const page = on.run(on.adapter->list(prefix, options));
        EXPECT_TRUE(page) << page.error().message();
        if (!page) return out;
        for (auto const& row : page->objects) out.push_back(row.key.text());
        if (!page->next) return out;
        continuation = *page->next;
    }
    ADD_FAILURE() << "the pages never end";
    return out;
}

// Puts a text in the place of an element's.
test::deed with_element(std::string name, std::string text)
{
    return test::change([name, text](test::reply& answer) {
        auto const begin = answer.body.find("<" + name);
        auto const close = "</" + name + ">";
        auto const end = answer.body.find(close, begin);
        auto const length =
            end == std::string::npos ? answer.body.find("/>", begin) + 2 - begin : end + close.size() - begin;
        answer.body.replace(begin, length, "<" + name + ">" + text + close);
    });
}

}  // namespace

TEST_P(listing, pages_follow_each_other_to_the_end)
{
    rig on(GetParam());
    std::vector<std::string> expected;
    for (int at = 10; at < 35; ++at) {
        expected.push_back("p/k+ &=" + std::to_string(at));  // Continuations have these characters too.
        on.server.put(expected.back(), "x");
    }
    on.server.put("q", "x");
    EXPECT_EQ(keys_of(on, "p/", 10), expected);
    EXPECT_EQ(keys_of(on, "p/", 1), expected);
    EXPECT_EQ(keys_of(on, "p/", 25), expected);
}

TEST_P(listing, names_survive_whatever_they_are)
{
    rig on(GetParam());
    std::vector<std::string> const names = {" a b",
                                            "a%41",
                                            "a&amp;<b>\"'",
                                            "a+b",
                                            "a\tb",
                                            "a\x01"
                                            "b",
                                            "ä€",
                                            "\u2028"};
    for (auto const& name : names) on.server.put(name, name);
    auto sorted = names;
    std::ranges::sort(sorted);
    EXPECT_EQ(keys_of(on, "", 1000), sorted);
}

TEST_P(listing, groups_end_with_the_delimiter)
{
    rig on(GetParam());
    for (auto const* name : {"a/1", "a/2", "b", "c/1"}) on.server.put(name, "x");
    list_options grouped;
    grouped.delimiter = "/";
    auto const page = on.run(on.adapter->list("", grouped));
    ASSERT_TRUE(page) << page.error().message();
    ASSERT_EQ(page->objects.size(), 1u);
    EXPECT_EQ(page->objects.front().key.text(), "b");
    EXPECT_EQ(page->common_prefixes, (std::vector<std::string>{"a/", "c/"}));
}

TEST_P(listing, an_empty_page_is_not_the_end)
{
    rig on(GetParam());
    on.server.put("a", "x");
    bool const s3 = GetParam().speaks == dialect::s3;
    auto const* const body =
        s3 ? "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>1+/=&amp;"
             "</NextContinuationToken></ListBucketResult>"
           : "<EnumerationResults><Blobs/><NextMarker>2!+/=&amp;</NextMarker></EnumerationResults>";
    on.server.next({test::change([body](test::reply& answer) { answer.body = body; })});
    EXPECT_EQ(keys_of(on, "", 10), std::vector<std::string>{"a"});
}

TEST_P(listing, a_page_that_is_followed_by_itself_is_refused)
{
    rig on(GetParam());
    bool const s3 = GetParam().speaks == dialect::s3;
    for (int at = 0; at < 5; ++at) on.server.put("k" + std::to_string(at), "x");
    list_options options;
    options.max_keys = 2;
    auto const first = on.run(on.adapter->list("", options));
    ASSERT_TRUE(first);
    auto const token = *first->next;
    options.continuation = token;
    on.server.next({with_element(s3 ? "NextContinuationToken" : "NextMarker", test::xml_text(token))});
    EXPECT_EQ(told(on.run(on.adapter->list("", options))), "protocol");
}

TEST_P(listing, a_page_without_a_token_that_is_not_the_last_is_refused)
{
    if (GetParam().speaks == dialect::azure) return;  // There an empty marker is how the last page is told.
    rig on(GetParam());
    for (int at = 0; at < 5; ++at) on.server.put("k" + std::to_string(at), "x");
    list_options options;
    options.max_keys = 2;
    on.server.next({with_element("NextContinuationToken", "")});
    EXPECT_EQ(told(on.run(on.adapter->list("", options))), "protocol");
}

TEST_P(listing, a_page_that_is_no_listing_is_refused)
{
    for (auto const* body : {"", "<html>busy</html>", "<ListBucketResult>", "{}", "<EnumerationResults/>"}) {
        rig on(GetParam());
        on.server.next({test::change([body](test::reply& answer) { answer.body = body; })});
        EXPECT_EQ(told(on.run(on.adapter->list("", list_options()))), "protocol") << body;
    }
}

TEST_P(listing, a_size_that_is_no_number_is_refused)
{
    rig on(GetParam());
    on.server.put("p/a", "x");
    bool const s3 = GetParam().speaks == dialect::s3;
    on.server.next({with_element(s3 ? "Size" : "Content-Length", "many")});
    EXPECT_EQ(told(on.run(on.adapter->list("p/", list_options()))), "protocol");
}

}  // namespace headwater::faults
