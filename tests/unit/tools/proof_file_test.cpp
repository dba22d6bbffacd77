// What one command remembers for the next.
#include "tools/headwater/proof_file.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace headwater::cli {

namespace {

struct proof_file_test : testing::Test {
    ~proof_file_test() override { std::filesystem::remove_all(folder); }

    std::string folder = testing::TempDir() + "headwater_proofs_" + std::to_string(::getpid());
    std::string path = folder + "/headwater/proofs";
};

}  // namespace

TEST_F(proof_file_test, a_proof_outlives_the_command)
{
    proof_file first(path);
    EXPECT_FALSE(first.has("s3://a", proof_of::creates));
    first.add("s3://a", proof_of::creates);
    first.add("s3://b", proof_of::updates);
    proof_file const next(path);
    EXPECT_TRUE(next.has("s3://a", proof_of::creates));
    EXPECT_FALSE(next.has("s3://a", proof_of::updates));
    EXPECT_TRUE(next.has("s3://b", proof_of::updates));
    EXPECT_TRUE(next.has("s3://b", proof_of::creates));
    EXPECT_FALSE(next.has("s3://", proof_of::creates)) << "a whole address, not its beginning";
}

TEST_F(proof_file_test, what_is_no_file_is_not_waited_for)
{
    std::filesystem::create_directories(folder + "/headwater");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    proof_file(path).add("s3://a", proof_of::creates);
    EXPECT_FALSE(proof_file(path).has("s3://a", proof_of::creates));
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/dev/zero", path);
    proof_file(path).add("s3://a", proof_of::creates);
    EXPECT_FALSE(proof_file(path).has("s3://a", proof_of::creates));
}

TEST_F(proof_file_test, what_cannot_be_kept_is_not_remembered)
{
    proof_file nowhere("");
    nowhere.add("s3://a", proof_of::creates);
    proof_file broken(path);
    broken.add("s3://a\ncreates s3://b", proof_of::creates);
    EXPECT_FALSE(proof_file(path).has("s3://b", proof_of::creates));
    std::filesystem::create_directories(folder + "/headwater");
    std::ofstream(path) << std::string(max_proof_file_bytes, 'x') << "\ncreates s3://a\n";
    EXPECT_FALSE(proof_file(path).has("s3://a", proof_of::creates));
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(proof_file_path, is_in_the_users_cache)
{
    auto const with = [](std::string cache, std::string home) {
        return proof_file_path([=](std::string_view name) -> std::optional<std::string> {
            auto const& value = name == "XDG_CACHE_HOME" ? cache : home;
            return value.empty() ? std::nullopt : std::optional(value);
        });
    };
    EXPECT_EQ(with("/c", "/h"), "/c/headwater/proofs");
    EXPECT_EQ(with("", "/h"), "/h/.cache/headwater/proofs");
    EXPECT_EQ(with("relative", "/h"), "/h/.cache/headwater/proofs");
    EXPECT_EQ(with("", ""), "");
}

}  // namespace headwater::cli
