// The only file that spells keys: FORMAT section 2, and back again. Pure.
#pragma once

#include <headwater/export.hpp>
#include <headwater/names.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace headwater::layout {

/// Percent-encodes every byte outside `A-Z a-z 0-9 _ - .`, upper-case hex.
std::string enc(std::string_view text);

object_key format();                                           ///< `_graph/format.json`
object_key name(branch_name const& branch);                    ///< `_graph/names/{enc}.json`
object_key metadata(stream_id const& stream);                  ///< `_graph/streams/{enc}.json`
object_key record(stream_id const& stream, sequence seq);      ///< `_graph/{enc}/{u64max - seq}.commit`
object_key checkpoint(stream_id const& stream, sequence seq);  ///< `_graph/{enc}/checkpoints/{seq}.json`
object_key hint(stream_id const& stream);                      ///< `_graph/{enc}/latest.json`
object_key tombstones(std::string_view digest_hex);            ///< `_graph/tombstones/{64 hex}.json`
object_key schema(std::string_view content_hash_hex);          ///< `__history/schemas/{64 hex}.schema`

std::string record_prefix(stream_id const& stream);  ///< `_graph/{enc}/`, where record names sort first
std::string metadata_prefix();                       ///< `_graph/streams/`
std::string graph_prefix();                          ///< `_graph/`
std::string names_prefix();                          ///< `_graph/names/`
std::string tombstones_prefix();                     ///< `_graph/tombstones/`
std::string schemas_prefix();                        ///< `__history/schemas/`

/// The seq that a key below `record_prefix(stream)` is the record name of; nothing for any other key.
std::optional<sequence> parse_record(std::string_view key, stream_id const& stream) noexcept;
/// The same for checkpoint names.
std::optional<sequence> parse_checkpoint(std::string_view key, stream_id const& stream) noexcept;
/// The stream whose metadata stands at `key`; nothing for any other key.
std::optional<stream_id> parse_metadata(std::string_view key);
/// The stream whose objects stand below `prefix`, `_graph/{enc(stream)}/`; nothing for any other.
std::optional<stream_id> parse_record_prefix(std::string_view prefix);
/// The branch whose name object stands at `key`.
std::optional<branch_name> parse_name(std::string_view key);
/// The digest, 64 lower-case hex, that a tombstone set's or an archived schema's key has.
std::optional<std::string> parse_tombstones(std::string_view key);
std::optional<std::string> parse_schema(std::string_view key);
/// Whether the key ends in `.tmp.` and a UUID: what a write to a file store goes to before it has its name.
bool is_temporary(std::string_view key) noexcept;

}  // namespace headwater::layout
