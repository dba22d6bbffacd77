// The requests of each operation: method, target, fields, and what the checks refuse.
#include "adapters/s3/s3_request.hpp"

#include "adapters/http/checksum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::s3 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

location const in_prefix("/bucket", "pre fix");
location const at_root("", "");

TEST(s3_request, key_is_encoded_once_and_not_normalised)
{
    EXPECT_EQ(get_request(in_prefix, "a//b/./c=@:+ \xE2\x82\xAC", {}).target,
              "/bucket/pre%20fix/a//b/./c%3D%40%3A%2B%20%E2%82%AC");
    EXPECT_EQ(get_request(at_root, "k/", {}).target, "/k/");
    EXPECT_EQ(get_request(at_root, "/k", {}).target, "//k");
}

TEST(s3_request, get_has_its_range_and_condition)
{
    get_options options;
    options.range = byte_range{2, 5};
    options.if_none_match = "\"e\"";
    auto const made = get_request(at_root, "k", options);
    EXPECT_EQ(made.method, "GET");
    EXPECT_THAT(made.fields, ElementsAre(Pair("Range", "bytes=2-5"), Pair("If-None-Match", "\"e\"")));
    EXPECT_EQ(made.max_body, default_max_bytes);

    options.range = byte_range{2};
    options.max_bytes = 10;
    EXPECT_EQ(get_request(at_root, "k", options).fields[0].second, "bytes=2-");
    EXPECT_EQ(get_request(at_root, "k", options).max_body, 10u);
    EXPECT_EQ(get_request(at_root, "k", options).max_refusal, http::usual_refusal_bytes) << "an error document fits";
}

TEST(s3_request, writes_carry_body_and_condition)
{
    EXPECT_THAT(put_request(at_root, "k", bytes("x")).fields, IsEmpty());
    EXPECT_THAT(create_request(at_root, "k", bytes("x")).fields, ElementsAre(Pair("If-None-Match", "*")));
    auto const update = update_request(at_root, "k", bytes("x"), "\"e\"");
    EXPECT_EQ(update.method, "PUT");
    EXPECT_EQ(update.body.view(), "x");
    EXPECT_THAT(update.fields, ElementsAre(Pair("If-Match", "\"e\"")));
    EXPECT_EQ(remove_request(at_root, "k").method, "DELETE");
    EXPECT_EQ(head_request(at_root, "k").method, "HEAD");
}

TEST(s3_request, list_query_is_sorted_and_strictly_encoded)
{
    list_options options;
    options.start_after = "a b";
    options.delimiter = "/";
    options.max_keys = 7;
    EXPECT_EQ(list_request(in_prefix, "", options).target,
              "/bucket?delimiter=%2F&encoding-type=url&list-type=2&max-keys=7&prefix=pre%20fix%2F&"
              "start-after=pre%20fix%2Fa%20b");
    list_options next;
    next.continuation = "1+/=\"&";
    EXPECT_EQ(list_request(at_root, "", next).target,
              "/?continuation-token=1%2B%2F%3D%22%26&encoding-type=url&list-type=2&max-keys=1000&prefix=");
}

TEST(s3_request, batch_removal_names_each_key_in_full_and_escaped)
{
    auto const made = remove_many_request(in_prefix, {object_key("a&<b>"), object_key("\u00fc\r\n\t\"'")});
    EXPECT_EQ(made.method, "POST");
    EXPECT_EQ(made.target, "/bucket?delete=");
    EXPECT_EQ(made.body.view(), "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                                "<Object><Key>pre fix/a&amp;&lt;b&gt;</Key></Object>"
                                "<Object><Key>pre fix/\u00fc&#13;&#10;&#9;\"'</Key></Object></Delete>");
    EXPECT_THAT(made.fields, testing::Contains(Pair("Content-MD5", http::md5_base64(made.body.view()))));
}

