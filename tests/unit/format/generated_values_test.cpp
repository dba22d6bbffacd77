// decode(encode(v)) == v for values from a seeded generator, and JSON that is judged as nlohmann's parser judges it.
#include "src/format/json_reader.hpp"
#include "tests/support/generated_values.hpp"
#include "tests/unit/format/samples.hpp"

#include <headwater/checkpoint.hpp>
#include <headwater/record.hpp>
#include <headwater/stream_metadata.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <set>
#include <vector>

namespace headwater {
namespace {

constexpr int rounds = 500;

TEST(generated_values, records_read_back)
{
    value_generator generate(1);
    for (int round = 0; round < rounds; ++round) {
        auto const value = generate.record();
        auto const json = encode(value);
        ASSERT_TRUE(json) << round << ": " << json.error().message();
        auto const back = decode_record(json->view(), *stream_id::parse(value.stream), value.seq);
        ASSERT_TRUE(back) << round << ": " << back.error().message() << '\n' << json->view();
        ASSERT_EQ(*back, value) << round;
        ASSERT_EQ(encode(*back)->view(), json->view()) << round;
        ASSERT_TRUE(nlohmann::json::accept(json->view())) << round;
    }
}

TEST(generated_values, checkpoints_read_back)
{
    value_generator generate(2);
    for (int round = 0; round < rounds; ++round) {
        auto const value = generate.checkpoint();
        auto const json = encode(value);
        ASSERT_TRUE(json) << round << ": " << json.error().message();
        auto const back = decode_checkpoint(json->view(), *stream_id::parse(value.stream), value.header.seq);
        ASSERT_TRUE(back) << round << ": " << back.error().message();
        ASSERT_EQ(*back, value) << round;
        ASSERT_EQ(digest_of(*back), value.state_digest) << round;
    }
}

TEST(generated_values, metadata_reads_back)
{
    value_generator generate(3);
    for (int round = 0; round < rounds; ++round) {
        auto const value = generate.metadata();
        auto const json = encode(value);
        ASSERT_TRUE(json) << round << ": " << json.error().message();
        auto const back = decode_stream_metadata(json->view(), *stream_id::parse(value.stream));
        ASSERT_TRUE(back) << round << ": " << back.error().message();
        ASSERT_EQ(*back, value) << round;
    }
}

bool is_accepted(std::string_view json)
{
    json_reader in(json);
    std::string_view raw;
    return in.read_raw(raw) && in.at_end();
}

/// What nlohmann's parser says, made as strict about duplicate members and a byte order mark. Nothing where that parser
/// gives up on a number that no double holds.
std::optional<bool> is_accepted_by_peer(std::string_view json)
{
    if (json.starts_with("\xEF\xBB\xBF")) return false;
    std::vector<std::set<std::string>> open;
    bool unique = true;
    auto const watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        if (event == nlohmann::json::parse_event_t::object_start) open.emplace_back();
        if (event == nlohmann::json::parse_event_t::object_end) open.pop_back();
        if (event == nlohmann::json::parse_event_t::key) unique &= open.back().insert(parsed.get<std::string>()).second;
        return true;
    };
    try {
        auto const parsed = nlohmann::json::parse(json, watch);
        return unique;
    } catch (nlohmann::json::parse_error const&) {
        return false;
    } catch (nlohmann::json::out_of_range const&) {
        return {};
    }
}

TEST(json_reader, known_texts_are_judged_right)
{
    for (auto const* json : {"0", "-0", "-1.5e+10", "1E-2", "\"\"", "true", "false", "null", "[]", "{}", " [ 1 , 2 ] ",
                             R"({"a":{"b":[{}]},"b":{"b":1}})", "\"\x7F\xC2\x80\""}) {
        EXPECT_TRUE(is_accepted(json)) << json;
        EXPECT_EQ(is_accepted_by_peer(json), true) << json;
    }
    for (auto const* json : {"",
                             " ",
                             "-",
                             "00",
                             "01",
                             "-01",
                             "1.",
                             ".5",
                             "1e",
                             "1e+",
                             "+1",
                             "0x1",
                             "NaN",
                             "Infinity",
                             "nul",
                             "tru",
                             "'a'",
                             "\"",
                             "\"\\\"",
                             "[",
                             "]",
                             "[1",
                             "[1,",
                             "[1,]",
                             "[,1]",
                             "{",
                             "{}}",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{1:1}",
                             "[1 2]",
                             "{\"a\":1 \"b\":2}",
                             "1 2",
                             "// c\n1",
                             "\"\x01\"",
                             "\"\xFF\"",
                             "[}",
                             "{]",
                             R"({"a":1,"a":1})",
                             "\xEF\xBB\xBF[]"}) {
        EXPECT_FALSE(is_accepted(json)) << json;
        EXPECT_EQ(is_accepted_by_peer(json), false) << json;
    }
}

TEST(json_reader, mutated_texts_are_judged_as_by_the_peer)
{
    value_generator generate(4);
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        auto const json = generate.mutated(generate.json(4));
        auto const here = is_accepted(json);
        accepted += here;
        auto const there = is_accepted_by_peer(json);
        ASSERT_EQ(here, there.value_or(here)) << testing::PrintToString(json);
    }
    EXPECT_GT(accepted, 2'000);
    EXPECT_LT(accepted, 18'000);
}

TEST(json_reader, strings_are_unescaped_as_by_the_peer)
{
    value_generator generate(5);
    for (int round = 0; round < 5'000; ++round) {
        auto const json = generate.escaped_string();
        std::string here;
        ASSERT_TRUE(json_reader(json).read(here)) << json;
        ASSERT_EQ(here, nlohmann::json::parse(json).get<std::string>()) << json;
    }
}

TEST(json_reader, integers_are_read_as_by_the_peer)
{
    value_generator generate(6);
    for (int round = 0; round < 5'000; ++round) {
        auto const value = generate.number();
        std::uint64_t here = 0;
        ASSERT_TRUE(json_reader(std::to_string(value)).read(here));
        ASSERT_EQ(here, value);
    }
}

}  // namespace
}  // namespace headwater
