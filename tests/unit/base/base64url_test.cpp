// RFC 4648's vectors, and one spelling for each content.
#include "src/base/base64url.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace headwater {
namespace {

TEST(base64url, reads_what_it_writes)
{
    std::pair<std::string_view, std::string_view> const rows[] = {
        {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
        {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff\xfe", "-__-"},
    };
    for (auto const& [content, text] : rows) {
        EXPECT_EQ(to_base64url(content), text);
        EXPECT_EQ(from_base64url(text), content);
    }
}

TEST(base64url, every_other_spelling_is_refused)
{
    for (auto const* text : {"Z", "Zh", "Zm9", "Zg==", "Zg=", "+//+", "Zm 9v", "Zm9v\n", "Zm9vY"}) {
        EXPECT_FALSE(from_base64url(text)) << text;
    }
}

}  // namespace
}  // namespace headwater
