// codec: what every encode() and decode() does besides its table: size limits, a newer format, errors with the object's
// key, and the proof that what was written reads back as the same value.
#pragma once

#include "src/format/members.hpp"

#include <headwater/bytes.hpp>
#include <headwater/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headwater {

struct size_limit {
    std::string_view name;
    std::size_t bytes;
};

inline constexpr size_limit hint_limit{"max_hint_bytes", max_hint_bytes};
inline constexpr size_limit metadata_limit{"max_metadata_bytes", max_metadata_bytes};
inline constexpr size_limit record_limit{"max_record_bytes", max_record_bytes};
inline constexpr size_limit checkpoint_limit{"max_checkpoint_bytes", max_checkpoint_bytes};
inline constexpr size_limit schema_limit{"max_schema_bytes", max_schema_bytes};

/// What a `get` bounded by `most` failed with. An object that is larger than the format lets it be is `corrupt`, not a
/// limit that the caller has reached: nobody wrote it by this format.
error of_stored(error const& what, object_key const& key, std::size_t most);

/// The `format` of the object in `text` if that is an integer above `format_version`, wherever the object has it and
/// whatever else is wrong with the text. One that is greater than u64 reads as the greatest u64.
std::optional<std::uint64_t> newer_format(std::string_view text);

/// `limit_exceeded`, naming the limit, if `size` is above it.
std::optional<error> above(size_limit limit, std::size_t size, std::string const& key);

/// What is wrong with an object before its first byte is parsed: size, emptiness, a newer format.
std::optional<error> refused_unread(std::string_view json, size_limit limit, std::string const& key);

/// Whether the member `name` is what the object's key says; else `in` is failed, naming both.
bool is_keys(json_reader& in, std::string_view name, std::string_view found, std::string_view in_key);

/// Whether an object's `stream` and `seq` are its key's.
bool stands_at(json_reader& in, std::string_view stream, sequence seq, stream_id const& key_stream, sequence key_seq);

/// Reads one object. `check(in, value)` has the rules that go beyond its members.
template <class T, class Check>
result<T> decode_object(std::string_view json, size_limit limit, object_key const& key, Check check)
{
    if (auto refusal = refused_unread(json, limit, key.text())) return *std::move(refusal);
    json_reader in(json);
    T value;
    if (read_value(in, value) && in.at_end() && check(in, value)) return value;
    return in.failure(key.text());
}

/// The refusal to write what `decode` would not give back.
error unreadable(std::string const& key, error const& why);

/// Writes one object. What is written here must be readable for ever, so it is read back: `decode(json)`.
template <class T, class Decode>
result<bytes> encode_object(T const& value, size_limit limit, object_key const& key, Decode decode)
{
    std::string json;
    json_writer out(json);
    write_value(out, value);
    if (auto refusal = above(limit, json.size(), key.text())) return *std::move(refusal);
    result<T> const back = decode(std::string_view(json));
    if (!back) return unreadable(key.text(), back.error());
    if (*back != value) return unreadable(key.text(), error());
    return bytes(std::move(json));
}

}  // namespace headwater
