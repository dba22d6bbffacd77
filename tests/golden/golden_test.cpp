// The bytes of every kind of object, against files that never change (README.md beside them says what each holds).
#include <headwater/checkpoint.hpp>
#include <headwater/hint.hpp>
#include <headwater/record.hpp>
#include <headwater/stream_metadata.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace headwater {
namespace {

using namespace std::literals;

std::filesystem::path const folder = HEADWATER_SOURCE_DIR "/tests/golden";

std::string content(std::string const& name)
{
    std::ifstream file(folder / name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string text(result<bytes> const& encoded)
{
    EXPECT_TRUE(encoded) << encoded.error().message();
    return encoded ? std::string(encoded->view()) : std::string();
}

template <class T>
T value_of(result<T> decoded)
{
    return std::move(decoded).value();
}

stream_id review() { return *stream_id::parse("review/2026.01ARZ3NDEKTSV4RRFFQ69G5FAV"); }

record record_of(std::string const& name, std::uint64_t seq)
{
    return value_of(decode_record(content(name), stream_id(), sequence(seq)));
}

constexpr auto set_digest_hex = "0828399c225c58a9c4ccb9069efefe790e6abcafc719ff8c912b3e74b58b4756";

/// A file whose bytes decode, and that encoding gives back.
struct golden_file {
    std::string name;
    std::function<std::string(std::string const&)> written_again;
};

std::vector<golden_file> const& files()
{
    auto const record_at = [](std::uint64_t seq) {
        return
            [seq](std::string const& json) { return text(encode(value_of(decode_record(json, {}, sequence(seq))))); };
    };
    auto const checkpoint_at = [](stream_id const& stream, std::uint64_t seq) {
        return [=](std::string const& json) {
            return text(encode(value_of(decode_checkpoint(json, stream, sequence(seq)))));
        };
    };
    auto const metadata_of = [](stream_id const& stream) {
        return [=](std::string const& json) { return text(encode(value_of(decode_stream_metadata(json, stream)))); };
    };
    auto const format = [](std::string const& json) { return text(encode(value_of(decode_graph_format(json)))); };
    static std::vector<golden_file> const list = {
        {"record_first.json", record_at(1)},
        {"record_full.json", record_at(51)},
        {"record_retire.json", record_at(52)},
        {"record_greatest_seq.json", record_at(last_sequence.value())},
        {"rfc_0068_record_rewritten.json", record_at(4127)},
        {"checkpoint.json", checkpoint_at({}, 50)},
        {"checkpoint_empty.json", checkpoint_at(review(), 0)},
        {"tombstones.json",
         [](std::string const& json) {
             return text(encode_tombstones(value_of(decode_tombstones(json, set_digest_hex))));
         }},
        {"hint.json", [](std::string const& json) { return std::string(encode(decode_hint(json).value()).view()); }},
        {"format.json", format},
        {"format_pending.json", format},
        {"stream_main.json", metadata_of({})},
        {"stream_retired.json", metadata_of(review())},
        {"name.json",
         [](std::string const& json) {
             return text(encode(value_of(decode_branch_pointer(json, *branch_name::parse("review/2026")))));
         }},
    };
    return list;
}

TEST(golden, every_file_reads_and_is_written_with_the_same_bytes)
{
    for (auto const& [name, written_again] : files()) {
        auto const json = content(name);
        EXPECT_EQ(written_again(json), json) << name;
    }
}

TEST(golden, every_file_is_tested)
{
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        auto const name = entry.path().filename().string();
        if (entry.path().extension() != ".json" || name == "rfc_0068_record.json") continue;
        EXPECT_NE(std::ranges::find(files(), name, &golden_file::name), files().end()) << name;
    }
}

TEST(golden, rfc_example_is_read_as_it_stands)
{
    auto const value = record_of("rfc_0068_record.json", 4127);
    EXPECT_EQ(value.id.text(), "01K5...");
    EXPECT_EQ(value.parent->text(), "01K4...");
    EXPECT_EQ(value.actor, "act-ragnor");
    EXPECT_EQ(value.pins[0].version.staged_version, 9223372036854775901u);
    EXPECT_EQ(value.origin->source_stream, "review.01K3...");
    EXPECT_FALSE(value.carried);
    EXPECT_FALSE(value.state_digest);
    EXPECT_EQ(text(encode(value)), content("rfc_0068_record_rewritten.json"));
}

TEST(golden, digests_are_those_computed_elsewhere)
{
    auto const state = value_of(decode_checkpoint(content("checkpoint.json"), {}, sequence(50)));
    EXPECT_EQ(state.tombstoned.digest.hex(), set_digest_hex);
    EXPECT_EQ(state.state_digest.hex(), "8a892f210badb78a8136ecedcc460c0827e2adc98aad7c0c9acaaa233070b8fc");
    EXPECT_EQ(digest_of(state), state.state_digest);
    auto const empty = value_of(decode_checkpoint(content("checkpoint_empty.json"), review(), sequence(0)));
    EXPECT_EQ(digest_of(empty), empty.state_digest);
}

TEST(golden, full_record_has_what_the_readme_says)
{
    auto const value = record_of("record_full.json", 51);
    EXPECT_EQ(value.pins[0].version.metadata, R"({"rows":"48k","é":"\u0001\"\\\b\t\n\f\r\u001f)"
                                              "\x7F"
                                              R"("})");
    EXPECT_EQ(value.pins[0].unknown, (std::vector{unknown_member("colour", R"("colour":[1,2500.0,null])")}));
    EXPECT_EQ(value.carried->base, sequence(50));
    EXPECT_EQ(value.unknown, (std::vector{unknown_member("later", R"("later":{"x":1})")}));
}

}  // namespace
}  // namespace headwater
