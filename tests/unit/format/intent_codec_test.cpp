// What a caller's intent may say, and each way in which it is refused.
#include "src/format/members.hpp"
#include "tests/unit/format/samples.hpp"

#include <headwater/intent.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto full_intent =
    R"({"actor":"a","schema":{"identity_domain":"d","ir_hash":"i","identity_version":9,"content_hash":"h"},)"
    R"("pins":[{"stable_table_id":12,"incarnation":3,"table_key":"k","target_version":1201,)"
    R"("entity_count":2,"new":1}],)"
    R"("registrations":[{"stable_table_id":13,"incarnation":1,"table_key":"k2","location":"l","also":2}],)"
    R"("tombstones":[{"stable_table_id":1,"incarnation":1,"table_key":"t"}],)"
    R"("renames":[{"stable_table_id":2,"incarnation":1,"from":"f","to":"g"}],)"
    R"("lineage":{"kind":"fast_forward","source_stream":"main","source_seq":3,)"
    R"("merged_parent_commit_id":"m"},"idempotency_key":"once"})";

TEST(intent, every_member_is_read)
{
    auto const value = decode_intent(full_intent);
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(value->actor, "a");
    EXPECT_EQ(value->schema->content_hash, "h");
    EXPECT_EQ(value->pins[0].unknown, (std::vector{unknown_member("new", R"("new":1)")}));
    EXPECT_EQ(value->registrations[0].unknown, (std::vector{unknown_member("also", R"("also":2)")}));
    EXPECT_EQ(value->tombstones[0].table, (table_identity{1, 1}));
    EXPECT_EQ(value->renames[0].to, "g");
    EXPECT_EQ(value->origin->kind, lineage::kind_type::fast_forward);
    EXPECT_EQ(value->idempotency_key, "once");
}

TEST(intent, only_pins_are_needed)
{
    auto const value = decode_intent(R"({"pins":[]})");
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(*value, intent());
    EXPECT_THAT(decode_intent("{}").error().message(), HasSubstr("$.pins: the member is missing"));
}

TEST(intent, null_schema_keeps_the_one_in_force)
{
    EXPECT_FALSE(decode_intent(R"({"pins":[],"schema":null})")->schema);
}

TEST(intent, refusals_are_the_callers_and_name_the_path)
{
    struct refusal {
        char const* what;
        char const* by;
        char const* path;
        char const* why;
    };
    for (auto const& [what, by, path, why] : {
             refusal{R"("actor":)", R"("actr":)", "$.actr", "an unknown member"},
             refusal{R"("actor":)", R"("format":1,"actor":)", "$.format", "an unknown member"},
             refusal{R"("actor":)", R"("seq":1,"actor":)", "$.seq", "an unknown member"},
             refusal{R"("ir_hash":"i")", R"("ir_hash":"i","x":1)", "$.schema.x", "an unknown member"},
             refusal{R"("table_key":"t")", R"("table_key":"t","x":1)", "$.tombstones[0].x", "an unknown member"},
             refusal{R"("to":"g")", R"("to":"g","x":1)", "$.renames[0].x", "an unknown member"},
             refusal{R"("source_seq":3)", R"("source_seq":3,"x":1)", "$.lineage.x", "an unknown member"},
             refusal{R"("new":1)", R"("location":"l")", "$.pins[0].location", "one of the head's own"},
             refusal{R"("new":1)", R"("pinned_seq":1)", "$.pins[0].pinned_seq", "one of the head's own"},
             refusal{R"("new":1)", R"("p\u0069n":{})", R"($.pins[0]["p\u0069n"])", "one of the head's own"},
             refusal{R"("also":2)", R"("head_commit_id":2)", "$.registrations[0].head_commit_id",
                     "one of the head's own"},
             refusal{R"("new":1)", R"("new":1,"new":2)", "$.pins[0].new", "a duplicate member"},
             refusal{R"("kind":"fast_forward")", R"("kind":"graft")", "$.lineage.kind", "does not know"},
             refusal{R"("stable_table_id":12)", R"("stable_table_id":0)", "$.pins[0].stable_table_id", "at least 1"},
             refusal{R"("registrations":[{)", R"("registrations":null,"x":[{)", "$.registrations", "expected an array"},
             refusal{R"("once"})", R"("once"}})", "$", "nothing but white space"},
         }) {
        auto const json = replaced(full_intent, what, by);
        auto const value = decode_intent(json);
        ASSERT_FALSE(value) << json;
        EXPECT_EQ(value.error(), errc::invalid_argument) << value.error().message();
        EXPECT_THAT(value.error().why()->detail, StartsWith(path + ": "s)) << json;
        EXPECT_THAT(value.error().why()->detail, HasSubstr(why)) << json;
    }
    EXPECT_EQ(decode_intent("").error(), errc::invalid_argument);
    EXPECT_EQ(decode_intent(std::string(max_record_bytes + 1, ' ')).error(), errc::limit_exceeded);
}

TEST(is_head_member, says_the_page)
{
    for (auto const* name : {"stable_table_id", "incarnation", "table_key", "location", "schema_hash", "registered_seq",
                             "pin", "pinned_seq", "head_commit_id"}) {
        EXPECT_TRUE(is_head_member(name)) << name;
    }
    for (auto const* name : {"", "target_version", "Pin", "seq"}) EXPECT_FALSE(is_head_member(name)) << name;
}

}  // namespace
}  // namespace headwater
