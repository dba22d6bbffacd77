// Records: exact bytes, and each refusal with its path. The reader's own rules are tested here, through a record.
#include "tests/unit/format/samples.hpp"

#include <headwater/record.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A record in FORMAT's order, with every member; replaced() makes one thing wrong with it.
constexpr auto full_record =
    R"({"format":1,"seq":7,"commit_id":"c7","parent_commit_id":"c6","stream":"main","actor":"a",)"
    R"("created_at":1757900000000,"schema":{"identity_domain":"d","ir_hash":"i","identity_version":9,)"
    R"("content_hash":"h"},"pins":[{"stable_table_id":12,"incarnation":3,"table_key":"node:Person",)"
    R"("target_version":1201,"staged_version":9223372036854775901,"transaction_uuid":"u",)"
    R"("entity_count":48012,"table_branch":"b","metadata":{"k": [1, 2.5e3]},"schema_hash":"s","new":1}],)"
    R"("registrations":[{"stable_table_id":13,"incarnation":1,"table_key":"edge:Knows","location":"l",)"
    R"("schema_hash":"s","also":null}],"tombstones":[{"stable_table_id":1,"incarnation":1,)"
    R"("table_key":"t"}],"renames":[{"stable_table_id":2,"incarnation":1,"from":"f","to":"g"}],)"
    R"("lineage":{"kind":"merge","source_stream":"s","source_seq":5,"merged_parent_commit_id":"m"},)"
    R"("idempotency_key":"k","source":{"from": 14},"carry":{"base":5,"heads":[{"stable_table_id":12,)"
    R"("incarnation":3,"table_key":"node:Person","location":"l","registered_seq":1,"pin":null,)"
    R"("pinned_seq":null,"head_commit_id":"c1"}],"tombstones":[{"stable_table_id":3,"incarnation":1,)"
    R"("table_key":"t","location":"l","target_version":4,"table_branch":"b","seq":6,)"
    R"("head_commit_id":"c6"}]},)"
    R"("state_digest":"00000000000000000000000000000000000000000000000000000000000000ff","later":{"x":1}})";

result<record> record_from(std::string_view json) { return decode_record(json, stream_id(), sequence(7)); }

TEST(record, full_record_reads_every_member)
{
    auto const value = record_from(full_record);
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(value->seq, sequence(7));
    EXPECT_EQ(value->id.text(), "c7");
    EXPECT_EQ(value->parent->text(), "c6");
    EXPECT_EQ(value->actor, "a");
    EXPECT_EQ(value->created_at, 1757900000000u);
    EXPECT_EQ(value->schema->identity_version, 9u);
    ASSERT_EQ(value->pins.size(), 1u);
    EXPECT_EQ(value->pins[0].table, (table_identity{12, 3}));
    EXPECT_EQ(value->pins[0].version.staged_version, 9223372036854775901u);
    EXPECT_EQ(value->pins[0].version.metadata, R"({"k": [1, 2.5e3]})");
    EXPECT_EQ(value->pins[0].unknown, (std::vector{unknown_member("new", R"("new":1)")}));
    EXPECT_EQ(value->registrations[0].unknown, (std::vector{unknown_member("also", R"("also":null)")}));
    EXPECT_EQ(value->tombstones[0].table_key, "t");
    EXPECT_EQ(value->renames[0].to, "g");
    EXPECT_EQ(value->origin->source_seq, 5u);
    EXPECT_EQ(value->source, R"({"from": 14})");
    EXPECT_EQ(value->carried->base, sequence(5));
    EXPECT_EQ(value->carried->heads[0].head_commit_id.text(), "c1");
    EXPECT_EQ(value->carried->tombstones[0].seq, sequence(6));
    EXPECT_EQ(value->state_digest->hex(), std::string(62, '0') + "ff");
    EXPECT_EQ(value->unknown, (std::vector{unknown_member("later", R"("later":{"x":1})")}));
}

