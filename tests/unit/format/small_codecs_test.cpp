// hint, format.json, stream metadata, names.
#include "src/format/codec.hpp"
#include "tests/unit/format/samples.hpp"

#include <headwater/hint.hpp>
#include <headwater/stream_metadata.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::literals;
using testing::HasSubstr;
using testing::StartsWith;

TEST(hint, bytes_are_those_of_the_format)
{
    EXPECT_EQ(encode(hint{sequence(4127), sequence(4100)}).view(), R"({"seq":4127,"checkpoint":4100})");
}

TEST(hint, accepted_spellings)
{
    struct row {
        char const* json;
        std::uint64_t seq;
        std::uint64_t checkpoint;
    };
    for (auto const& [json, seq, checkpoint] : {
             row{R"({"seq":4127,"checkpoint":4100})", 4127, 4100},
             row{R"({"checkpoint":4100,"seq":4127})", 4127, 4100},
             row{R"({"seq":5})", 5, 0},
             row{R"({"seq":0,"checkpoint":0})", 0, 0},
             row{R"({"seq":5,"checkpoint":5})", 5, 5},
             row{R"({"seq":5,"checkpoint":6})", 5, 0},
             row{R"({"seq":5,"checkpoint":null})", 5, 0},
             row{R"({"seq":5,"checkpoint":"4"})", 5, 0},
             row{R"({"seq":5,"checkpoint":4.0})", 5, 0},
             row{R"({"seq":5,"format":7,"new":{"a":[]}})", 5, 0},
             row{" {\n\"seq\" : 18446744073709551613 } ", 18446744073709551613u, 0},
         }) {
        auto const value = decode_hint(json);
        ASSERT_TRUE(value) << json;
        EXPECT_EQ(*value, (hint{sequence(seq), sequence(checkpoint)})) << json;
    }
}

TEST(hint, anything_else_is_absent)
{
    for (auto const& json : {""s,
                             " "s,
                             "{}"s,
                             "null"s,
                             "5"s,
                             "[5]"s,
                             R"({"seq":)"s,
                             R"({"seq":5)"s,
                             R"({"seq":5}x)"s,
                             R"({"seq":"5"})"s,
                             R"({"seq":5.0})"s,
                             R"({"seq":-5})"s,
                             R"({"seq":null})"s,
                             R"({"checkpoint":5})"s,
                             R"({"seq":5,"seq":5})"s,
                             R"({"seq":18446744073709551616})"s,
                             R"({"seq":18446744073709551614})"s,
                             R"({"seq":5,"x":})"s,
                             "\xEF\xBB\xBF{\"seq\":5}"s,
                             R"({"seq":5})"s + std::string(max_hint_bytes, ' ')}) {
        EXPECT_FALSE(decode_hint(json)) << json;
    }
}

constexpr auto format_json =
    R"({"format":1,"layout":"graph-commit-record","storage_stamp":15,"identity_domain":)"
    R"("01ARZ3NDEKTSV4RRFFQ69G5FAV","checkpoint_interval":50,"carry_limit":32768,"state":"pending",)"
    R"("created_at":1757900000000,"claim":{"operation":"convert","owner":"o","since":{"a": 1}},"converted_from":14,)"
    R"("new":{"a": 1}})";

TEST(graph_format, reads_and_writes_back)
{
    auto const value = decode_graph_format(format_json);
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(value->identity_domain, sample_ulid);
    EXPECT_EQ(value->checkpoint_interval, 50u);
    EXPECT_EQ(value->carry_limit, 32768u);
    EXPECT_EQ(value->state, graph_format::state_type::pending);
    EXPECT_EQ(value->claim->owner, "o");
    EXPECT_EQ(value->converted_from, 14u);
    EXPECT_EQ(encode(*value)->view(), format_json);
}

stream_id short_stream() { return *stream_id::parse("r/1."s + sample_ulid); }

template <class Decode>
void expect_refusals(std::string_view full, Decode decode, char const* key, std::initializer_list<refusal> rows)
{
    for (auto const& [what, by, path, why, code] : rows) {
        auto const json = replaced(full, what, by);
        auto const value = decode(json);
        ASSERT_FALSE(value) << json;
        EXPECT_EQ(value.error(), code) << value.error().message();
        EXPECT_THAT(value.error().why()->detail, StartsWith(path + ": "s)) << json;
        EXPECT_THAT(value.error().why()->detail, HasSubstr(why)) << json;
        EXPECT_EQ(value.error().why()->key, key);
    }
}

TEST(graph_format, refusals_name_the_path_and_the_key)
{
    expect_refusals(
        format_json, decode_graph_format, "_graph/format.json",
        {
            {R"("format":1)", R"("format":2)", "$.format", "format 2", errc::unsupported},
            {R"("graph-commit-record")", R"("manifest")", "$.layout", "`manifest`", errc::unsupported},
            {R"("storage_stamp":15,"identity_domain")", R"("storage_stamp":14,"i")", "$.storage_stamp", "is 14",
             errc::unsupported},
            {R"("storage_stamp":15)", R"("storage_stamp":16)", "$.storage_stamp", "is 16", errc::unsupported},
            {R"("storage_stamp":15)", R"("storage_stamp":"15")", "$.storage_stamp", "found a string"},
            {R"("storage_stamp":15,)", "", "$.storage_stamp", "missing"},
            {R"("layout":"graph-commit-record",)", "", "$.layout", "missing"},
            {R"("01ARZ3NDEKTSV4RRFFQ69G5FAV")", R"("...")", "$.identity_domain", "ULID"},
            {R"("checkpoint_interval":50)", R"("checkpoint_interval":0)", "$.checkpoint_interval", "not from 1"},
            {R"("checkpoint_interval":50)", R"("checkpoint_interval":1001)", "$.checkpoint_interval", "not from 1"},
            {R"("state":"pending")", R"("state":"ready")", "$.state", "`active`"},
            {R"("created_at":1757900000000)", R"("created_at":8796093022208)", "$.created_at", "2248"},
            {R"(,"owner":"o")", "", "$.claim.owner", "missing"},
            {R"("converted_from":14)", R"("converted_from":"14")", "$.converted_from", "found a string"},
            {R"("new":{"a": 1})", R"("new":{"a": 1,"a":2})", "$.new.a", "duplicate"},
        });
}

