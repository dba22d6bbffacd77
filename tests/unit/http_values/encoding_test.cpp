// Percent-encoding and UTF-8 by table.
#include "adapters/http/encoding.hpp"
#include "adapters/http/message.hpp"

#include <gtest/gtest.h>

namespace headwater::http {
namespace {

TEST(percent_encode, every_printable_character_is_as_the_signatures_want_it)
{
    std::string printable;
    for (char c = ' '; c <= '~'; ++c) printable += c;
    EXPECT_EQ(percent_encode(printable, keep::slashes),
              "%20%21%22%23%24%25%26%27%28%29%2A%2B%2C-./0123456789%3A%3B%3C%3D%3E%3F%40ABCDEFGHIJKLMNOPQRSTUVWXYZ"
              "%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~");
    EXPECT_EQ(percent_encode("a/b"), "a%2Fb");
    EXPECT_EQ(percent_encode("a//b/./c/", keep::slashes), "a//b/./c/");
    EXPECT_EQ(percent_encode("\xE2\x82\xAC"), "%E2%82%AC");
}

TEST(percent_decode, escapes_come_back_and_wrong_ones_are_nothing)
{
    EXPECT_EQ(percent_decode("a%2fb%2F+"), "a/b/+");
    EXPECT_EQ(percent_decode("a+b%2B", plus::space), "a b+");
    EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
    for (char const* const wrong : {"%", "%4", "%G0", "%0G", "a%", "% 1"}) {
        EXPECT_EQ(percent_decode(wrong), std::nullopt) << wrong;
    }
}

TEST(utf8, forms_that_unicode_forbids_are_refused)
{
    for (char const* const good : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                   "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_TRUE(is_utf8(good)) << percent_encode(good);
    }
    for (char const* const bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
                                  "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x28\xA1", "\xFF"}) {
        EXPECT_FALSE(is_utf8(bad)) << percent_encode(bad);
    }
}

TEST(hex, digits_are_lower_case) { EXPECT_EQ(hex("\x01\xAB\xFF"), "01abff"); }

TEST(base64, vectors_of_the_rfc_are_met)
{
    std::pair<char const*, char const*> const rows[] = {{"", ""},
                                                        {"f", "Zg=="},
                                                        {"fo", "Zm8="},
                                                        {"foo", "Zm9v"},
                                                        {"foob", "Zm9vYg=="},
                                                        {"fooba", "Zm9vYmE="},
                                                        {"foobar", "Zm9vYmFy"},
                                                        {"\xFB\xFF\xFE", "+//+"}};
    for (auto const& [plain, encoded] : rows) EXPECT_EQ(base64(plain), encoded);
}

TEST(response, field_is_found_without_case)
{
    response answer;
    answer.fields = {{"ETag", "\"1\""}, {"etag", "\"2\""}};
    EXPECT_EQ(answer.find("etag"), "\"1\"");
    EXPECT_EQ(answer.find("eta"), "");
}

}  // namespace
}  // namespace headwater::http
