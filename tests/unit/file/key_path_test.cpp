// Keys as paths: the log's are their own, the odd ones escape and come back.
#include "adapters/file/key_path.hpp"

#include <gtest/gtest.h>

namespace headwater::file {
namespace {

constexpr std::string_view temporary = "latest.json.tmp.0123abcd-0123-4567-89ab-0123456789ab";

TEST(name_of, a_segment_has_its_file_name)
{
    struct row {
        std::string_view segment;
        std::string_view name;
    };
    using namespace std::string_view_literals;
    constexpr row rows[] = {
        {"_graph", "_graph"},
        {"18446744073709551614.commit", "18446744073709551614.commit"},
        {"review%2F2026.01ARZ3NDEKTSV4RRFFQ69G5FAV", "review%2F2026.01ARZ3NDEKTSV4RRFFQ69G5FAV"},
        {"a b+c%d&e=f~g#h?i@j:k", "a b+c%d&e=f~g#h?i@j:k"},
        {"...", "..."},
        {"", "%!"},
        {".", "%!%2E"},
        {"..", "%!%2E%2E"},
        {"%!", "%!%25%21"},
        {"%!x", "%!%25%21x"},
        {"a\0b"sv, "%!a%00b"},
        {temporary, temporary},
    };
    for (auto const& [segment, name] : rows) {
        EXPECT_EQ(name_of(segment), name);
        EXPECT_EQ(segment_of(name), segment) << name;
    }
}

TEST(segment_of, a_name_that_no_segment_has_is_foreign)
{
    for (std::string_view const name : {std::string_view("%!a"), std::string_view("%!%2e"), std::string_view("%!%2"),
                                        std::string_view("%!%zz"), std::string_view("%!a%2Eb")}) {
        EXPECT_FALSE(segment_of(name)) << name;
    }
}

TEST(path_of, each_slash_divides)
{
    EXPECT_EQ(join(path_of("a/b/c")), "a/b/c");
    EXPECT_EQ(join(path_of("a//b")), "a/%!/b");
    EXPECT_EQ(join(path_of("a/")), "a/%!");
    EXPECT_EQ(join(path_of("/a")), "%!/a");
    EXPECT_EQ(join(path_of("../../etc/passwd")), "%!%2E%2E/%!%2E%2E/etc/passwd");
}

}  // namespace
}  // namespace headwater::file
