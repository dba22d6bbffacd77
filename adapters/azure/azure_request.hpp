// Builds the requests of the Blob service that the store needs, without authorisation. Pure.
// Stands between the store's calls and shared_key, which signs what these functions answer.
#pragma once

#include "adapters/azure/location.hpp"
#include "adapters/http/message.hpp"

#include <headwater/object_store.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace headwater::azure {

/// The most bytes of an answer that is no object: an error, or the empty body of a write.
inline constexpr std::uint64_t max_answer_bytes = 64u << 10;
/// The version of the service from which on `startFrom` begins a listing in the middle.
inline constexpr std::string_view start_from_since = "2026-02-06";

/// The requests answer `invalid_argument` for a key that the service would refuse or change: empty, too long, not
/// UTF-8, with a control character, or with a backslash, which Azure turns into a slash. Other characters are
/// percent-encoded once; nothing is normalised. The same error is for an etag that cannot stand in a header field.

/// Get Blob.
result<http::request> get_blob(location const& at, object_key const& key, get_options const& options);
/// The rest of a blob that is still the one with this etag.
result<http::request> get_rest(location const& at, object_key const& key, byte_range range, std::string_view tag,
                               get_options const& options);
/// Get Blob Properties.
result<http::request> get_properties(location const& at, object_key const& key);
/// Put Blob, whatever is there.
result<http::request> put_blob(location const& at, object_key const& key, bytes content);
/// Put Blob if nothing is there.
result<http::request> create_blob(location const& at, object_key const& key, bytes content);
/// Put Blob if `expected` is there.
result<http::request> replace_blob(location const& at, object_key const& key, bytes content, etag const& expected);
/// Delete Blob; one with snapshots is refused by the service.
result<http::request> delete_blob(location const& at, object_key const& key);
/// List Blobs: one page. Before `start_from_since` the service cannot begin at a key: every page below `start_after` is
/// fetched and filtered, which costs one request for each `max_keys` of them.
result<http::request> list_blobs(location const& at, std::string_view prefix, list_options const& options);

}  // namespace headwater::azure