TEST(record, encoding_gives_the_same_bytes_back)
{
    auto const json = encode(*record_from(full_record));
    ASSERT_TRUE(json) << json.error().message();
    EXPECT_EQ(json->view(), full_record);
}

TEST(record, members_in_any_order_read_the_same)
{
    auto const moved =
        replaced(replaced(full_record, R"("format":1,)", ""), R"("later":{"x":1}})", R"("later":{"x":1},"format":1})");
    auto const value = record_from(moved);
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(*value, *record_from(full_record));
}

TEST(record, optional_members_may_be_absent_or_null)
{
    for (auto const* name :
         {"carry", "state_digest", "source", "idempotency_key", "lineage", "actor", "schema", "parent_commit_id"}) {
        auto const absent = record_from(without_member(full_record, name));
        auto const null = record_from(with_member(full_record, name, "null"));
        ASSERT_TRUE(absent) << name << ": " << absent.error().message();
        ASSERT_TRUE(null) << name << ": " << null.error().message();
        EXPECT_EQ(*absent, *null) << name;
        EXPECT_NE(*absent, *record_from(full_record)) << name;
    }
}

TEST(record, nullable_members_are_always_written)
{
    auto value = *record_from(full_record);
    value.pins[0].version = pin();
    value.actor.reset();
    value.origin.reset();
    auto const json = encode(value);
    ASSERT_TRUE(json);
    EXPECT_THAT(std::string(json->view()),
                HasSubstr(R"("staged_version":null,"transaction_uuid":null,"entity_count":0,"schema_hash")"));
    EXPECT_THAT(std::string(json->view()), HasSubstr(R"("actor":null)"));
    EXPECT_THAT(std::string(json->view()), HasSubstr(R"("lineage":null)"));
}

TEST(record, retire_has_only_its_kind)
{
    auto value = *record_from(with_member(full_record, "lineage", R"({"kind":"retire"})"));
    EXPECT_EQ(value.origin->kind, lineage::kind_type::retire);
    auto const json = encode(value);
    ASSERT_TRUE(json);
    EXPECT_THAT(std::string(json->view()), HasSubstr(R"("lineage":{"kind":"retire"},)"));
}

TEST(record, missing_member_is_corrupt_and_named)
{
    for (auto const* name :
         {"format", "seq", "commit_id", "stream", "created_at", "pins", "registrations", "tombstones", "renames"}) {
        auto const value = record_from(without_member(full_record, name));
        ASSERT_FALSE(value) << name;
        EXPECT_EQ(value.error(), errc::corrupt) << name;
        EXPECT_THAT(value.error().why()->detail, StartsWith("$."s + name + ": the member is missing")) << name;
    }
}

