// For each decoder: it ends, what it gives survives encode and decode, and what it refuses it explains.
#include "tests/fuzz/targets.hpp"

#include "src/base/base64url.hpp"
#include "src/base/sha256.hpp"
#include "src/format/json_reader.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/feed_cursor.hpp"

#include <headwater/checkpoint.hpp>
#include <headwater/heads.hpp>
#include <headwater/hint.hpp>
#include <headwater/intent.hpp>
#include <headwater/record.hpp>
#include <headwater/resolve.hpp>
#include <headwater/stream_metadata.hpp>

#include <charconv>
#include <stdexcept>
#include <string>

namespace headwater::fuzz {

namespace {

void promise(bool kept, char const* what)
{
    if (!kept) throw std::logic_error(what);
}

void promise_explained(error const& why)
{
    bool const known = why == errc::corrupt || why == errc::unsupported || why == errc::limit_exceeded
                       || why == errc::invalid_argument;
    promise(known, "an error of an unexpected kind");
    promise(why.why() && why.why()->detail.starts_with("$") && !why.why()->key.empty(), "an error without path or key");
}

/// The key that an object seems to claim, so that damage elsewhere is not hidden by a wrong seq.
std::uint64_t claimed_seq(std::string_view json)
{
    constexpr std::string_view name = "\"seq\":";
    std::uint64_t seq = 1;
    if (auto const at = json.find(name); at != json.npos) {
        std::from_chars(json.data() + at + name.size(), json.data() + json.size(), seq);
    }
    return seq;
}

stream_id claimed_stream(std::string_view json)
{
    constexpr std::string_view review = "review/2026.01ARZ3NDEKTSV4RRFFQ69G5FAV";
    return json.find(review) == json.npos ? stream_id() : *stream_id::parse(review);
}

/// Decode, encode, decode: the same value.
template <class Decode, class Encode>
void survive(std::string_view input, Decode decode, Encode encode)
{
    auto const value = decode(input);
    if (!value) return promise_explained(value.error());
    auto const json = encode(*value);
    if (!json && json.error().message().find("too deep for a head") != std::string::npos) return;
    promise(json.has_value(), "a value that was read cannot be written");
    auto const back = decode(json->view());
    promise(back.has_value() && *back == *value, "a value that was written reads back as another");
}

constexpr auto encoded = [](auto const& value) { return encode(value); };

void record_target(std::string_view input)
{
    auto const decode = [stream = claimed_stream(input), seq = claimed_seq(input)](std::string_view json) {
        return decode_record(json, stream, sequence(seq));
    };
    survive(input, decode, encoded);
}

void checkpoint_target(std::string_view input)
{
    auto const decode = [stream = claimed_stream(input), seq = claimed_seq(input)](std::string_view json) {
        return decode_checkpoint(json, stream, sequence(seq));
    };
    survive(input, decode, encoded);
}

/// A set's name is a digest, which no mutation meets: the refusal says what it would be.
void tombstones_target(std::string_view input)
{
    constexpr std::string_view marker = "the digest is ";
    std::string digest(64, '0');
    auto const decode = [&digest](std::string_view json) { return decode_tombstones(json, digest); };
    if (auto const value = decode(input); !value) {
        auto const& detail = value.error().message();
        if (auto const at = detail.find(marker); at != detail.npos) digest = detail.substr(at + marker.size(), 64);
    }
    survive(input, decode, encode_tombstones);
}

void hint_target(std::string_view input)
{
    auto const value = decode_hint(input);
    if (!value) return;
    auto const back = decode_hint(encode(*value).view());
    promise(back == value, "a hint that was written reads back as another");
    promise(value->checkpoint <= value->seq && value->seq <= last_sequence, "a hint beyond its bounds");
}

void graph_format_target(std::string_view input) { survive(input, decode_graph_format, encoded); }

void stream_metadata_target(std::string_view input)
{
    auto const decode = [stream = claimed_stream(input)](std::string_view json) {
        return decode_stream_metadata(json, stream);
    };
    survive(input, decode, encoded);
}

void branch_pointer_target(std::string_view input)
{
    auto const decode = [name = *branch_name::parse("review/2026")](std::string_view json) {
        return decode_branch_pointer(json, name);
    };
    survive(input, decode, encoded);
}

void intent_target(std::string_view input)
{
    auto const value = decode_intent(input);
    if (!value) promise_explained(value.error());
}

void expected_heads_target(std::string_view input)
{
    auto const value = decode_expected_heads(input);
    if (!value) promise_explained(value.error());
}

/// The text as it is, and the same as a cursor's JSON: the checksum would hide the decoder behind it.
void feed_cursor_target(std::string_view input)
{
    auto const sum = sha256(input);
    auto const sealed = to_base64url(std::string(input) + std::string(sum.begin(), sum.end()));
    for (auto const text : {input, std::string_view(sealed)}) {
        auto const value = decode_feed_cursor(text);
        if (!value) {
            promise(value.error() == errc::cursor_rejected, "an error of an unexpected kind");
            continue;
        }
        auto const back = decode_feed_cursor(encode(*value));
        promise(back && *back == *value, "a cursor that was read reads otherwise the second time");
    }
}

void resume_token_target(std::string_view input)
{
    auto const value = resume_token::parse(input);
    promise(value ? value->text() == input : value.error() == errc::invalid_argument, "two spellings of one token");
}

/// Any JSON value: what is passed is passed again, and a string of it is what it was.
void json_target(std::string_view input)
{
    json_reader in(input);
    std::string_view raw;
    if (!in.read_raw(raw) || !in.at_end()) return promise_explained(in.failure("input"));
    json_reader again(raw);
    std::string_view same;
    promise(again.read_raw(same) && again.at_end() && same == raw,
            "a value that was passed is refused the second time");
}

void names_target(std::string_view input)
{
    if (auto const branch = branch_name::parse(input)) {
        auto const stream = branch->is_main() ? stream_id() : stream_id::of(*branch, ulid());
        auto const parsed = stream_id::parse(stream.text());
        promise(parsed && *parsed == stream && stream.logical() == *branch, "a stream forgets its branch");
        promise(layout::parse_metadata(layout::metadata(stream).text()) == stream, "a key forgets its stream");
    }
    if (auto const stream = layout::parse_metadata(input)) {
        promise(layout::metadata(*stream).text() == input, "two keys for one stream");
    }
    if (auto const seq = layout::parse_record(input, stream_id())) {
        promise(layout::record(stream_id(), *seq).text() == input, "two keys for one record");
    }
    if (auto const id = parse_ulid(input)) promise(to_string(*id) == input, "two spellings of one ULID");
}

}  // namespace

std::span<target const> targets()
{
    static constexpr target list[] = {
        {"record", record_target},
        {"checkpoint", checkpoint_target},
        {"tombstones", tombstones_target},
        {"hint", hint_target},
        {"graph_format", graph_format_target},
        {"stream_metadata", stream_metadata_target},
        {"branch_pointer", branch_pointer_target},
        {"intent", intent_target},
        {"expected_heads", expected_heads_target},
        {"feed_cursor", feed_cursor_target},
        {"resume_token", resume_token_target},
        {"json", json_target},
        {"names", names_target},
    };
    return list;
}

}  // namespace headwater::fuzz
