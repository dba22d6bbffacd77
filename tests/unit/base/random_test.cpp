// Chance: the seeded source repeats itself on every machine, the system's does not.
#include <headwater/random.hpp>

#include <gtest/gtest.h>

#include <array>

namespace headwater {
namespace {

// Vectors from the reference C code at https://prng.di.unimi.it: xoshiro256** over four splitmix64 words.
TEST(seeded_random, the_seed_gives_the_reference_numbers)
{
    auto const chance = make_seeded_random(0);
    EXPECT_EQ(chance->next(), 0x99ec5f36cb75f2b4u);
    EXPECT_EQ(chance->next(), 0xbf6e1f784956452au);
    EXPECT_EQ(chance->next(), 0x1a5f849d4933e6e0u);
}

TEST(seeded_random, one_seed_repeats_and_another_differs)
{
    auto const one = make_seeded_random(7);
    auto const same = make_seeded_random(7);
    auto const other = make_seeded_random(8);
    auto const drawn = one->next();
    EXPECT_EQ(drawn, same->next());
    EXPECT_NE(drawn, other->next());
}

TEST(seeded_random, a_fill_of_any_length_fills_all_of_it)
{
    auto const chance = make_seeded_random(7);
    auto const again = make_seeded_random(7);
    std::array<std::byte, 11> bytes{};
    chance->fill(bytes);
    std::uint64_t first = again->next();
    for (std::size_t at = 0; at < 8; ++at, first >>= 8) {
        EXPECT_EQ(bytes[at], static_cast<std::byte>(first & 0xff));
    }
    EXPECT_EQ(bytes[8], static_cast<std::byte>(again->next() & 0xff));
}

TEST(system_random, two_draws_differ)
{
    auto const chance = make_system_random();
    EXPECT_NE(chance->next(), chance->next());
}

}  // namespace
}  // namespace headwater