TEST(s3_request, bodies_carry_the_checksum_that_was_chosen)
{
    location const with_md5("/bucket", "", body_checksum::md5), with_crc("/bucket", "", body_checksum::crc64);
    auto const md5 = Pair("Content-MD5", "JfnnlDI7RTiF9RgfG2JNCw==");
    auto const crc = Pair("x-amz-checksum-crc64nvme", "rosUhgp5mIg=");
    bytes const content("123456789");
    for (auto const& made : {put_request(with_md5, "k", content), create_request(with_md5, "k", content),
                             update_request(with_md5, "k", content, "\"t\"")}) {
        EXPECT_THAT(made.fields, testing::Contains(md5));
        EXPECT_THAT(made.fields, testing::Not(testing::Contains(crc)));
    }
    EXPECT_THAT(create_request(with_crc, "k", content).fields, testing::Contains(crc));
    EXPECT_TRUE(put_request(at_root, "k", content).fields.empty());
    auto const asks = Pair("x-amz-checksum-mode", "ENABLED");
    EXPECT_THAT(get_request(with_crc, "k", {}).fields, testing::Contains(asks));
    EXPECT_TRUE(get_request(at_root, "k", {}).fields.empty());
}

TEST(s3_request, the_rest_of_an_object_is_asked_for_under_its_etag)
{
    auto const made = rest_request(at_root, "k", {4, byte_range().last}, "\"t\"", {});
    EXPECT_THAT(made.fields, testing::ElementsAre(Pair("Range", "bytes=4-"), Pair("If-Match", "\"t\"")));
}

TEST(s3_request, keys_that_xml_cannot_carry_are_known)
{
    for (char const* const good : {"k", "\t\n\r", "\u00fc\U0001F642", "\uFFFD"}) EXPECT_TRUE(fits_xml(good)) << good;
    for (char const* const bad : {"\x01", "a\x1F", "\xEF\xBF\xBE", "\xEF\xBF\xBF"}) EXPECT_FALSE(fits_xml(bad));
}

TEST(s3_request, keys_that_no_store_takes_are_refused)
{
    EXPECT_FALSE(check_key(at_root, std::string(1024, 'k')));
    EXPECT_TRUE(check_key(at_root, std::string(1025, 'k')));
    EXPECT_TRUE(check_key(in_prefix, std::string(1020, 'k')));
    EXPECT_TRUE(check_key(at_root, ""));
    EXPECT_TRUE(check_key(at_root, "\xC3"));
    EXPECT_EQ(*check_key(at_root, ""), errc::invalid_argument);
}

TEST(s3_request, etag_must_be_one_etag)
{
    for (char const* const good : {"\"d41d8cd98f00b204e9800998ecf8427e-3\"", "d41d8cd9"})
        EXPECT_FALSE(check_etag(good)) << good;
    for (char const* const bad :
         {"", "*", "\"*\"", "\"\"", "\"", "\"a\", \"b\"", "a,b", "a\r\nx: y", "W/\"a\"", "a b"}) {
        EXPECT_TRUE(check_etag(bad)) << bad;
    }
}

TEST(s3_request, bare_etag_is_the_text_in_the_quotes)
{
    EXPECT_EQ(bare_etag("\"abc\""), "abc");
    EXPECT_EQ(bare_etag("abc"), std::nullopt);
    EXPECT_EQ(bare_etag("\"\""), std::nullopt);
}

TEST(s3_request, options_out_of_bounds_are_refused)
{
    get_options backwards;
    backwards.range = byte_range{5, 4};
    EXPECT_TRUE(check(backwards));
    get_options split;
    split.if_none_match = "a\r\nx: y";
    EXPECT_TRUE(check(split));

    list_options none, many, wide;
    none.max_keys = 0;
    many.max_keys = 1001;
    wide.delimiter = "//";
    EXPECT_TRUE(check(at_root, "", none));
    EXPECT_TRUE(check(at_root, "", many));
    EXPECT_TRUE(check(at_root, "", wide));
    EXPECT_TRUE(check(at_root, "\xFF", {}));
    EXPECT_FALSE(check(at_root, "p", {}));
}

}  // namespace
}  // namespace headwater::s3
