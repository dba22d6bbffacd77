// object_store: THE port. What the log stands on, and all that an adapter or a decorator has to be.
// STORE section 1 gives the operations, section 2 what each answer of a store means.
#pragma once

#include <headwater/bytes.hpp>
#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/names.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

class retry_tokens;

/// A store's opaque version of one object, exactly as the store spells it, quotes included. Empty: the store gave none.
class etag {
public:
    etag() = default;
    explicit etag(std::string text) : text_(std::move(text)) {}

    std::string const& text() const noexcept { return text_; }
    bool empty() const noexcept { return text_.empty(); }
    friend bool operator==(etag const&, etag const&) = default;

private:
    std::string text_;
};

/// What every answer tells beside its content.
struct answer_info {
    answer_info() = default;
    answer_info(std::optional<time_ms> when, std::uint32_t sent) : date(when), attempts(sent) {}

    std::optional<time_ms> date;  ///< The store's `Date`, if it sent one.
    std::uint32_t attempts = 1;   ///< How often the request was sent, this answer's attempt included.
    int status = 0;               ///< HTTP status; 0 where there is no HTTP.
    std::string request_id;       ///< The store's own id of the request; empty if none.
};

/// One object, read.
struct object {
    object() = default;

    bytes content;
    etag tag;
    std::optional<time_ms> last_modified;
    std::uint64_t full_size = 0;  ///< The whole object's size in bytes; more than `content.size()` after a range read.
    answer_info info;
};

/// One object's listing row or HEAD answer.
struct object_meta {
    object_meta() = default;
    object_meta(object_key at, std::uint64_t bytes_long, etag version)
        : key(std::move(at)), size(bytes_long), tag(std::move(version))
    {
    }

    object_key key;
    std::uint64_t size = 0;  ///< Bytes.
    etag tag;
    std::optional<time_ms> last_modified;
    answer_info info;  ///< Set by `head` only.
};

/// An object was written.
struct put_answer {
    put_answer() = default;
    explicit put_answer(etag version) : tag(std::move(version)) {}

    etag tag;
    answer_info info;
};

/// What became of a conditional create.
struct create_answer {
    create_answer() = default;

    bool created = false;          ///< False: the key was taken, perhaps by an earlier attempt of ours.
    etag tag;                      ///< The new object's etag; of an existing one only if the store told.
    bool earlier_unknown = false;  ///< An earlier attempt of this call was never answered.
    answer_info info;
};

/// An object was replaced under a condition. A lost condition is the error `precondition_failed`.
struct update_answer {
    update_answer() = default;

    etag tag;
    bool earlier_unknown = false;  ///< An earlier attempt of this call was never answered.
    bool bare_etag = false;        ///< The store took the etag when it was sent without its quotes.
    answer_info info;
};

/// A key is gone; also when it was not there.
struct remove_answer {
    remove_answer() = default;
    explicit remove_answer(answer_info about) : info(std::move(about)) {}

    answer_info info;
};

/// A key of a batch that may be there still, and why.
struct key_failure {
    key_failure() = default;
    key_failure(object_key at, error what) : key(std::move(at)), why(std::move(what)) {}

    object_key key;
    error why;
};

/// What became of a batch: each key is gone, also when it was not there, but for those of `failed`.
struct remove_many_answer {
    remove_many_answer() = default;

    std::vector<key_failure> failed;  ///< In no order.
    answer_info info;                 ///< `attempts` counts the requests of all keys.
};

/// One page of a listing. An empty page with `next` is not the end.
struct list_page {
    list_page() = default;

    std::vector<object_meta> objects;          ///< In key order where `ordered_listing` holds.
    std::vector<std::string> common_prefixes;  ///< With a delimiter: each ends with it.
    std::optional<std::string> next;           ///< The opaque continuation; nothing: this was the last page.
    answer_info info;
};

/// Bytes `first` to `last`, both included, as in an HTTP Range.
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
};

/// The greatest object that `get` reads unless told otherwise: FORMAT's largest cap.
inline constexpr std::uint64_t default_max_bytes = 256ull << 20;
/// The longest root, in bytes: a store's prefix or directory. It leaves room for FORMAT's keys below 1,024 bytes.
inline constexpr std::size_t max_root_bytes = 700;
/// The most keys that one listing page has, unless told otherwise.
inline constexpr std::uint32_t default_max_keys = 1000;

