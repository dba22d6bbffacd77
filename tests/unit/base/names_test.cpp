// The rules for branch and stream names, one row each.
#include <headwater/names.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::literals;
using testing::HasSubstr;

constexpr auto life = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

TEST(branch_name, permitted_names_parse)
{
    for (auto const& text : {"main"s, "review/2026"s, "release.1.2"s, "a"s, "..."s, ".hidden"s,
                             "Gr\xC3\xB6\xC3\x9F"
                             "e"s,
                             "a b?#%"s, "x.01arz3ndektsv4rrffq69g5fav"s, std::string(life),
                             "x.81ARZ3NDEKTSV4RRFFQ69G5FAV"s, std::string(180, 'n')}) {
        auto const name = branch_name::parse(text);
        ASSERT_TRUE(name) << text << ": " << name.error().message();
        EXPECT_EQ(name->text(), text);
    }
}

TEST(branch_name, broken_rule_is_named)
{
    struct row {
        std::string text;
        char const* why;
    };
    for (auto const& [text, why] : {
             row{"", "empty"},
             row{"/a", "empty segment"},
             row{"a/", "empty segment"},
             row{"a//b", "empty segment"},
             row{".", "`.` or `..`"},
             row{"a/..", "`.` or `..`"},
             row{"./a", "`.` or `..`"},
             row{std::string("x.") + life, "a dot and a ULID"},
             row{std::string("x.") + life + "/y", "a dot and a ULID"},
             row{std::string(".") + life, "a dot and a ULID"},
             row{"a\nb", "control character"},
             row{std::string("a\0b"sv), "control character"},
             row{"a\x7F", "control character"},
             row{"a\xC2\x85", "control character"},
             row{"a\xC0\xAF", "valid UTF-8"},
             row{"a\xED\xA0\x80", "valid UTF-8"},
             row{std::string(181, 'n'), "180 bytes"},
             row{std::string(61, ' '), "180 bytes"},
         }) {
        auto const name = branch_name::parse(text);
        ASSERT_FALSE(name) << text;
        EXPECT_EQ(name.error(), errc::invalid_argument);
        EXPECT_THAT(name.error().message(), HasSubstr(why)) << text;
    }
}

TEST(branch_name, only_main_is_main)
{
    EXPECT_TRUE(branch_name().is_main());
    EXPECT_FALSE(branch_name::parse("Main")->is_main());
}

TEST(stream_id, life_of_a_branch_reads_back)
{
    auto const branch = *branch_name::parse("review/2026");
    auto const stream = stream_id::of(branch, *parse_ulid(life));
    EXPECT_EQ(stream.text(), std::string("review/2026.") + life);
    EXPECT_EQ(stream.logical(), branch);
    auto const parsed = stream_id::parse(stream.text());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, stream);
}

TEST(stream_id, main_is_its_own_branch)
{
    auto const stream = stream_id::parse("main");
    ASSERT_TRUE(stream);
    EXPECT_TRUE(stream->is_main());
    EXPECT_EQ(stream->logical(), branch_name());
}

TEST(stream_id, anything_else_is_refused)
{
    for (auto const& text :
         {""s, "review"s, std::string(life), std::string(".") + life, std::string("main.") + life,
          std::string("a//b.") + life, std::string("x.") + life + "." + life, "review.01arz3ndektsv4rrffq69g5fav"s}) {
        auto const stream = stream_id::parse(text);
        ASSERT_FALSE(stream) << text;
        EXPECT_EQ(stream.error(), errc::invalid_argument);
    }
}

}  // namespace
}  // namespace headwater
