// Keys go down with the prefix and come up without it.
#include "tests/support/scripted_store.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/stores.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

struct prefixed : testing::Test {
    prefixed()
    {
        for (char const* key : {"a/1", "a/2", "a/b/3", "ab", "z"}) {
            EXPECT_TRUE(test::run(memory->put(object_key(key), bytes(key))));
        }
    }

    std::vector<std::string> listed(list_options const& options)
    {
        auto const page = test::run(store->list("", options));
        std::vector<std::string> rows;
        for (auto const& found : page->objects) rows.push_back(found.key.text());
        for (auto const& group : page->common_prefixes) rows.push_back(group);
        return rows;
    }

    test::virtual_clock time;
    std::unique_ptr<object_store> memory = make_memory_store(time);
    std::unique_ptr<object_store> store = make_prefixed_store(*memory, "a/");
};

TEST_F(prefixed, every_operation_sees_only_what_is_below)
{
    EXPECT_EQ(test::run(store->get(object_key("1"), get_options()))->content.view(), "a/1");
    EXPECT_EQ(test::run(store->head(object_key("b/3")))->key, object_key("b/3"));
    EXPECT_FALSE(test::run(store->get(object_key("z"), get_options())));
    EXPECT_TRUE(test::run(store->put_if_absent(object_key("z"), bytes("new")))->created);
    EXPECT_EQ(test::run(memory->get(object_key("a/z"), get_options()))->content.view(), "new");
    auto const tag = test::run(store->head(object_key("z")))->tag;
    EXPECT_TRUE(test::run(store->put_if_match(object_key("z"), bytes("newer"), tag)));
    EXPECT_TRUE(test::run(store->remove(object_key("z"))));
    EXPECT_TRUE(test::run(memory->head(object_key("z"))));
}

TEST_F(prefixed, a_batch_is_removed_below_and_its_failures_come_up_without_the_prefix)
{
    EXPECT_TRUE(test::run(store->remove_many({object_key("1"), object_key("z")}))->failed.empty());
    EXPECT_FALSE(test::run(memory->head(object_key("a/1"))));
    EXPECT_TRUE(test::run(memory->head(object_key("z"))));
    test::scripted_store script;
    remove_many_answer failing;
    failing.failed.emplace_back(object_key("a/2"), errc::access_denied);
    script.batches = {failing};
    auto const answer = test::run(make_prefixed_store(script, "a/")->remove_many({object_key("2")}));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->failed.at(0).key, object_key("2"));
    EXPECT_EQ(script.calls.at(0).key, "a/2");
}

TEST_F(prefixed, listings_take_the_prefix_off)
{
    EXPECT_EQ(listed({}), (std::vector<std::string>{"1", "2", "b/3"}));
    EXPECT_EQ(listed({.start_after = "1"}), (std::vector<std::string>{"2", "b/3"}));
    EXPECT_EQ(listed({.delimiter = "/"}), (std::vector<std::string>{"1", "2", "b/"}));
}

TEST_F(prefixed, a_store_that_ignores_the_prefix_breaks_the_protocol)
{
    test::scripted_store script;
    auto const below = make_prefixed_store(script, "a/");
    for (char const* const stray : {"z", "b/1", "a/other"}) {
        list_page rows;
        rows.objects.emplace_back(object_key(stray), 1, etag("t"));
        list_page groups;
        groups.common_prefixes.emplace_back(stray);
        script.lists = {rows, groups};
        for (int page = 0; page < 2; ++page) {
            auto const answer = test::run(below->list("wanted", list_options()));
            ASSERT_FALSE(answer) << stray;
            EXPECT_EQ(answer.error(), errc::protocol);
            EXPECT_EQ(answer.error().why()->key, stray);
        }
    }
    remove_many_answer failing;
    failing.failed.emplace_back(object_key("z"), errc::access_denied);
    script.batches = {failing};
    EXPECT_EQ(test::run(below->remove_many({object_key("2")})).error(), errc::protocol);
}

TEST_F(prefixed, the_address_names_the_part)
{
    EXPECT_EQ(store->address(), "memory:a");
    test::scripted_store bucket;
    bucket.called = "s3://bucket";
    EXPECT_EQ(make_prefixed_store(bucket, "a/b/")->address(), "s3://bucket/a/b");
    EXPECT_EQ(make_prefixed_store(bucket, "")->address(), "s3://bucket");
}

}  // namespace
}  // namespace headwater
