// Spells keys and reads them back; nothing else does. Pure.
#include "src/format/object_layout.hpp"

#include "src/base/percent_encoding.hpp"

#include <headwater/digest.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace headwater::layout {

namespace {

constexpr std::string_view root = "_graph/";
constexpr std::string_view streams = "_graph/streams/";
constexpr std::string_view names = "_graph/names/";
constexpr std::string_view tombstone_sets = "_graph/tombstones/";
constexpr std::string_view schemas = "__history/schemas/";
constexpr std::string_view schema_suffix = ".schema";
constexpr std::string_view commit_suffix = ".commit";
constexpr std::string_view json_suffix = ".json";
constexpr std::string_view checkpoints = "checkpoints/";
constexpr std::size_t number_digits = 20;

/// Twenty digits, so that names sort as numbers do.
std::string padded(std::uint64_t value)
{
    auto const digits = std::to_string(value);
    return std::string(number_digits - digits.size(), '0') + digits;
}

std::optional<std::uint64_t> parse_padded(std::string_view text) noexcept
{
    std::uint64_t value = 0;
    if (text.size() != number_digits) return {};
    auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

bool take_prefix(std::string_view& text, std::string_view prefix) noexcept
{
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) noexcept
{
    if (!text.ends_with(suffix)) return false;
    text.remove_suffix(suffix.size());
    return true;
}

int upper_hex_value(char digit) noexcept
{
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return digit >= '0' && digit <= '9' ? digit - '0' : -1;
}

/// The text whose enc() is `encoded`; nothing if there is none (`%41`, `%2f`, a bare slash).
std::optional<std::string> dec(std::string_view encoded)
{
    std::string text;
    for (std::size_t at = 0; at < encoded.size(); ++at) {
        if (encoded[at] != '%') {
            text += encoded[at];
            continue;
        }
        if (encoded.size() - at < 3) return {};
        int const high = upper_hex_value(encoded[at + 1]);
        int const low = upper_hex_value(encoded[at + 2]);
        if (high < 0 || low < 0) return {};
        text += static_cast<char>(high * 16 + low);
        at += 2;
    }
    if (enc(text) != encoded) return {};
    return text;
}

/// Takes `_graph/{enc(stream)}/` off `key`, without making a string.
bool take_stream(std::string_view& key, stream_id const& stream) noexcept
{
    if (!take_prefix(key, root)) return false;
    for (char const c : stream.text()) {
        if (is_plain_in_key(c) ? !take_prefix(key, {&c, 1}) : !key.starts_with('%') || key.size() < 3) return false;
        if (is_plain_in_key(c)) continue;
        auto const byte = static_cast<unsigned char>(c);
        if (upper_hex_value(key[1]) != byte >> 4 || upper_hex_value(key[2]) != (byte & 15)) return false;
        key.remove_prefix(3);
    }
    return take_prefix(key, "/");
}

/// What stands between `prefix` and `suffix` if that is a digest as FORMAT spells it.
std::optional<std::string> parse_digest(std::string_view key, std::string_view prefix, std::string_view suffix)
{
    if (!take_prefix(key, prefix) || !take_suffix(key, suffix) || !set_digest::parse(key)) return {};
    return std::string(key);
}

}  // namespace

std::string enc(std::string_view text) { return percent_encoded(text); }

object_key format() { return object_key("_graph/format.json"); }

object_key name(branch_name const& branch) { return object_key(names_prefix() + enc(branch.text()) + ".json"); }

object_key metadata(stream_id const& stream) { return object_key(metadata_prefix() + enc(stream.text()) + ".json"); }

object_key record(stream_id const& stream, sequence seq)
{
    auto const reversed = std::numeric_limits<std::uint64_t>::max() - seq.value();
    return object_key(record_prefix(stream) + padded(reversed) + ".commit");
}

object_key checkpoint(stream_id const& stream, sequence seq)
{
    return object_key(record_prefix(stream) + "checkpoints/" + padded(seq.value()) + ".json");
}

object_key hint(stream_id const& stream) { return object_key(record_prefix(stream) + "latest.json"); }

object_key tombstones(std::string_view digest_hex)
{
    return object_key(tombstones_prefix() + std::string(digest_hex) + ".json");
}

object_key schema(std::string_view content_hash_hex)
{
    return object_key(schemas_prefix() + std::string(content_hash_hex) + ".schema");
}

std::string record_prefix(stream_id const& stream) { return std::string(root) + enc(stream.text()) + '/'; }

std::string metadata_prefix() { return std::string(streams); }

std::string graph_prefix() { return std::string(root); }

std::string names_prefix() { return std::string(names); }

std::string tombstones_prefix() { return std::string(tombstone_sets); }

std::string schemas_prefix() { return std::string(schemas); }

std::optional<sequence> parse_record(std::string_view key, stream_id const& stream) noexcept
{
    if (!take_stream(key, stream) || !take_suffix(key, commit_suffix)) return {};
    auto const reversed = parse_padded(key);
    if (!reversed) return {};
    sequence const seq(std::numeric_limits<std::uint64_t>::max() - *reversed);
    if (seq == sequence() || seq > last_sequence) return {};
    return seq;
}

std::optional<sequence> parse_checkpoint(std::string_view key, stream_id const& stream) noexcept
{
    if (!take_stream(key, stream) || !take_prefix(key, checkpoints) || !take_suffix(key, json_suffix)) return {};
    auto const seq = parse_padded(key);
    if (!seq || sequence(*seq) > last_sequence) return {};
    return sequence(*seq);
}

std::optional<stream_id> parse_metadata(std::string_view key)
{
    if (!take_prefix(key, streams) || !take_suffix(key, json_suffix)) return {};
    auto const text = dec(key);
    if (!text) return {};
    auto const stream = stream_id::parse(*text);
    if (!stream) return {};
    return *stream;
}

std::optional<stream_id> parse_record_prefix(std::string_view prefix)
{
    if (!take_prefix(prefix, root) || !take_suffix(prefix, "/")) return {};
    auto const text = dec(prefix);
    if (!text) return {};
    auto const stream = stream_id::parse(*text);
    if (!stream) return {};
    return *stream;
}

std::optional<branch_name> parse_name(std::string_view key)
{
    if (!take_prefix(key, names) || !take_suffix(key, json_suffix)) return {};
    auto const text = dec(key);
    if (!text) return {};
    auto const branch = branch_name::parse(*text);
    if (!branch || branch->is_main()) return {};
    return *branch;
}

std::optional<std::string> parse_tombstones(std::string_view key)
{
    return parse_digest(key, tombstone_sets, json_suffix);
}

std::optional<std::string> parse_schema(std::string_view key) { return parse_digest(key, schemas, schema_suffix); }

bool is_temporary(std::string_view key) noexcept
{
    constexpr std::string_view pattern = ".tmp.xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (key.size() < pattern.size()) return false;
    key.remove_prefix(key.size() - pattern.size());
    constexpr auto fits = [](char wanted, char found) {
        bool const digit =
            (found >= '0' && found <= '9') || (found >= 'a' && found <= 'f') || (found >= 'A' && found <= 'F');
        return wanted == 'x' ? digit : wanted == found;
    };
    return std::ranges::equal(pattern, key, fits);
}

}  // namespace headwater::layout
