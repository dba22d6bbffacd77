// set_digest as arithmetic: order, undoing, carries, and a sum computed elsewhere.
#include <headwater/digest.hpp>

#include <gtest/gtest.h>

#include <string>

namespace headwater {
namespace {

set_digest parsed(std::string const& hex)
{
    auto const digest = set_digest::parse(hex);
    EXPECT_TRUE(digest) << hex;
    return digest.value_or(set_digest());
}

TEST(set_digest, empty_set_is_zero) { EXPECT_EQ(set_digest().hex(), std::string(64, '0')); }

TEST(set_digest, one_element_is_its_sha256)
{
    set_digest digest;
    digest.add("abc");
    EXPECT_EQ(digest.hex(), sha256_hex("abc"));
}

TEST(set_digest, order_does_not_matter)
{
    set_digest left, right;
    for (auto const* element : {"a", "b", "c"}) left.add(element);
    for (auto const* element : {"c", "a", "b"}) right.add(element);
    EXPECT_EQ(left, right);
}

TEST(set_digest, subtract_undoes_add)
{
    set_digest digest;
    digest.add("kept");
    auto const before = digest;
    digest.add("gone");
    EXPECT_NE(digest, before);
    digest.subtract("gone");
    EXPECT_EQ(digest, before);
}

TEST(set_digest, sum_carries_through_every_limb_and_wraps)
{
    auto digest = parsed(std::string(64, 'f'));
    digest.add(parsed(std::string(63, '0') + "1"));
    EXPECT_EQ(digest, set_digest());
    digest.subtract(parsed(std::string(63, '0') + "1"));
    EXPECT_EQ(digest.hex(), std::string(64, 'f'));
}

TEST(set_digest, sum_of_two_known_hashes_is_the_big_endian_sum)
{
    // sha256("a") + sha256("b") mod 2^256, computed with big integers elsewhere.
    set_digest digest;
    digest.add("a");
    digest.add("b");
    EXPECT_EQ(digest.hex(), "08bb6928ca5517152e4b8118ff058d82334469f89d507abd84f46634858a4958");
}

TEST(set_digest, adding_a_set_adds_its_elements)
{
    set_digest one, two, both;
    one.add("a"), two.add("b"), both.add("a"), both.add("b");
    one.add(two);
    EXPECT_EQ(one, both);
    one.subtract(two);
    two = set_digest();
    two.add("a");
    EXPECT_EQ(one, two);
}

TEST(set_digest, only_64_lower_case_hex_digits_parse)
{
    auto const good = sha256_hex("x");
    EXPECT_EQ(parsed(good).hex(), good);
    for (auto const& bad : {std::string(), good.substr(1), good + "0", std::string(64, 'A'), std::string(64, 'g'),
                            std::string(63, '0') + ' ', "0x" + good.substr(2)}) {
        EXPECT_FALSE(set_digest::parse(bad)) << bad;
    }
}

}  // namespace
}  // namespace headwater
