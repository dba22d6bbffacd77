// The requests of S3's REST for each operation of the port, unsigned. Pure.
// Stands between s3_store and the signer: targets are encoded once, queries are in canonical order.
#pragma once

#include "adapters/http/message.hpp"

#include <headwater/adapters/http.hpp>
#include <headwater/object_store.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::s3 {

/// The longest key that S3 takes, prefix included, in bytes.
inline constexpr std::size_t max_key_bytes = 1024;
/// The largest answer read that is no object: error bodies and the answers to writes.
inline constexpr std::uint64_t max_answer_body = 64u << 10;
/// The largest listing page read: 1,000 keys of 1,024 bytes, all of them escaped, and 1 KiB of markup each.
inline constexpr std::uint64_t max_list_body = 5u << 20;

/// Where keys live: what precedes them in the path and in the bucket.
class location {
public:
    /// `base` is encoded (`/bucket`, or empty); `prefix` is not, and has no slash at an end.
    location(std::string base, std::string_view prefix, body_checksum with = body_checksum::none);

    /// The name in the bucket: prefix, slash, key.
    std::string full(std::string_view key) const { return root_ + std::string(key); }
    /// The path of a key, encoded.
    std::string path(std::string_view key) const;
    /// The path of the bucket.
    std::string const& bucket_path() const noexcept { return base_.empty() ? slash_ : base_; }
    /// What every name in the bucket begins with; empty or ending with a slash.
    std::string const& root() const noexcept { return root_; }
    /// What goes with bodies.
    body_checksum checksum() const noexcept { return checksum_; }

private:
    std::string base_;
    std::string root_;
    std::string slash_ = "/";
    body_checksum checksum_;
};

/// The rule that a call breaks, if it does: `invalid_argument`, nothing may be sent.
std::optional<error> check_key(location const& where, std::string_view key);
std::optional<error> check_etag(std::string_view tag);
std::optional<error> check(get_options const& options);
std::optional<error> check(location const& where, std::string_view prefix, list_options const& options);

http::request get_request(location const& where, std::string_view key, get_options const& options);
/// The rest of an object that is still the one with this etag.
http::request rest_request(location const& where, std::string_view key, byte_range range, std::string_view tag,
                           get_options const& options);
http::request head_request(location const& where, std::string_view key);
http::request put_request(location const& where, std::string_view key, bytes content);
http::request create_request(location const& where, std::string_view key, bytes content);
/// `tag` goes into If-Match as it stands.
http::request update_request(location const& where, std::string_view key, bytes content, std::string_view tag);
http::request remove_request(location const& where, std::string_view key);
http::request list_request(location const& where, std::string_view prefix, list_options const& options);

/// DeleteObjects: up to 1,000 keys, all of which `fits_xml`; the answer tells of each.
http::request remove_many_request(location const& where, std::vector<object_key> const& keys);
/// Whether XML 1.0 can carry the key: it has no control characters but tab, line feed and carriage return.
bool fits_xml(std::string_view key) noexcept;

/// The etag without its quotes, for stores that compare If-Match with the bare text; nothing if it has no such form.
std::optional<std::string_view> bare_etag(std::string_view tag) noexcept;

}  // namespace headwater::s3
