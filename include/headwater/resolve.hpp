// resolve: what became of a publish that ended `outcome_unknown`. FORMAT section 4, Publish and Floor.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/object_store.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace headwater {

/// Names one create and its exact bytes: `{seq}.{commit_id}.{sha256 of the record}.{stream}`. Holds no secret; may be
/// kept for as long as one likes.
class HEADWATER_EXPORT resume_token {
public:
    /// `at.id` must be set; `digest` is 64 lower-case hex digits.
    resume_token(position at, std::string digest) : at_(std::move(at)), digest_(std::move(digest)) {}
    /// `invalid_argument` for anything that `text()` does not give.
    static result<resume_token> parse(std::string_view text);

    position const& at() const noexcept { return at_; }
    /// SHA-256 of the record's bytes, in hex.
    std::string const& digest() const noexcept { return digest_; }
    std::string text() const;

    friend bool operator==(resume_token const&, resume_token const&) = default;

private:
    position at_;
    std::string digest_;
};

/// The answer about one token.
struct resolution {
    enum class verdict_type {
        committed,      ///< The commit stands.
        not_committed,  ///< It does not and never will: another commit has its place, or its branch ended before it.
        unknown,        ///< Its slot is still empty, so the create may yet land; the next commit there decides.
        lost,           ///< Cleanup has taken the history of its slot: no later answer will differ.
    };
    resolution() = default;

    verdict_type verdict = verdict_type::unknown;
    std::optional<commit_id> actual;  ///< The commit that has the place, where another one has.
    cost spent;
};

/// Reads the slot, then the stream's metadata: two requests. Needs no open handle and changes nothing.
///
/// Errors: `not_found` (there is no graph), `branch_not_found` (the stream has no metadata), `corrupt` (what is in the
/// slot is no record of it), and the store's own, upon which nothing is decided. Lifetime: the store must outlive the
/// task. Cancellation: at any point.
HEADWATER_EXPORT task<resolution> resolve(object_store& store, resume_token token);

}  // namespace headwater
