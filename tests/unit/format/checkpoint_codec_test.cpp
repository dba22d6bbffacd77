// Checkpoints and tombstone sets: exact bytes, digests, and each refusal with its path.
#include "tests/unit/format/samples.hpp"

#include <headwater/checkpoint.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::literals;
using testing::HasSubstr;
using testing::StartsWith;

head sample_head(std::uint64_t id, std::string key)
{
    head value;
    value.table = {id, 1};
    value.table_key = std::move(key);
    value.location = "tables/" + std::to_string(id);
    value.registered_seq = sequence(1);
    value.head_commit_id = commit_id("c1"s);
    return value;
}

head pinned_head(std::uint64_t id, std::string key)
{
    auto value = sample_head(id, std::move(key));
    value.schema_hash = "s";
    value.version.emplace();
    value.version->target_version = 1201;
    value.version->staged_version = 9223372036854775901u;
    value.version->entity_count = 3;
    value.version->metadata = R"({"k": 1})";
    value.pinned_seq = sequence(40);
    return value;
}

tombstone sample_tombstone(std::uint64_t id)
{
    tombstone value;
    value.table = {id, 2};
    value.table_key = "node:Gone";
    value.location = "l";
    value.target_version = 7;
    value.seq = sequence(45);
    value.head_commit_id = commit_id("c45"s);
    return value;
}

set_digest digest_over(std::vector<tombstone> const& set)
{
    set_digest sum;
    for (auto const& each : set) sum.add(canonical_bytes(each));
    return sum;
}

/// Two heads, one tombstone in a set, one since.
checkpoint sample_checkpoint()
{
    checkpoint value;
    value.stream = "main";
    value.header.seq = sequence(50);
    value.header.head_commit_id = commit_id("c50"s);
    value.header.created_at = 1757900000000;
    value.heads = {sample_head(1, "node:A"), pinned_head(2, "node:B")};
    value.heads[1].unknown = {unknown_member("new", R"("new":[1, 2])")};
    value.tombstoned.count = 2;
    value.tombstoned.set = digest_over({sample_tombstone(8)}).hex();
    value.tombstoned.since = {sample_tombstone(9)};
    value.tombstoned.digest = digest_over({sample_tombstone(8), sample_tombstone(9)});
    value.state_digest = digest_of(value);
    return value;
}

std::string text_of(checkpoint const& value)
{
    auto const json = encode(value);
    EXPECT_TRUE(json) << json.error().message();
    return json ? std::string(json->view()) : std::string();
}

result<checkpoint> checkpoint_from(std::string_view json) { return decode_checkpoint(json, stream_id(), sequence(50)); }

TEST(checkpoint, bytes_are_those_of_the_format)
{
    auto const digest = sample_checkpoint().tombstoned.digest.hex();
    auto const set = *sample_checkpoint().tombstoned.set;
    EXPECT_EQ(
        text_of(sample_checkpoint()),
        R"({"format":1,"stream":"main","seq":50,"head_commit_id":"c50","created_at":1757900000000,"schema":null,"heads":[)"
        R"({"stable_table_id":1,"incarnation":1,"table_key":"node:A","location":"tables/1","registered_seq":1,"pin":null,)"
        R"("pinned_seq":null,"head_commit_id":"c1"},)"
        R"({"stable_table_id":2,"incarnation":1,"table_key":"node:B","location":"tables/2","schema_hash":"s",)"
        R"("registered_seq":1,"pin":{"target_version":1201,"staged_version":9223372036854775901,"transaction_uuid":null,)"
        R"("entity_count":3,"metadata":{"k": 1}},"pinned_seq":40,"head_commit_id":"c1","new":[1, 2]}],)"
        R"("tombstoned":{"count":2,"digest":")"
            + digest + R"(","set":")" + set
            + R"(","since":[{"stable_table_id":9,"incarnation":2,"table_key":"node:Gone","location":"l","target_version":7,)"
              R"("seq":45,"head_commit_id":"c45"}]},"state_digest":")"
            + sample_checkpoint().state_digest.hex() + "\"}");
}

