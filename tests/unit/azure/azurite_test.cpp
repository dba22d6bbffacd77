// The adapter against a real server: Azurite, over http and https, with the account key and with both kinds of SAS.
// tests/servers/azurite starts it; its env file names it.
#include "tests/support/azure_sas.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/azure.hpp>

#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace headwater {

namespace {

using test::run;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string setting(char const* name)
{
    auto const* const value = std::getenv(name);
    return value ? value : "";
}

enum class door { key, account_sas, container_sas };

struct way_in {
    char const* url_variable;
    door with;
};

class azurite : public testing::TestWithParam<way_in> {
protected:
    void SetUp() override
    {
        if (!setting(GetParam().url_variable).empty()) return;
        ASSERT_TRUE(setting("HEADWATER_TEST_REQUIRE_SERVERS").empty()) << GetParam().url_variable << " is not set";
        GTEST_SKIP() << "start tests/servers/azurite and source its env file, or set " << GetParam().url_variable;
    }

    azure_options options() const
    {
        azure_options out;
        out.account = setting("HEADWATER_TEST_AZURE_ACCOUNT");
        out.container = setting("HEADWATER_TEST_AZURE_CONTAINER");
        out.endpoint = setting(GetParam().url_variable);
        auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
        out.prefix = "azurite test/" + std::string(test->name());
        out.http.ca_file = setting("HEADWATER_TEST_AZURE_CA");
        return out;
    }

    test::sas_maker tokens(std::string expires = "2099-01-01T00:00:00Z") const
    {
        return {setting("HEADWATER_TEST_AZURE_ACCOUNT"), setting("HEADWATER_TEST_AZURE_KEY"), std::move(expires)};
    }

    azure_credentials credentials() const
    {
        azure_credentials out;
        switch (GetParam().with) {
        case door::key: out.account_key = setting("HEADWATER_TEST_AZURE_KEY"); break;
        case door::account_sas: out.sas_token = tokens().for_account("rwdlc"); break;
        case door::container_sas:
            out.sas_token = "?" + tokens().for_container(setting("HEADWATER_TEST_AZURE_CONTAINER"), "rcwdl");
            break;
        }
        return out;
    }

    std::unique_ptr<object_store> open(azure_options const& with, azure_credentials const& by)
    {
        return make_azure_store(io.get_executor(), *time, with, by).value();
    }
    std::unique_ptr<object_store> open() { return open(options(), credentials()); }

    std::vector<std::string> all_keys(object_store& store, std::string const& prefix, list_options how = {})
    {
        std::vector<std::string> out;
        for (std::string next;;) {
            how.continuation = next;
            auto const page = run(io, store.list(prefix, how)).value();
            EXPECT_LE(page.objects.size() + page.common_prefixes.size(), how.max_keys);
            for (auto const& row : page.objects) out.push_back(row.key.text());
            for (auto const& row : page.common_prefixes) out.push_back(row);
            if (!page.next) return out;
            next = *page.next;
        }
    }

    void empty_out(object_store& store)
    {
        for (auto const& key : all_keys(store, "")) EXPECT_TRUE(run(io, store.remove(object_key(key))));
    }

