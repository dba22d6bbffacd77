// Published vectors, and the two implementations against each other.
#include "src/base/sha256.hpp"

#include <headwater/digest.hpp>

#include <gtest/gtest.h>

#include <random>

namespace headwater {
namespace {

struct vector_row {
    std::string content;
    char const* hex;
};

std::vector<vector_row> const& fips_vectors()
{
    static std::vector<vector_row> const rows = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqr"
         "stu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    return rows;
}

TEST(sha256, known_content_has_the_published_digest)
{
    for (auto const& row : fips_vectors()) EXPECT_EQ(sha256_hex(row.content), row.hex) << row.content.size();
}

TEST(sha256, portable_code_has_the_published_digest)
{
    for (auto const& row : fips_vectors()) {
        auto const portable = sha256_detail::sha256_with(sha256_detail::compress_portable, row.content);
        EXPECT_EQ(portable, sha256(row.content)) << row.content.size();
    }
}

TEST(sha256, both_implementations_agree_at_every_length)
{
    auto const accelerated = sha256_detail::compress_accelerated();
    if (!accelerated) GTEST_SKIP() << "this processor has no SHA instructions";
    std::mt19937_64 chance(7);
    std::string content;
    for (int length = 0; length < 1000; ++length) {
        EXPECT_EQ(sha256_detail::sha256_with(accelerated, content),
                  sha256_detail::sha256_with(sha256_detail::compress_portable, content))
            << length;
        content += static_cast<char>(chance());
    }
}

}  // namespace
}  // namespace headwater
