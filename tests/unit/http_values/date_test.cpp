// Dates of the wire: what is written is read back, what is malformed is nothing.
#include "adapters/http/date.hpp"

#include <gtest/gtest.h>

namespace headwater::http {
namespace {

using std::chrono::milliseconds;

constexpr time_ms at(std::int64_t ms) { return time_ms(milliseconds(ms)); }

TEST(http_date, is_written_and_read_back)
{
    auto const when = at(784'111'777'000);
    EXPECT_EQ(format_http_date(when), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), when);
    EXPECT_EQ(format_http_date(at(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
    EXPECT_EQ(parse_http_date("Thu, 29 Feb 2024 23:59:59 GMT"), at(1'709'251'199'000));
}

TEST(http_date, anything_else_is_nothing)
{
    for (char const* const wrong :
         {"", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:00:00 GMT",
          "Thu, 30 Feb 2024 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ", "1994-11-06T08:49:37Z", "120"}) {
        EXPECT_EQ(parse_http_date(wrong), std::nullopt) << wrong;
    }
}

TEST(basic_date, is_written) { EXPECT_EQ(format_basic_date(at(1'369'353'600'999)), "20130524T000000Z"); }

TEST(iso_date, is_written) { EXPECT_EQ(format_iso_date(at(1'369'353'600'999)), "2013-05-24T00:00:00Z"); }

TEST(iso_date, is_read_with_and_without_fraction)
{
    EXPECT_EQ(parse_iso_date("2009-10-12T17:50:30.000Z"), at(1'255'369'830'000));
    EXPECT_EQ(parse_iso_date("2009-10-12T17:50:30Z"), at(1'255'369'830'000));
    EXPECT_EQ(parse_iso_date("2009-10-12T17:50:30.1234567Z"), at(1'255'369'830'123));
    EXPECT_EQ(parse_iso_date("2009-10-12T17:50:30+00:00"), at(1'255'369'830'000));
    EXPECT_EQ(parse_iso_date("2009-10-12T19:50:30.5+02:00"), at(1'255'369'830'500));
    EXPECT_EQ(parse_iso_date("2009-10-12T12:20:30-05:30"), at(1'255'369'830'000));
    for (char const* const wrong : {"2009-10-12T17:50:30", "2009-10-12T17:50:30.Z", "2009-13-12T17:50:30Z", ""}) {
        EXPECT_EQ(parse_iso_date(wrong), std::nullopt) << wrong;
    }
}

}  // namespace
}  // namespace headwater::http