    std::unique_ptr<clock> time = make_system_clock();
    boost::asio::io_context io{1};
};

TEST_P(azurite, created_object_is_read_listed_and_removed)
{
    auto const store = open();
    empty_out(*store);
    object_key const key("main/1");

    auto const made = run(io, store->put_if_absent(key, bytes("hello"))).value();
    EXPECT_TRUE(made.created);
    EXPECT_THAT(made.tag.text(), testing::MatchesRegex("\".+\""));
    EXPECT_TRUE(made.info.date);

    auto const read = run(io, store->get(key, {})).value();
    EXPECT_EQ(read.content.view(), "hello");
    EXPECT_EQ(read.tag, made.tag);
    EXPECT_EQ(read.full_size, 5);
    EXPECT_TRUE(read.last_modified);

    auto const seen = run(io, store->head(key)).value();
    EXPECT_EQ(seen.size, 5);
    EXPECT_EQ(seen.tag, made.tag);
    EXPECT_EQ(seen.last_modified, read.last_modified);

    auto const page = run(io, store->list("main/", {})).value();
    ASSERT_EQ(page.objects.size(), 1);
    EXPECT_EQ(page.objects[0].key, key);
    EXPECT_EQ(page.objects[0].tag, made.tag);
    EXPECT_EQ(page.objects[0].size, 5);
    EXPECT_EQ(page.objects[0].last_modified, read.last_modified);

    EXPECT_TRUE(run(io, store->remove(key)));
    EXPECT_TRUE(run(io, store->remove(key))) << "gone already";
    EXPECT_EQ(run(io, store->get(key, {})).error(), errc::not_found);
    EXPECT_EQ(run(io, store->head(key)).error(), errc::not_found);
}

TEST_P(azurite, second_create_finds_it_taken)
{
    auto const store = open();
    empty_out(*store);
    object_key const key("k");
    EXPECT_TRUE(run(io, store->put_if_absent(key, bytes("first")))->created);
    EXPECT_FALSE(run(io, store->put_if_absent(key, bytes("second")))->created);
    EXPECT_EQ(run(io, store->get(key, {}))->content.view(), "first");
}

TEST_P(azurite, update_needs_the_current_etag)
{
    auto const store = open();
    empty_out(*store);
    object_key const key("k");
    auto const first = run(io, store->put(key, bytes("one")))->tag;
    EXPECT_EQ(run(io, store->put_if_match(key, bytes("two"), etag("\"0x8D0000000000000\""))).error(),
              errc::precondition_failed);
    auto const second = run(io, store->put_if_match(key, bytes("two"), first)).value().tag;
    EXPECT_NE(first, second);
    EXPECT_EQ(run(io, store->put_if_match(key, bytes("three"), first)).error(), errc::precondition_failed);
    EXPECT_EQ(run(io, store->put_if_match(object_key("absent"), bytes("x"), first)).error(), errc::precondition_failed);
    EXPECT_EQ(run(io, store->get(key, {}))->content.view(), "two");
}

TEST_P(azurite, conditional_and_partial_reads)
{
    auto const store = open();
    object_key const key("k");
    auto const tag = run(io, store->put(key, bytes("0123456789")))->tag;
    get_options unchanged;
    unchanged.if_none_match = tag.text();
    EXPECT_EQ(run(io, store->get(key, unchanged)).error(), errc::not_modified);
    auto const part = [&](std::uint64_t first, std::uint64_t last) {
        get_options out;
        out.range = byte_range{first, last};
        return run(io, store->get(key, out));
    };
    EXPECT_EQ(part(2, 4)->content.view(), "234");
    EXPECT_EQ(part(2, 4)->full_size, 10);
    EXPECT_EQ(part(8, 100)->content.view(), "89");
    EXPECT_EQ(part(8, std::numeric_limits<std::uint64_t>::max())->content.view(), "89");
    EXPECT_EQ(part(10, 12).error(), errc::invalid_argument);
    EXPECT_EQ(part(11, 12).error(), errc::invalid_argument);
    get_options small;
    small.max_bytes = 9;
    EXPECT_EQ(run(io, store->get(key, small)).error(), errc::limit_exceeded);
}

TEST_P(azurite, empty_and_large_objects_come_back)
{
    auto const store = open();
    for (std::size_t const size : {std::size_t(0), std::size_t(1), std::size_t(5) << 20}) {
        bytes const content(std::string(size, 'x'));
        ASSERT_TRUE(run(io, store->put(object_key("k"), content))) << size;
        EXPECT_EQ(run(io, store->get(object_key("k"), {}))->content, content) << size;
        EXPECT_EQ(run(io, store->head(object_key("k")))->size, size);
    }
}

TEST_P(azurite, every_printable_character_keeps_its_key)
{
    auto const store = open();
    empty_out(*store);
    std::set<std::string> const odd = {
        "é",    "\U0001F600/日本", "a//b", "/lead", "trail/", "a/./b",  "a/../b",   ".",           "..", "...",
        "end.", "dot./x",          " ",    "a%2Fb", "a%zz",   "?x=1#f", "\xC2\x85", "\xEF\xBF\xBD"};
    auto keys = odd;
    for (char c = ' '; c < '\x7f'; ++c) {
        if (c != '\\') keys.insert(std::string("a") + c + "b");
    }
    for (auto const& key : keys) {
        auto const made = run(io, store->put_if_absent(object_key(key), bytes(key)));
        EXPECT_TRUE(made && made->created) << '[' << key << "] " << (made ? "taken" : made.error().message());
    }
    for (auto const& key : keys) {
        auto const read = run(io, store->get(object_key(key), {}));
        EXPECT_TRUE(read && read->content.view() == key) << '[' << key << ']';
    }
    auto const listed = all_keys(*store, "");
    EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), keys);
    for (auto const& key : odd) {
        auto const found = all_keys(*store, key);
        EXPECT_TRUE(std::ranges::find(found, key) != found.end()) << '[' << key << ']';
    }
    empty_out(*store);
    EXPECT_THAT(all_keys(*store, ""), testing::IsEmpty());
}

