// What is kept of a cut read, what is asked for next, and what may be put together.
#include "adapters/http/content_range.hpp"
#include "adapters/http/cut_read.hpp"

#include <gtest/gtest.h>

namespace headwater::http {

namespace {

response a_part(int status, std::string body, std::string tag = "\"v1\"", std::string range = "")
{
    response out;
    out.status = status;
    out.body = std::move(body);
    out.fields = {{"ETag", std::move(tag)}, {"Content-Range", std::move(range)}};
    return out;
}

exchange_error cut_with(response part, broken how = broken::ambiguous, errc why = errc::unavailable)
{
    return {how, error(why, "cut"), std::move(part)};
}

}  // namespace

TEST(cut_read, keeps_the_beginning_and_asks_for_the_rest)
{
    cut_read one({});
    EXPECT_FALSE(one.begun());
    ASSERT_TRUE(one.keep(cut_with(a_part(200, "0123"))));
    EXPECT_TRUE(one.begun());
    EXPECT_EQ(one.tag(), "\"v1\"");
    EXPECT_EQ(one.rest().first, 4u);
    EXPECT_EQ(one.rest().last, byte_range().last);
    ASSERT_TRUE(one.keep(cut_with(a_part(206, "45", "\"v1\"", "bytes 4-9/10"))));
    EXPECT_EQ(one.rest().first, 6u);
    auto const whole = one.join(a_part(206, "6789", "\"v1\"", "bytes 6-9/10"));
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(whole.body, "0123456789");
}

TEST(cut_read, of_a_range_ends_where_that_ends)
{
    cut_read one(byte_range{2, 7});
    ASSERT_TRUE(one.keep(cut_with(a_part(206, "23", "\"v1\"", "bytes 2-7/10"))));
    EXPECT_EQ(one.rest().first, 4u);
    EXPECT_EQ(one.rest().last, 7u);
    auto const whole = one.join(a_part(206, "4567", "\"v1\"", "bytes 4-7/10"));
    EXPECT_EQ(whole.body, "234567");
    EXPECT_EQ(full_size(whole, byte_range{2, 7}), 10u);
}

TEST(cut_read, keeps_nothing_of_what_cannot_be_gone_on_with)
{
    EXPECT_FALSE(cut_read({}).keep(cut_with(a_part(200, ""))));
    EXPECT_FALSE(cut_read({}).keep(cut_with(a_part(200, "0", ""))));
    EXPECT_FALSE(cut_read({}).keep(cut_with(a_part(200, "0", "W/\"v1\""))));
    EXPECT_FALSE(cut_read({}).keep(cut_with(a_part(206, "0", "\"v1\"", "bytes 0-9/10"))));
    EXPECT_FALSE(cut_read({}).keep(cut_with(a_part(503, "busy"))));
    EXPECT_FALSE(cut_read({}).keep(cut_with(a_part(200, "0"), broken::ambiguous, errc::protocol)));
    EXPECT_FALSE(cut_read({}).keep(cut_with(a_part(200, "0"), broken::refused, errc::limit_exceeded)));
    EXPECT_FALSE(cut_read(byte_range{2, 7}).keep(cut_with(a_part(200, "0"))));
    EXPECT_FALSE(cut_read(byte_range{2, 7}).keep(cut_with(a_part(206, "0", "\"v1\"", "bytes 0-5/10"))));
}

TEST(cut_read, puts_nothing_together_that_does_not_fit)
{
    for (auto const& last :
         {a_part(206, "456789", "\"v2\"", "bytes 4-9/10"), a_part(206, "56789", "\"v1\"", "bytes 5-9/10"),
          a_part(206, "4567", "\"v1\"", "bytes 4-9/10"), a_part(206, "456789", "\"v1\"", ""),
          a_part(206, "4567", "\"v1\"", "bytes 4-7/10"), a_part(503, "busy"), a_part(200, "new")}) {
        cut_read one({});
        ASSERT_TRUE(one.keep(cut_with(a_part(200, "0123"))));
        EXPECT_EQ(one.join(last).body, last.body);
    }
    cut_read one({});
    auto first = a_part(200, "0123");
    first.fields.emplace_back("Content-Length", "12");
    ASSERT_TRUE(one.keep(cut_with(first)));
    EXPECT_EQ(one.join(a_part(206, "456789", "\"v1\"", "bytes 4-9/10")).status, 206) << "the first promised 12 bytes";
}

TEST(cut_read, ends_after_max_resumes)
{
    cut_read one({});
    ASSERT_TRUE(one.keep(cut_with(a_part(200, "0"))));
    for (std::uint32_t at = 1; at < max_resumes; ++at) {
        auto const range = "bytes " + std::to_string(at) + "-99/100";
        ASSERT_TRUE(one.keep(cut_with(a_part(206, "0", "\"v1\"", range))));
    }
    EXPECT_FALSE(one.keep(cut_with(a_part(206, "0", "\"v1\"", "bytes " + std::to_string(max_resumes) + "-99/100"))));
}

TEST(parse_content_range, takes_what_fits_together)
{
    auto const range = parse_content_range("bytes 2-5/10");
    ASSERT_TRUE(range);
    EXPECT_EQ(range->first, 2u);
    EXPECT_EQ(range->last, 5u);
    EXPECT_EQ(range->size, 10u);
    for (auto const* wrong : {"", "bytes", "bytes 2-5", "bytes 2-5/*", "bytes 5-2/10", "bytes 2-10/10", "bytes -5/10",
                              "bytes 2-/10", "bytes +2-5/10", "items 2-5/10", "bytes 2-5/10x"}) {
        EXPECT_FALSE(parse_content_range(wrong)) << wrong;
    }
}

}  // namespace headwater::http
