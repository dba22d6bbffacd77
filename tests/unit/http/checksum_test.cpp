// The sums of "123456789", which every catalogue of checksums gives, and the two orders of a CRC's bytes.
#include "adapters/http/checksum.hpp"

#include <gtest/gtest.h>

#include <array>

namespace headwater::http {

namespace {

struct catalogued_sum {
    sum which;
    char const* expected;
};

}  // namespace

TEST(sum_base64, is_that_of_the_catalogues)
{
    constexpr std::string_view digits = "123456789";
    constexpr std::array rows{
        catalogued_sum{sum::md5, "JfnnlDI7RTiF9RgfG2JNCw=="},
        catalogued_sum{sum::sha1, "98O8HYCOBHMq32eZZczDTKeuNEE="},
        catalogued_sum{sum::sha256, "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="},
        catalogued_sum{sum::crc32, "y/Q5Jg=="},      // CBF43926
        catalogued_sum{sum::crc32c, "4waSgw=="},     // E3069283
        catalogued_sum{sum::crc64, "rosUhgp5mIg="},  // AE8B14860A799888
    };
    for (auto const& [which, expected] : rows) EXPECT_EQ(sum_base64(which, digits), expected);
    EXPECT_EQ(crc64_low_first(digits), "iJh5CoYUi64=");
}

TEST(sum_base64, of_nothing_is_a_sum_too)
{
    EXPECT_EQ(sum_base64(sum::crc64, ""), "AAAAAAAAAAA=");
    EXPECT_EQ(sum_base64(sum::md5, ""), "1B2M2Y8AsgTpgAmY7PhCfg==");
}

}  // namespace headwater::http