TEST(record, refusals_name_the_path_and_the_key)
{
    for (auto const& [what, by, path, why, code] : {
             refusal{R"("seq":7)", R"("seq":8)", "$.seq", "`8` is not the key's, `7`"},
             refusal{R"("stream":"main")", R"("stream":"other")", "$.stream", "`other` is not the key's, `main`"},
             refusal{R"("seq":7)", R"("seq":7.0)", "$.seq", "a fraction or exponent"},
             refusal{R"("seq":7)", R"("seq":7e0)", "$.seq", "a fraction or exponent"},
             refusal{R"("seq":7)", R"("seq":-7)", "$.seq", "a negative number"},
             refusal{R"("seq":7)", R"("seq":-0)", "$.seq", "a negative number"},
             refusal{R"("seq":7)", R"("seq":07)", "$.seq", "a leading zero"},
             refusal{R"("seq":7)", R"("seq":"7")", "$.seq", "expected an unsigned integer, found a string"},
             refusal{R"("seq":7)", R"("seq":true)", "$.seq", "found a boolean"},
             refusal{R"("seq":7)", R"("seq":null)", "$.seq", "found null"},
             refusal{R"("seq":7)", R"("seq":18446744073709551616)", "$.seq", "above 18446744073709551615"},
             refusal{R"("seq":7)", R"("seq":7,"seq":7)", "$.seq", "a duplicate member"},
             refusal{R"("format":1)", R"("format":0)", "$.format", "the format is not 1"},
             refusal{R"("format":1)", R"("format":"1")", "$.format", "found a string"},
             refusal{R"("format":1)", R"("format":1.0)", "$.format", "a fraction"},
             refusal{R"("format":1)", R"("format":2)", "$.format", "format 2", errc::unsupported},
             refusal{R"("later":{"x":1}})", R"("format":2)", "$.format", "duplicate"},
             refusal{R"("commit_id":"c7")", R"("commit_id":"")", "$.commit_id", "not empty"},
             refusal{R"("commit_id":"c7")", R"("commit_id":7)", "$.commit_id", "expected a string, found a number"},
             refusal{R"("parent_commit_id":"c6")", R"("parent_commit_id":"")", "$.parent_commit_id", "not empty"},
             refusal{R"(1757900000000)", R"(8796093022208)", "$.created_at", "2248"},
             refusal{R"("identity_version":9)", R"("identity_version":"9")", "$.schema.identity_version",
                     "found a string"},
             refusal{R"("ir_hash":"i",)", "", "$.schema.ir_hash", "missing"},
             refusal{R"("schema":{)", R"("schema":[{)", "$.schema", "expected an object, found an array"},
             refusal{R"("pins":[{)", R"("pins":{)", "$.pins", "expected an array, found an object"},
             refusal{R"("pins":[{)", R"("pins":[5,{)", "$.pins[0]", "expected an object, found a number"},
             refusal{R"([{"stable_table_id":12)", R"([{"stable_table_id":0)", "$.pins[0].stable_table_id",
                     "at least 1"},
             refusal{R"("incarnation":3)", R"("incarnation":0)", "$.pins[0].incarnation", "at least 1"},
             refusal{R"("target_version":1201,)", "", "$.pins[0].target_version", "missing"},
             refusal{R"("target_version":1201,)", R"("target_version":1201,"target_version":1201,)",
                     "$.pins[0].target_version", "a duplicate member"},
             refusal{R"("metadata":{"k": [1, 2.5e3]})", R"("metadata":[1])", "$.pins[0].metadata",
                     "expected an object"},
             refusal{R"({"k": [1, 2.5e3]})", R"({"k": [1, 2.5e]})", "$.pins[0].metadata.k[1]", "without a digit"},
             refusal{R"({"k": [1, 2.5e3]})", R"({"k":{"a":1,"b":2,"a":3}})", "$.pins[0].metadata.k.a", "a duplicate"},
             refusal{R"({"k": [1, 2.5e3]})", R"({"k":1,"\u006b":1})", R"($.pins[0].metadata["\u006b"])", "a duplicate"},
             refusal{R"("new":1)", R"("new":1,"new":2)", "$.pins[0].new", "a duplicate member"},
             refusal{R"("new":1)", R"("new":01)", "$.pins[0].new", "a leading zero"},
             refusal{R"("also":null)", R"("also":nul)", "$.registrations[0].also", "expected a value"},
             refusal{R"("location":"l",)", "", "$.registrations[0].location", "missing"},
             refusal{R"("from":"f",)", "", "$.renames[0].from", "missing"},
             refusal{R"("kind":"merge")", R"("kind":"graft")", "$.lineage.kind", "does not know", errc::unsupported},
             refusal{R"("kind":"merge",)", "", "$.lineage.kind", "missing"},
             refusal{R"(,"merged_parent_commit_id":"m")", "", "$.lineage.merged_parent_commit_id", "missing"},
             refusal{R"("merged_parent_commit_id":"m")", R"("merged_parent_commit_id":"")",
                     "$.lineage.merged_parent_commit_id", "not empty"},
             refusal{R"("source":{"from": 14})", R"("source":"x")", "$.source", "expected an object"},
             refusal{R"("base":5)", R"("base":7)", "$.carry.base", "not before"},
             refusal{R"("pinned_seq":null)", R"("pinned_seq":1)", "$.carry.heads[0]", "`pin`"},
             refusal{R"("registered_seq":1,)", "", "$.carry.heads[0].registered_seq", "missing"},
             refusal{R"("head_commit_id":"c1")", R"("head_commit_id":null)", "$.carry.heads[0].head_commit_id",
                     "found null"},
             refusal{R"("tombstones":[{"stable_table_id":3,)", R"("tombstones":[{"stable_table_id":0,)",
                     "$.carry.tombstones[0].stable_table_id", "at least 1"},
             refusal{"00ff\"", "00FF\"", "$.state_digest", "lower-case hex"},
             refusal{R"("later")", "\"la\xC0\x80ter\"", "$", "invalid UTF-8"},
             refusal{R"("actor":"a")", "\"actor\":\"\xED\xA0\x80\"", "$.actor", "invalid UTF-8"},
             refusal{R"("actor":"a")", R"("actor":"\ud800")", "$.actor", "a lone surrogate"},
             refusal{R"("actor":"a")", R"("actor":"\udc00")", "$.actor", "a lone surrogate"},
             refusal{R"("actor":"a")", R"("actor":"\ud800A")", "$.actor", "a lone surrogate"},
             refusal{R"("actor":"a")", R"("actor":"\ud800\ud800")", "$.actor", "a lone surrogate"},
             refusal{R"("actor":"a")", R"("actor":"\x")", "$.actor", "an unknown escape"},
             refusal{R"("actor":"a")", R"("actor":"\u12g4")", "$.actor", "four hex digits"},
             refusal{R"("actor":"a")", "\"actor\":\"\t\"", "$.actor", "a control character"},
             refusal{R"("actor":"a",)", R"("actor":"a",,)", "$.actor", "expected a member's name"},
             refusal{R"("actor":"a",)", R"("actor" "a",)", "$.actor", "expected a colon"},
             refusal{R"("actor":"a",)", R"("actor":"a";)", "$.actor", "expected a comma or a closing brace, found `;`"},
             refusal{R"({"x":1}})", R"({"x":1},})", "$.later", "a comma before the closing bracket"},
             refusal{R"({"x":1}})", R"({"x":1})", "$.later", "found the end of the text"},
             refusal{R"({"x":1}})", R"({"x":1}}x)", "$", "nothing but white space"},
             refusal{R"({"x":1}})", R"({"x":1}}{})", "$", "nothing but white space"},
             refusal{R"({"format":1,)", "\xEF\xBB\xBF{\"format\":1,", "$", "a byte order mark"},
         }) {
        auto const json = replaced(full_record, what, by);
        auto const value = record_from(json);
        ASSERT_FALSE(value) << json;
        EXPECT_EQ(value.error(), code) << json << '\n' << value.error().message();
        EXPECT_THAT(value.error().why()->detail, StartsWith(path + ": "s)) << json;
        EXPECT_THAT(value.error().why()->detail, HasSubstr(why)) << json;
        EXPECT_EQ(value.error().why()->key, "_graph/main/18446744073709551608.commit");
    }
}

