// The canonical spelling of ULIDs, and all the others.
#include <headwater/ulid.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

TEST(ulid, canonical_text_reads_and_writes_back)
{
    for (auto const* text :
         {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "00000000000000000000000000", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"}) {
        auto const id = parse_ulid(text);
        ASSERT_TRUE(id) << text;
        EXPECT_EQ(to_string(*id), text);
    }
}

TEST(ulid, time_and_rest_stand_where_the_specification_says)
{
    auto const id = parse_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    ASSERT_TRUE(id);
    EXPECT_EQ(id->time_ms, 1469922850259u);
    std::array<std::uint8_t, 10> const rest{0xD6, 0x76, 0x4C, 0x61, 0xEF, 0xB9, 0x93, 0x02, 0xBD, 0x5B};
    EXPECT_EQ(id->rest, rest);
}

TEST(ulid, greatest_parts_fill_the_text)
{
    ulid id;
    id.time_ms = (1ull << 48) - 1;
    id.rest.fill(0xFF);
    EXPECT_EQ(to_string(id), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
}

TEST(ulid, any_other_spelling_is_nothing)
{
    for (auto const* text :
         {"", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAVX", "01arz3ndektsv4rrffq69g5fav",
          "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAI", "01ARZ3NDEKTSV4RRFFQ69G5FAL",
          "01ARZ3NDEKTSV4RRFFQ69G5FAO", "01ARZ3NDEKTSV4RRFFQ69G5FAU", "01ARZ3NDEKTSV4RRFFQ69G5FA-", "01K5..."}) {
        EXPECT_FALSE(parse_ulid(text)) << text;
    }
}

}  // namespace
}  // namespace headwater