TEST(checkpoint, decoding_gives_the_value_back)
{
    auto const value = checkpoint_from(text_of(sample_checkpoint()));
    ASSERT_TRUE(value) << value.error().message();
    EXPECT_EQ(*value, sample_checkpoint());
}

TEST(checkpoint, empty_state_reads_back)
{
    checkpoint value;
    value.stream = "main";
    value.state_digest = digest_of(value);
    auto const back = decode_checkpoint(text_of(value), stream_id(), sequence());
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, value);
}

TEST(checkpoint, digest_is_the_sum_over_header_heads_and_tombstones)
{
    auto const value = sample_checkpoint();
    set_digest sum;
    sum.add(canonical_bytes(value.header));
    for (auto const& each : value.heads) sum.add(canonical_bytes(each));
    sum.add(canonical_bytes(sample_tombstone(8)));
    sum.add(canonical_bytes(sample_tombstone(9)));
    EXPECT_EQ(digest_of(value), sum);
}

TEST(canonical_bytes, known_members_only)
{
    auto value = sample_head(1, "node:A");
    value.unknown = {unknown_member("new", R"("new":1)")};
    EXPECT_EQ(
        canonical_bytes(value),
        R"({"stable_table_id":1,"incarnation":1,"table_key":"node:A","location":"tables/1","registered_seq":1,"pin":null,)"
        R"("pinned_seq":null,"head_commit_id":"c1"})");
}

TEST(canonical_bytes, header_has_seq_commit_time_and_schema)
{
    state_header header;
    EXPECT_EQ(canonical_bytes(header), R"({"seq":0,"head_commit_id":null,"created_at":0,"schema":null})");
    header.seq = sequence(3);
    header.head_commit_id = commit_id("c\n3"s);
    header.created_at = 5;
    header.schema.emplace();
    header.schema->identity_version = 9;
    EXPECT_EQ(canonical_bytes(header),
              R"({"seq":3,"head_commit_id":"c\n3","created_at":5,"schema":{"identity_domain":"",)"
              R"("ir_hash":"","identity_version":9,"content_hash":""}})");
}

TEST(checkpoint, refusals_name_the_path_and_the_key)
{
    auto const full = text_of(sample_checkpoint());
    for (auto const& [what, by, path, why, code] : {
             refusal{R"("format":1)", R"("format":2)", "$.format", "format 2", errc::unsupported},
             refusal{R"("stream":"main")", R"("stream":"x")", "$.stream", "not the key's"},
             refusal{R"("seq":50)", R"("seq":51)", "$.seq", "`51` is not the key's, `50`"},
             refusal{R"("head_commit_id":"c50")", R"("head_commit_id":null)", "$.head_commit_id", "at seq 0"},
             refusal{R"("created_at":1757900000000)", R"("created_at":9007199254740992)", "$.created_at", "2248"},
             refusal{R"("stable_table_id":1,)", R"("stable_table_id":2,)", "$.heads[1]", "one incarnation of each"},
             refusal{R"("stable_table_id":1,)", R"("stable_table_id":3,)", "$.heads[1]", "sorted"},
             refusal{R"("node:A")", R"("node:B")", "$.heads", "the same table_key"},
             refusal{R"("pin":null)", R"("pin":{})", "$.heads[0].pin.target_version", "missing"},
             refusal{R"("pinned_seq":40)", R"("pinned_seq":null)", "$.heads[1]", "`pinned_seq`"},
             refusal{R"("pin":null,"pinned_seq":null)", R"("pin":null,"pinned_seq":1)", "$.heads[0]", "`pinned_seq`"},
             refusal{R"("new":[1, 2])", R"("new":[1, 2],"new":0)", "$.heads[1].new", "duplicate"},
             refusal{R"("count":2)", R"("count":1)", "$.tombstoned.count", "does not fit"},
             refusal{R"("count":2)", R"("count":-2)", "$.tombstoned.count", "negative"},
             refusal{R"("set":")", R"("set":"0)", "$.tombstoned.set", "64"},
             refusal{R"("seq":45)", R"("seq":44)", "$.tombstoned.digest", "not the sum"},
             refusal{R"("since":[)",
                     R"("since":[{"stable_table_id":9,"incarnation":2,"table_key":"","location":"","seq":1,)"
                     R"("head_commit_id":"c"},)",
                     "$.tombstoned.since[1]", "sorted"},
             refusal{R"("tombstoned":{)", R"("tombstoned":{"set":null,)", "$.tombstoned.set", "duplicate"},
             refusal{R"("state_digest":")", R"("state_digest":"0)", "$.state_digest", "64"},
             refusal{R"("state_digest":")", R"("state":")", "$.state_digest", "missing"},
         }) {
        auto const json = replaced(full, what, by);
        auto const value = checkpoint_from(json);
        ASSERT_FALSE(value) << json;
        EXPECT_EQ(value.error(), code) << value.error().message();
        EXPECT_THAT(value.error().why()->detail, StartsWith(path + ": "s)) << json;
        EXPECT_THAT(value.error().why()->detail, HasSubstr(why)) << json;
        EXPECT_EQ(value.error().why()->key, "_graph/main/checkpoints/00000000000000000050.json");
    }
}