TEST(record, error_names_the_byte)
{
    auto const value = record_from(replaced(full_record, R"("seq":7)", R"("seq":"7")"));
    EXPECT_EQ(value.error().why()->detail, "$.seq: expected an unsigned integer, found a string, at byte 18");
}

TEST(record, empty_and_oversized_objects_are_said_to_be_so)
{
    auto const empty = record_from("");
    EXPECT_EQ(empty.error(), errc::corrupt);
    EXPECT_THAT(empty.error().message(), HasSubstr("empty, 0 bytes"));
    auto const padded = std::string(full_record) + std::string(max_record_bytes, ' ');
    auto const large = record_from(padded);
    EXPECT_EQ(large.error(), errc::limit_exceeded);
    EXPECT_THAT(large.error().message(), HasSubstr("max_record_bytes"));
    EXPECT_TRUE(record_from(std::string_view(padded).substr(0, max_record_bytes)));
}

TEST(record, newer_format_is_unsupported_whatever_else_is_wrong)
{
    for (auto const* json : {
             R"({"format":2})",
             R"({"seq":"x","format" : 2,"seq":)",
             R"({"a":{"format":1},"b":["format",1],"format":18446744073709551616})",
             R"({"a":"\"","\u0066ormat":3)",
             R"({"a":tru,"format":2,"format":1})",
             "\xEF\xBB\xBF{\"format\":2}",
             R"({"format":"x","format":2})",
             R"({"\u12":1,"format":2})",
             "{\"a\":\"\xFF\",\"format\":2}",
         }) {
        auto const value = record_from(json);
        EXPECT_EQ(value.error(), errc::unsupported) << json;
        EXPECT_THAT(value.error().message(), HasSubstr("$.format")) << json;
    }
    for (auto const* json : {
             R"({"a":{"format":2}})",
             R"({"a":"format","b":2})",
             R"({"format":2.5})",
             R"({"format":02})",
             R"({"format":-2})",
             R"({"format":1,"format":2})",
             R"({"format)",
             R"({"format")",
             R"({"format":)",
             R"({"a":"\)",
             R"({}{"format":2})",
         }) {
        EXPECT_EQ(record_from(json).error(), errc::corrupt) << json;
    }
}

