// The strong types for what FORMAT section 1 names: branch, stream, sequence, commit id, object key.
#pragma once

#include <headwater/error.hpp>
#include <headwater/export.hpp>
#include <headwater/ulid.hpp>

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace headwater {

/// The name of one object, below its store's root. UTF-8, 1 to 1,024 bytes; `/` separates for people only.
class object_key {
public:
    object_key() = default;
    explicit object_key(std::string text) : text_(std::move(text)) {}
    explicit object_key(std::string_view text) : text_(text) {}
    explicit object_key(char const* text) : text_(text) {}

    std::string const& text() const noexcept { return text_; }
    friend auto operator<=>(object_key const&, object_key const&) = default;

private:
    std::string text_;
};

/// The position of a record in its stream, from 1; 0 is the empty state.
class sequence {
public:
    constexpr sequence() = default;
    constexpr explicit sequence(std::uint64_t value) noexcept : value_(value) {}

    constexpr std::uint64_t value() const noexcept { return value_; }
    constexpr sequence next() const noexcept { return sequence(value_ + 1); }
    friend constexpr auto operator<=>(sequence, sequence) = default;

private:
    std::uint64_t value_ = 0;
};

/// The greatest sequence that a record may have: 2^64-2 and above is refused (FORMAT section 2).
inline constexpr sequence last_sequence{std::numeric_limits<std::uint64_t>::max() - 2};

/// The id of one commit: a ULID of ours, or any non-empty text in a converted graph.
class commit_id {
public:
    commit_id() = default;
    explicit commit_id(std::string text) : text_(std::move(text)) {}
    explicit commit_id(std::string_view text) : text_(text) {}

    std::string const& text() const noexcept { return text_; }
    bool empty() const noexcept { return text_.empty(); }
    friend auto operator<=>(commit_id const&, commit_id const&) = default;

private:
    std::string text_;
};

/// The public name of a branch. Bytes: never case-folded, never normalised.
class HEADWATER_EXPORT branch_name {
public:
    branch_name() : text_("main") {}
    /// Checks the rules of FORMAT section 2; `invalid_argument` says which one is broken.
    static result<branch_name> parse(std::string_view text);

    std::string const& text() const noexcept { return text_; }
    bool is_main() const noexcept { return text_ == "main"; }
    friend auto operator<=>(branch_name const&, branch_name const&) = default;

private:
    explicit branch_name(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

/// One life of a branch: `main`, or `{logical}.{ULID}`.
class HEADWATER_EXPORT stream_id {
public:
    stream_id() : text_("main") {}
    /// `main`, or a branch name, a dot and a canonical ULID; else `invalid_argument`.
    static result<stream_id> parse(std::string_view text);
    /// The stream of a new life of `branch`.
    static stream_id of(branch_name const& branch, ulid const& life);

    std::string const& text() const noexcept { return text_; }
    bool is_main() const noexcept { return text_ == "main"; }
    /// The branch that this is a life of.
    branch_name logical() const;
    friend auto operator<=>(stream_id const&, stream_id const&) = default;

private:
    explicit stream_id(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

/// A table's immutable identity; survives rename, is never derived from a name. Both parts are at least 1.
struct table_identity {
    std::uint64_t stable_table_id = 0;
    std::uint64_t incarnation = 0;

    friend constexpr auto operator<=>(table_identity const&, table_identity const&) = default;
};

}  // namespace headwater