/// The most keys of one `remove_many`: what S3 takes in one request.
inline constexpr std::size_t max_remove_keys = 1000;
/// How many requests of one `remove_many` are on their way at once where each key needs its own.
inline constexpr std::size_t removals_at_once = 16;

/// How to read. The views must live until the call completes.
struct get_options {
    std::optional<byte_range> range{};
    std::string_view if_none_match{};             ///< An etag: unchanged answers the error `not_modified`.
    std::uint64_t max_bytes = default_max_bytes;  ///< More is `limit_exceeded`, found before the body is read.
};

/// What to list. The views must live until the call completes.
struct list_options {
    std::string_view start_after{};  ///< Exclusive; only keys greater than it.
    std::string_view delimiter{};    ///< Empty, or one character: keys are grouped after the prefix up to it.
    std::uint32_t max_keys = default_max_keys;  ///< 1 to 1,000; rows of objects and prefixes together.
    std::string_view continuation{};            ///< `next` of the page before, with otherwise equal options.
};

static_assert(std::is_trivially_destructible_v<get_options> && std::is_trivially_destructible_v<list_options>);

/// What a store can do.
struct store_capabilities {
    bool ordered_listing = false;     ///< Pages come in byte order of their keys.
    bool conditional_create = false;  ///< `put_if_absent` has exactly one winner.
    bool conditional_update = false;  ///< `put_if_match` compares and swaps.
    bool list_allowed = true;         ///< `list` is permitted.
};

/// A flat map from keys to immutable bytes with conditional writes.
///
/// Errors: `not_found`, `not_modified`, `precondition_failed`, `outcome_unknown` (writes only: perhaps applied),
/// `unavailable` (not applied), `access_denied`, `configuration`, `invalid_argument` (nothing sent), `limit_exceeded`,
/// `protocol`, `unsupported`. An adapter sends each request once; decorators (stores.hpp) retry and settle.
/// Lifetime: the store must outlive every task it has returned. Cancellation: at any point, throws `operation_aborted`;
/// a cancelled write may have been applied. Threads: one executor or strand at a time.
class HEADWATER_EXPORT object_store {
public:
    object_store() = default;
    object_store(object_store const&) = delete;
    object_store& operator=(object_store const&) = delete;
    virtual ~object_store() = default;

    /// Reads one object, or a range of it.
    virtual task<object> get(object_key key, get_options options) = 0;
    /// Reads one object's metadata; `key` in the answer is `key`.
    virtual task<object_meta> head(object_key key) = 0;
    /// Writes the object, replacing what was there; readers see the old or the new, never a mixture.
    virtual task<put_answer> put(object_key key, bytes content) = 0;
    /// Writes the object if there is none: exactly one caller wins. The publication door.
    virtual task<create_answer> put_if_absent(object_key key, bytes content) = 0;
    /// Replaces the object if it still has `expected`, which must not be empty.
    virtual task<update_answer> put_if_match(object_key key, bytes content, etag expected) = 0;
    /// One page of the keys that begin with `prefix`, a plain string prefix which may be empty.
    virtual task<list_page> list(std::string prefix, list_options options) = 0;
    /// Removes one object; one that is not there is no error.
    virtual task<remove_answer> remove(object_key key) = 0;
    /// Removes up to `max_remove_keys` objects and tells the outcome of each. One request on S3; where no such request
    /// is, and unless overridden, `remove` for each key, `removals_at_once` of them together. An error, rather than an
    /// answer, is about all keys.
    virtual task<remove_many_answer> remove_many(std::vector<object_key> keys);

    /// What repeats of requests to this store's endpoint are paid from (retry_tokens.hpp); null: nothing counts them.
    virtual std::shared_ptr<retry_tokens> tokens() const { return nullptr; }
    /// What this store can do, as known now.
    virtual store_capabilities capabilities() const = 0;
    /// The store's address, for messages and as its name among what is remembered of stores: as it was opened, no
    /// secrets, no trailing slash.
    virtual std::string const& address() const = 0;
};

}  // namespace headwater