TEST(record, nesting_up_to_64_is_read_and_kept)
{
    auto const nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(record_from(with_member(full_record, "later", nested(63))));
    auto const deep = record_from(with_member(full_record, "later", nested(64)));
    EXPECT_EQ(deep.error(), errc::corrupt);
    EXPECT_THAT(deep.error().message(), HasSubstr("nested deeper than 64"));
    EXPECT_EQ(record_from(with_member(full_record, "later", std::string(1'000'000, '['))).error(), errc::corrupt);
}

TEST(record, many_unknown_members_with_a_duplicate_are_corrupt)
{
    std::string members;
    for (int at = 0; at < 20'000; ++at) members += "\"m" + std::to_string(at) + "\":0,";
    auto const value = record_from(replaced(full_record, R"("later":)", (members + R"("m777":)").c_str()));
    EXPECT_EQ(value.error(), errc::corrupt);
    EXPECT_THAT(value.error().message(), HasSubstr("$.m777: a duplicate member"));
}

TEST(record, heads_of_a_carry_are_sorted_and_unique)
{
    auto const value = [](std::string const& one, std::string const& two) {
        return record_from(
            with_member(full_record, "carry", R"({"base":5,"heads":[)" + one + ',' + two + R"(],"tombstones":[]})"));
    };
    EXPECT_TRUE(value(head_json(1, 1, "a"), head_json(2, 1, "b")));
    EXPECT_THAT(value(head_json(2, 1, "a"), head_json(1, 1, "b")).error().message(),
                HasSubstr("$.carry.heads[1]: heads are sorted"));
    EXPECT_THAT(value(head_json(1, 1, "a"), head_json(1, 2, "b")).error().message(),
                HasSubstr("$.carry.heads[1]: heads are sorted"));
    EXPECT_THAT(value(head_json(1, 1, "a"), head_json(2, 1, "a")).error().message(),
                HasSubstr("$.carry.heads: two live heads"));
}

TEST(record, what_no_reader_would_accept_is_not_written)
{
    auto const refused = [](auto change) {
        auto value = *record_from(full_record);
        change(value);
        auto const json = encode(value);
        EXPECT_FALSE(json);
        return json ? std::string() : json.error().message();
    };
    EXPECT_THAT(refused([](record& r) { r.seq = sequence(); }), HasSubstr("$.seq: "));
    EXPECT_THAT(refused([](record& r) { r.seq = last_sequence.next(); }), HasSubstr("$.seq: "));
    EXPECT_THAT(refused([](record& r) { r.stream = "other"; }), HasSubstr("a stream is"));
    EXPECT_THAT(refused([](record& r) { r.id = commit_id(); }), HasSubstr("$.commit_id: "));
    EXPECT_THAT(refused([](record& r) { r.created_at = max_created_at_ms; }), HasSubstr("$.created_at: "));
    EXPECT_THAT(refused([](record& r) { r.actor = "\xFF"; }), HasSubstr("$.actor: invalid UTF-8"));
    EXPECT_THAT(refused([](record& r) { r.source = "{"; }), HasSubstr("$.source"));
    EXPECT_THAT(refused([](record& r) { r.source = R"({},"more":1)"; }), HasSubstr("another value"));
    EXPECT_THAT(refused([](record& r) { r.pins[0].table.incarnation = 0; }), HasSubstr("$.pins[0].incarnation: "));
    EXPECT_THAT(refused([](record& r) { r.pins[0].version.metadata = "1"; }), HasSubstr("$.pins[0].metadata: "));
    EXPECT_THAT(refused([](record& r) { r.unknown[0].text = R"("actor":1)"; }),
                HasSubstr("$.actor: a duplicate member"));
    EXPECT_THAT(refused([](record& r) { r.origin->kind = lineage::kind_type::retire; }), HasSubstr("another value"));
    EXPECT_THAT(refused([](record& r) { r.carried->base = r.seq; }), HasSubstr("$.carry.base: "));
    EXPECT_THAT(refused([](record& r) { r.actor = std::string(max_record_bytes, 'a'); }),
                HasSubstr("max_record_bytes"));
}

TEST(record, what_a_later_carry_could_not_hold_is_not_written)
{
    auto const nested = [](std::size_t depth) {
        return R"({"a\"[":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + '}';
    };
    auto value = *record_from(full_record);
    value.pins[0].version.metadata = nested(59);
    EXPECT_TRUE(encode(value));
    value.pins[0].version.metadata = nested(60);
    EXPECT_EQ(encode(value).error(), errc::invalid_argument);
    value = *record_from(full_record);
    value.registrations[0].unknown[0].text = R"("also":)" + nested(60);
    EXPECT_TRUE(encode(value));
    value.registrations[0].unknown[0].text = R"("also":)" + nested(61);
    EXPECT_EQ(encode(value).error(), errc::invalid_argument);
}

TEST(record, strings_are_escaped_as_the_format_says)
{
    auto value = *record_from(full_record);
    value.actor = "\"\\/\b\t\n\f\r\x01\x1F\x7F\xC3\xA9\xF0\x9F\x98\x80"s + '\0';
    auto const json = encode(value);
    ASSERT_TRUE(json) << json.error().message();
    EXPECT_THAT(std::string(json->view()), HasSubstr(R"("actor":"\"\\/\b\t\n\f\r\u0001\u001f)"
                                                     "\x7F\xC3\xA9\xF0\x9F\x98\x80"
                                                     R"(\u0000",)"));
}

TEST(record, every_escape_is_read)
{
    auto const value =
        record_from(with_member(full_record, "actor", R"("\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00\u0000")"));
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(value->actor, "\"\\/\b\f\n\r\t\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"s + '\0');
}

TEST(record, white_space_between_tokens_is_no_matter)
{
    std::string spaced;
    for (char const c : std::string_view(full_record)) {
        spaced += c;
        if (c == ',' || c == '{' || c == '[') spaced += " \t\r\n";
    }
    EXPECT_TRUE(record_from(" \n" + spaced + " \n"));
}

}  // namespace
}  // namespace headwater
