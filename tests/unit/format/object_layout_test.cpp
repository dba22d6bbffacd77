// Keys against the spellings of FORMAT section 2, and the keys that are not ours.
#include "src/format/object_layout.hpp"

#include "tests/unit/format/samples.hpp"

#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::literals;

stream_id review() { return *stream_id::parse("review/2026."s + sample_ulid); }

TEST(object_layout, keys_are_spelled_as_the_format_says)
{
    stream_id const main;
    EXPECT_EQ(layout::format().text(), "_graph/format.json");
    EXPECT_EQ(layout::name(*branch_name::parse("review/2026")).text(), "_graph/names/review%2F2026.json");
    EXPECT_EQ(layout::metadata(main).text(), "_graph/streams/main.json");
    EXPECT_EQ(layout::metadata(review()).text(), "_graph/streams/review%2F2026.01ARZ3NDEKTSV4RRFFQ69G5FAV.json");
    EXPECT_EQ(layout::record(main, sequence(1)).text(), "_graph/main/18446744073709551614.commit");
    EXPECT_EQ(layout::record(main, sequence(437)).text(), "_graph/main/18446744073709551178.commit");
    EXPECT_EQ(layout::record(main, sequence(4127)).text(), "_graph/main/18446744073709547488.commit");
    EXPECT_EQ(layout::record(main, last_sequence).text(), "_graph/main/00000000000000000002.commit");
    EXPECT_EQ(layout::checkpoint(main, sequence(4100)).text(), "_graph/main/checkpoints/00000000000000004100.json");
    EXPECT_EQ(layout::hint(main).text(), "_graph/main/latest.json");
    EXPECT_EQ(layout::tombstones("ab").text(), "_graph/tombstones/ab.json");
    EXPECT_EQ(layout::schema("ab").text(), "__history/schemas/ab.schema");
    EXPECT_EQ(layout::record_prefix(review()), "_graph/review%2F2026.01ARZ3NDEKTSV4RRFFQ69G5FAV/");
    EXPECT_EQ(layout::metadata_prefix(), "_graph/streams/");
}

TEST(object_layout, enc_leaves_only_plain_bytes)
{
    EXPECT_EQ(layout::enc("AZaz09_-."), "AZaz09_-.");
    EXPECT_EQ(layout::enc("a/b c%~\xC3\xB6"), "a%2Fb%20c%25%7E%C3%B6");
}

TEST(object_layout, record_names_read_back)
{
    for (auto const seq : {sequence(1), sequence(4127), last_sequence}) {
        for (auto const& stream : {stream_id(), review()}) {
            EXPECT_EQ(layout::parse_record(layout::record(stream, seq).text(), stream), seq);
        }
    }
}

TEST(object_layout, other_keys_are_no_records)
{
    for (auto const* key : {
             "",
             "_graph/main/",
             "_graph/main/18446744073709551614.commit.tmp.5b0c",
             "_graph/main/8446744073709551614.commit",
             "_graph/main/118446744073709551614.commit",
             "_graph/main/1844674407370955161x.commit",
             "_graph/main/+8446744073709551614.commit",
             "_graph/main/99999999999999999999.commit",
             "_graph/main/18446744073709551615.commit",  // seq 0
             "_graph/main/00000000000000000001.commit",  // seq 2^64-2
             "_graph/main/00000000000000000000.commit",
             "_graph/main/x/18446744073709551614.commit",
             "_graph/main/latest.json",
             "_graph/main/.DS_Store",
             "_graph/other/18446744073709551614.commit",
             "_graph/mainly/18446744073709551614.commit",
             "main/18446744073709551614.commit",
         }) {
        EXPECT_FALSE(layout::parse_record(key, stream_id())) << key;
    }
    auto lower = layout::record(review(), sequence(1)).text();
    lower.replace(lower.find("%2F"), 3, "%2f");
    EXPECT_FALSE(layout::parse_record(lower, review()));
}

TEST(object_layout, checkpoint_names_read_back_and_others_do_not)
{
    for (auto const seq : {sequence(0), sequence(50), last_sequence}) {
        EXPECT_EQ(layout::parse_checkpoint(layout::checkpoint(review(), seq).text(), review()), seq);
    }
    for (auto const* key : {"_graph/main/checkpoints/50.json", "_graph/main/00000000000000000050.json",
                            "_graph/main/checkpoints/00000000000000000050.json.tmp.1",
                            "_graph/main/checkpoints/18446744073709551615.json"}) {
        EXPECT_FALSE(layout::parse_checkpoint(key, stream_id())) << key;
    }
}

TEST(object_layout, metadata_names_read_back_and_others_do_not)
{
    for (auto const& stream : {stream_id(), review()}) {
        EXPECT_EQ(layout::parse_metadata(layout::metadata(stream).text()), stream);
    }
    for (auto const* key :
         {"_graph/streams/main", "_graph/streams/other.json", "_graph/names/main.json", "_graph/streams/%6Dain.json",
          "_graph/streams/a/b.01ARZ3NDEKTSV4RRFFQ69G5FAV.json", "_graph/streams/a%2fb.01ARZ3NDEKTSV4RRFFQ69G5FAV.json",
          "_graph/streams/a%2.01ARZ3NDEKTSV4RRFFQ69G5FAV.json", "_graph/streams/a%FF.01ARZ3NDEKTSV4RRFFQ69G5FAV.json",
          "_graph/streams/%", "_graph/streams/main.json.tmp.1"}) {
        EXPECT_FALSE(layout::parse_metadata(key)) << key;
    }
}

TEST(is_temporary, only_the_exact_shape_is)
{
    constexpr std::string_view before = "_graph/main/latest.json";
    auto const is = [&](std::string_view after) {
        return layout::is_temporary(std::string(before) + std::string(after));
    };
    EXPECT_TRUE(is(".tmp.0123abcd-0123-4567-89ab-0123456789ab"));
    EXPECT_TRUE(is(".tmp.0123ABCD-0123-4567-89AB-0123456789AB"));
    EXPECT_FALSE(is(".tmp.0123abcd-0123-4567-89ab-0123456789a"));
    EXPECT_FALSE(is(".tmp.0123abcd-0123-4567-89ab-0123456789abc"));
    EXPECT_FALSE(is(".tmp.0123abcd00123-4567-89ab-0123456789ab"));
    EXPECT_FALSE(is(".tmp.g123abcd-0123-4567-89ab-0123456789ab"));
    EXPECT_FALSE(is(".tmp"));
    EXPECT_FALSE(is(""));
}

}  // namespace
}  // namespace headwater
