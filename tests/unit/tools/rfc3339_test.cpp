// Times as people write them.
#include "tools/headwater/rfc3339.hpp"

#include <gtest/gtest.h>

namespace headwater::cli {
namespace {

struct time_row {
    char const* text;
    std::int64_t milliseconds;
};

TEST(rfc3339, reads_every_spelling_of_a_time)
{
    time_row const rows[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2025-09-15T01:33:20Z", 1'757'900'000'000},
        {"2025-09-15t01:33:20z", 1'757'900'000'000},
        {"2025-09-15 01:33:20Z", 1'757'900'000'000},
        {"2025-09-15T01:33:20.5Z", 1'757'900'000'500},
        {"2025-09-15T01:33:20.123999Z", 1'757'900'000'123},
        {"2025-09-15T03:33:20+02:00", 1'757'900'000'000},
        {"2025-09-14T20:03:20-05:30", 1'757'900'000'000},
        {"2024-02-29T00:00:00Z", 1'709'164'800'000},
        {"2016-12-31T23:59:60Z", 1'483'228'800'000},
        {"1969-12-31T23:59:59.999Z", -1},
    };
    for (auto const& row : rows) {
        auto const read = parse_rfc3339(row.text);
        ASSERT_TRUE(read) << row.text;
        EXPECT_EQ(read->time_since_epoch().count(), row.milliseconds) << row.text;
        EXPECT_TRUE(looks_dated(row.text));
    }
}

TEST(rfc3339, refuses_what_is_no_time)
{
    for (auto const* text :
         {"", "2025", "2025-09-15", "2025-09-15T01:33:20", "2025-09-15T01:33Z", "2025-13-01T00:00:00Z",
          "2025-02-29T00:00:00Z", "2025-04-31T00:00:00Z", "2025-00-10T00:00:00Z", "2025-09-15T24:00:00Z",
          "2025-09-15T01:60:00Z", "2025-09-15T01:33:61Z", "2025-09-15T01:33:20.Z", "2025-09-15T01:33:20+0200",
          "2025-09-15T01:33:20ZZ", "25-09-15T01:33:20Z", "2025-09-15T01:33:20+24:00", "2025-9-15T01:33:20Z"}) {
        auto const read = parse_rfc3339(text);
        ASSERT_FALSE(read) << text;
        EXPECT_TRUE(read.error() == errc::invalid_argument);
    }
}

}  // namespace
}  // namespace headwater::cli