TEST_P(azurite, listing_pages_groups_and_starts_in_the_middle)
{
    auto const store = open();
    empty_out(*store);
    std::vector<std::string> keys;
    for (auto const* key : {"a/1", "a/2", "b", "c/1", "c/d/1", "d", "e", "f", "g"}) {
        keys.emplace_back(key);
        ASSERT_TRUE(run(io, store->put(object_key(key), bytes("x"))));
    }
    list_options paged;
    paged.max_keys = 2;
    EXPECT_EQ(all_keys(*store, "", paged), keys);
    paged.start_after = "c/1";
    EXPECT_THAT(all_keys(*store, "", paged), ElementsAre("c/d/1", "d", "e", "f", "g"));
    EXPECT_THAT(all_keys(*store, "c/", {}), ElementsAre("c/1", "c/d/1"));
    list_options grouped;
    grouped.delimiter = "/";
    EXPECT_THAT(all_keys(*store, "", grouped), ElementsAre("b", "d", "e", "f", "g", "a/", "c/"));
    EXPECT_THAT(all_keys(*store, "c/", grouped), ElementsAre("c/1", "c/d/"));
    auto newer = options();
    newer.api_version = "2026-02-06";
    list_options middle;
    middle.start_after = "c/1";
    middle.max_keys = 1;
    auto const page = run(io, open(newer, credentials())->list("", middle)).value();
    EXPECT_LE(page.objects.size(), 1) << "startFrom is inclusive";
    EXPECT_THAT(all_keys(*open(newer, credentials()), "", middle), ElementsAre("c/d/1", "d", "e", "f", "g"));
}

TEST_P(azurite, one_of_eight_racing_creates_wins)
{
    auto const store = open();
    empty_out(*store);
    int created = 0;
    auto const create = [&](int who) -> boost::asio::awaitable<void> {
        object_key const key("k");
        bytes const content(std::to_string(who));
        auto const made = co_await store->put_if_absent(key, content);
        created += made.value().created;
    };
    for (int who = 0; who < 8; ++who) boost::asio::co_spawn(io, create(who), [](std::exception_ptr) {});
    io.restart();
    io.run();
    EXPECT_EQ(created, 1);
}

TEST_P(azurite, missing_container_is_configuration_for_every_operation)
{
    auto elsewhere = options();
    elsewhere.container = "no-such-container";
    auto given = credentials();
    if (GetParam().with == door::container_sas) given.sas_token = tokens().for_container(elsewhere.container, "rcwdl");
    auto const store = open(elsewhere, given);
    object_key const key("k");
    EXPECT_EQ(run(io, store->get(key, {})).error(), errc::configuration);
    EXPECT_EQ(run(io, store->head(key)).error(), errc::configuration);
    EXPECT_EQ(run(io, store->put(key, bytes("x"))).error(), errc::configuration);
    EXPECT_EQ(run(io, store->put_if_absent(key, bytes("x"))).error(), errc::configuration);
    EXPECT_EQ(run(io, store->put_if_match(key, bytes("x"), etag("\"1\""))).error(), errc::configuration);
    EXPECT_EQ(run(io, store->list("", {})).error(), errc::configuration);
    EXPECT_EQ(run(io, store->remove(key)).error(), errc::configuration);
}

TEST_P(azurite, wrong_credentials_are_denied_and_never_told)
{
    std::string const wrong_key = "d3Jvbmcga2V5";
    azure_credentials given;
    if (GetParam().with == door::key)
        given.account_key = wrong_key;
    else
        given.sas_token = tokens("2020-01-01T00:00:00Z").for_account("rwdlc");
    auto const store = open(options(), given);
    auto const read = run(io, store->get(object_key("k"), {}));
    ASSERT_TRUE(read.has_error());
    EXPECT_EQ(read.error(), errc::access_denied) << read.error().message();
    EXPECT_FALSE(read.error().why()->request_id.empty());
    EXPECT_THAT(read.error().message(), Not(testing::AnyOf(HasSubstr("sig="), HasSubstr(wrong_key))));
    EXPECT_EQ(run(io, store->put_if_absent(object_key("k"), bytes("x"))).error(), errc::access_denied);
}

constexpr std::array ways = {
    way_in{"HEADWATER_TEST_AZURE_URL", door::key},
    way_in{"HEADWATER_TEST_AZURE_URL", door::account_sas},
    way_in{"HEADWATER_TEST_AZURE_URL", door::container_sas},
    way_in{"HEADWATER_TEST_AZURE_HTTPS_URL", door::key},
};

std::string name_of(testing::TestParamInfo<way_in> const& info)
{
    constexpr std::array names = {"http_key", "http_account_sas", "http_container_sas", "https_key"};
    return names[info.index];
}

INSTANTIATE_TEST_SUITE_P(real, azurite, testing::ValuesIn(ways), name_of);

}  // namespace

}  // namespace headwater