TEST(checkpoint, set_of_nothing_is_null)
{
    auto value = sample_checkpoint();
    value.tombstoned.count = 1;
    value.tombstoned.set = set_digest().hex();
    value.tombstoned.digest = digest_over(value.tombstoned.since);
    EXPECT_THAT(encode(value).error().message(), HasSubstr("$.tombstoned.count"));
    value.tombstoned.set.reset();
    EXPECT_TRUE(encode(value));
}

TEST(checkpoint, what_no_reader_would_accept_is_not_written)
{
    auto value = sample_checkpoint();
    std::swap(value.heads[0], value.heads[1]);
    EXPECT_EQ(encode(value).error(), errc::invalid_argument);
}

TEST(checkpoint, all_heads_of_a_large_one_are_read)
{
    checkpoint value;
    value.stream = "main";
    value.header.seq = sequence(50);
    value.header.head_commit_id = commit_id("c50"s);
    for (std::uint64_t id = 1; id <= 3000; ++id) value.heads.push_back(sample_head(id, "node:T" + std::to_string(id)));
    value.state_digest = digest_of(value);
    auto const back = checkpoint_from(text_of(value));
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, value);
    EXPECT_LT(back->heads.capacity(), 2 * back->heads.size());
}

TEST(tombstones, set_reads_back_under_its_digest)
{
    std::vector<tombstone> const set = {sample_tombstone(8), sample_tombstone(9)};
    auto const json = encode_tombstones(set);
    ASSERT_TRUE(json) << json.error().message();
    auto const back = decode_tombstones(json->view(), digest_over(set).hex());
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, set);
}

TEST(tombstones, content_of_another_digest_is_corrupt)
{
    auto const json = encode_tombstones({sample_tombstone(8)});
    auto const other = digest_over({sample_tombstone(9)}).hex();
    auto const back = decode_tombstones(json->view(), other);
    EXPECT_EQ(back.error(), errc::corrupt);
    EXPECT_THAT(back.error().message(), HasSubstr("$.tombstones: the digest is "));
    EXPECT_EQ(back.error().why()->key, "_graph/tombstones/" + other + ".json");
}

TEST(tombstones, unsorted_or_repeated_ones_are_refused)
{
    EXPECT_EQ(encode_tombstones({sample_tombstone(9), sample_tombstone(8)}).error(), errc::invalid_argument);
    EXPECT_EQ(encode_tombstones({sample_tombstone(9), sample_tombstone(9)}).error(), errc::invalid_argument);
}

}  // namespace
}  // namespace headwater