TEST(graph_format, absent_options_are_left_out)
{
    auto value = *decode_graph_format(format_json);
    value.claim.reset();
    value.converted_from.reset();
    value.unknown.clear();
    value.state = graph_format::state_type::active;
    EXPECT_THAT(std::string(encode(value)->view()),
                testing::EndsWith(R"("state":"active","created_at":1757900000000})"));
}

constexpr auto metadata_json =
    R"({"format":1,"stream":"r/1.01ARZ3NDEKTSV4RRFFQ69G5FAV","logical":"r/1",)"
    R"("parent":{"stream":"main","seq":437,"commit_id":"c","later":[1, 2]},"creator":"me","created_at":5,"floor":437,)"
    R"("retired":{"at":9,"by":"you","final_seq":440,"why":"done"},"new":0})";

TEST(stream_metadata, reads_and_writes_back)
{
    auto const value = decode_stream_metadata(metadata_json, short_stream());
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(value->parent->seq, sequence(437));
    EXPECT_EQ(value->floor, sequence(437));
    EXPECT_EQ(value->retired->final_seq, sequence(440));
    EXPECT_EQ(encode(*value)->view(), metadata_json);
}

TEST(stream_metadata, mains_has_nulls)
{
    constexpr auto json =
        R"({"format":1,"stream":"main","logical":"main","parent":null,"creator":"me","created_at":5,"floor":0,)"
        R"("retired":null})";
    auto const value = decode_stream_metadata(json, stream_id());
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(encode(*value)->view(), json);
}

TEST(stream_metadata, refusals_name_the_path_and_the_key)
{
    expect_refusals(metadata_json, [](std::string_view json) { return decode_stream_metadata(json, short_stream()); },
                    "_graph/streams/r%2F1.01ARZ3NDEKTSV4RRFFQ69G5FAV.json",
                    {
                        {R"("stream":"r/1)", R"("stream":"r/2)", "$.stream", "not the key's"},
                        {R"("logical":"r/1")", R"("logical":"r/2")", "$.logical", "`r/2` is not the key's, `r/1`"},
                        {R"("stream":"main")", R"("stream":"dev")", "$.parent.stream", "not the name of a stream"},
                        {R"("stream":"main")", R"("stream":"r/1.01ARZ3NDEKTSV4RRFFQ69G5FAV")", "$", "its own parent"},
                        {R"("floor":437)", R"("floor":18446744073709551615)", "$.floor", "greatest seq"},
                        {R"("creator":"me",)", "", "$.creator", "missing"},
                        {R"("floor":437,)", "", "$.floor", "missing"},
                        {R"("final_seq":440)", R"("final_seq":1e3)", "$.retired.final_seq", "exponent"},
                        {R"("created_at":5)", R"("created_at":8796093022208)", "$.created_at", "2248"},
                    });
}

constexpr auto pointer_json = R"({"format":1,"logical":"r/1","stream":"r/1.01ARZ3NDEKTSV4RRFFQ69G5FAV","new":0})";

TEST(branch_pointer, reads_and_writes_back)
{
    auto const value = decode_branch_pointer(pointer_json, *branch_name::parse("r/1"));
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(value->stream, short_stream().text());
    EXPECT_EQ(encode(*value)->view(), pointer_json);
}

TEST(branch_pointer, refusals_name_the_path_and_the_key)
{
    expect_refusals(pointer_json,
                    [](std::string_view json) { return decode_branch_pointer(json, *branch_name::parse("r/1")); },
                    "_graph/names/r%2F1.json",
                    {
                        {R"("logical":"r/1")", R"("logical":"r/2")", "$.logical", "not the key's"},
                        {R"("stream":"r/1.)", R"("stream":"r/2.)", "$.stream", "`r/2` is not the key's, `r/1`"},
                        {R"("stream":"r/1.)", R"("stream":"r/1)", "$.stream", "not the name of a stream"},
                        {R"(,"new":0})", R"(,"new":0)", "$.new", "the end of the text"},
                    });
}

TEST(of_stored, object_larger_than_its_format_lets_it_be_is_corrupt_and_names_the_limit)
{
    object_key const key("_graph/format.json");
    auto const large = of_stored(error(errc::limit_exceeded, "max_body: 9 bytes"), key, max_metadata_bytes);
    EXPECT_EQ(large, errc::corrupt);
    EXPECT_EQ(large.why()->key, key.text());
    EXPECT_EQ(large.why()->detail, "the object is larger than max_metadata_bytes, 65536 bytes");
    EXPECT_EQ(of_stored(errc::unavailable, key, max_metadata_bytes), errc::unavailable);
    EXPECT_EQ(of_stored(errc::not_found, key, max_metadata_bytes), errc::not_found);
}

}  // namespace
}  // namespace headwater
