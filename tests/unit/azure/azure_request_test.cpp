// How each operation is spelled.
#include "adapters/azure/azure_request.hpp"
#include "tests/unit/azure/builders.hpp"

#include <gmock/gmock.h>

namespace headwater::azure {

namespace {

using test::on_azure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

object_key const key("main/00000000000000000001");
auto const version = Pair("x-ms-version", "2021-12-02");

TEST(get_blob, whole_object_is_a_plain_get)
{
    auto const made = get_blob(on_azure(), key, {}).value();
    EXPECT_EQ(made.method, "GET");
    EXPECT_EQ(made.target, "/log/graph/main/00000000000000000001");
    EXPECT_THAT(made.fields, ElementsAre(version));
    EXPECT_EQ(made.max_body, default_max_bytes);
}

TEST(get_blob, range_and_condition_become_fields)
{
    get_options options;
    options.range = byte_range{5, 9};
    options.if_none_match = "\"0x1\"";
    options.max_bytes = 10;
    auto const made = get_blob(on_azure(), key, options).value();
    EXPECT_THAT(made.fields, ElementsAre(version, Pair("x-ms-range", "bytes=5-9"), Pair("if-none-match", "\"0x1\"")));
    EXPECT_EQ(made.max_body, 10u);
    EXPECT_EQ(made.max_refusal, http::usual_refusal_bytes) << "an error's body fits, whatever the object may have";
}

TEST(get_blob, open_range_has_no_end)
{
    get_options options;
    options.range = byte_range{7, std::numeric_limits<std::uint64_t>::max()};
    EXPECT_THAT(get_blob(on_azure(), key, options)->fields, ElementsAre(version, Pair("x-ms-range", "bytes=7-")));
}

TEST(put_blob, each_kind_has_its_condition)
{
    auto const type = Pair("x-ms-blob-type", "BlockBlob");
    EXPECT_THAT(put_blob(on_azure(), key, bytes("x"))->fields, ElementsAre(version, type));
    EXPECT_THAT(create_blob(on_azure(), key, bytes("x"))->fields,
                ElementsAre(version, type, Pair("if-none-match", "*")));
    auto const replace = replace_blob(on_azure(), key, bytes("x"), etag("\"0x1\"")).value();
    EXPECT_THAT(replace.fields, ElementsAre(version, type, Pair("if-match", "\"0x1\"")));
    EXPECT_EQ(replace.method, "PUT");
    EXPECT_EQ(replace.body.view(), "x");
}

TEST(put_blob, carries_the_checksum_that_was_chosen)
{
    auto at = on_azure();
    bytes const content("123456789");
    at.checksum = body_checksum::md5;
    EXPECT_THAT(create_blob(at, key, content)->fields,
                testing::Contains(Pair("content-md5", "JfnnlDI7RTiF9RgfG2JNCw==")));
    at.checksum = body_checksum::crc64;
    EXPECT_THAT(create_blob(at, key, content)->fields, testing::Contains(Pair("x-ms-content-crc64", "iJh5CoYUi64=")));
}

TEST(get_rest, asks_for_the_rest_of_the_same_version)
{
    EXPECT_THAT(get_rest(on_azure(), key, {7, byte_range().last}, "\"0x1\"", {})->fields,
                ElementsAre(version, Pair("x-ms-range", "bytes=7-"), Pair("if-match", "\"0x1\"")));
}

TEST(head_and_delete, are_plain)
{
    EXPECT_EQ(get_properties(on_azure(), key)->method, "HEAD");
    EXPECT_EQ(delete_blob(on_azure(), key)->method, "DELETE");
    EXPECT_THAT(delete_blob(on_azure(), key)->fields, ElementsAre(version));
}

TEST(blob_target, each_byte_is_encoded_once_and_nothing_is_normalised)
{
    std::pair<char const*, char const*> const rows[] = {
        {"a//b/../c/", "a//b/../c/"},
        {"A-Za_z.0~9", "A-Za_z.0~9"},
        {"a b+c%20", "a%20b%2Bc%2520"},
        {"!\"#$&'()*,:;<=>?@[]^`{|}", "%21%22%23%24%26%27%28%29%2A%2C%3A%3B%3C%3D%3E%3F%40%5B%5D%5E%60%7B%7C%7D"},
        {"é\U0001F600", "%C3%A9%F0%9F%98%80"},
    };
    for (auto const& [name, encoded] : rows) {
        EXPECT_EQ(get_properties(on_azure(), object_key(name))->target, "/log/graph/" + std::string(encoded));
    }
}

TEST(blob_requests, keys_and_etags_that_cannot_be_sent_are_refused)
{
    for (std::string const& text :
         {std::string(), std::string("a\\b"), std::string("a\r\nb"), std::string(1019, 'k')}) {
        EXPECT_EQ(get_properties(on_azure(), object_key(text)).error(), errc::invalid_argument) << text;
        EXPECT_EQ(create_blob(on_azure(), object_key(text), bytes("x")).error(), errc::invalid_argument) << text;
    }
    EXPECT_TRUE(get_properties(on_azure(), object_key(std::string(1018, 'k')))) << "1,024 bytes with `graph/`";
    for (char const* tag : {"", "*", "\"a\r\nx-evil: 1\"", "\"é\""}) {
        EXPECT_EQ(replace_blob(on_azure(), key, bytes("x"), etag(tag)).error(), errc::invalid_argument) << tag;
    }
    get_options backwards;
    backwards.range = byte_range{2, 1};
    EXPECT_EQ(get_blob(on_azure(), key, backwards).error(), errc::invalid_argument);
}

TEST(list_blobs, options_become_the_query)
{
    list_options options;
    options.delimiter = "/";
    options.continuation = "2!76!a+b=";
    options.max_keys = 7;
    auto const made = list_blobs(on_azure(), "main/", options).value();
    EXPECT_EQ(made.target,
              "/log?restype=container&comp=list&prefix=graph%2Fmain%2F&delimiter=%2F&marker=2%2176%21a%2Bb%3D"
              "&maxresults=7");
}

TEST(list_blobs, begins_in_the_middle_only_where_the_service_can)
{
    list_options options;
    options.start_after = "main/5";
    EXPECT_THAT(list_blobs(on_azure(), "main/", options)->target, Not(HasSubstr("startFrom")));
    auto newer = on_azure();
    newer.api_version = "2026-02-06";
    EXPECT_THAT(list_blobs(newer, "main/", options)->target, HasSubstr("&startFrom=graph%2Fmain%2F5"));
    options.delimiter = "/";
    EXPECT_THAT(list_blobs(newer, "main/", options)->target, Not(HasSubstr("startFrom")));
}

TEST(list_blobs, wrong_options_are_refused)
{
    list_options none, many, wide, slash;
    none.max_keys = 0;
    many.max_keys = 1001;
    wide.delimiter = "//";
    slash.delimiter = "\\";
    for (auto const& options : {none, many, wide, slash}) {
        EXPECT_EQ(list_blobs(on_azure(), "", options).error(), errc::invalid_argument);
    }
}

}  // namespace

}  // namespace headwater::azure
