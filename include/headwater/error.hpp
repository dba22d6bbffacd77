// Failure as a value: a coarse code that tells the caller what to do, and diagnostics that tell a person why.
// Stands below everything. Cancellation is not here: it stays the exception that Asio throws.
#pragma once

#include <headwater/export.hpp>

#include <boost/assert/source_location.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

using error_code = boost::system::error_code;

/// What went wrong, as coarse as the caller's next step.
enum class errc : int {
    not_found = 1,        ///< The object is absent: the store said so. Never guessed from an error.
    not_modified,         ///< A conditional read: the object still has the etag that was given.
    precondition_failed,  ///< A conditional update lost: another etag, or the object is gone.
    already_exists,       ///< What was to be made is there already.
    outcome_unknown,      ///< A write may or may not have been applied. Nothing may be assumed.
    unavailable,          ///< Nothing took effect; the same call may work later.
    access_denied,        ///< The store refused the credentials or the operation.
    configuration,        ///< A setting is wrong: bucket, container, region, address, credentials.
    invalid_argument,     ///< The caller's input breaks a rule; nothing was sent.
    limit_exceeded,       ///< A named limit was reached; `diagnostics::detail` names it.
    protocol,             ///< The server's answer breaks HTTP or its own format. Never data.
    unsupported,          ///< This store or this version cannot do that.
    corrupt,              ///< Stored bytes are not what the format allows.
    conflict,             ///< Another commit took the position.
    pruned,               ///< The position is at or below the stream's floor.
    history_gap,          ///< A record that must exist does not.
    branch_not_found,     ///< No live branch has that name.
    branch_exists,        ///< A live branch has that name already.
    branch_retired,       ///< The branch's life has ended.
    cursor_rejected,      ///< A feed cursor is foreign, damaged or not where it says.
    merge_conflict,       ///< Both sides changed the same table.
};

/// The stable spelling of a code, as the command line prints it: `not_found`.
HEADWATER_EXPORT std::string_view to_string(errc code) noexcept;

/// The category of every `errc`; its messages are plain sentences.
HEADWATER_EXPORT boost::system::error_category const& category() noexcept;

inline error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), category()}; }

/// What a person needs to act: which call, on which object, and what the store answered. Holds no secret, ever.
struct diagnostics {
    diagnostics() = default;
    explicit diagnostics(std::string what) : detail(std::move(what)) {}
    diagnostics(std::string what_operation, std::string what_key, std::string what)
        : operation(std::move(what_operation)), key(std::move(what_key)), detail(std::move(what))
    {
    }

    std::string operation;       ///< `get`, `put_if_absent`, `publish`; empty if none.
    std::string key;             ///< The object or subject; empty if none.
    std::string detail;          ///< What is wrong and, where it helps, what to do.
    std::string store;           ///< The store's address without secrets; empty if none.
    std::string service_code;    ///< S3 `NoSuchBucket`, Azure `BlobAlreadyExists`; empty if none.
    std::string request_id;      ///< The store's own id of the request; empty if none.
    int status = 0;              ///< HTTP status; 0 if there was no answer.
    std::uint32_t attempts = 1;  ///< How often the request was sent.
    std::optional<std::chrono::milliseconds> retry_after;                  ///< The store's wish, if it gave one.
    std::optional<std::chrono::sys_time<std::chrono::milliseconds>> date;  ///< The store's `Date`, if it sent one.
    /// Further named facts, in order, for scripts: `expected`, `actual`, `floor`, `resume`.
    std::vector<std::pair<std::string, std::string>> facts;
};

/// An error code with shared, immutable diagnostics. Cheap to copy; safe to read from any thread.
class HEADWATER_EXPORT error {
public:
    error() = default;                                           ///< No error; `result<T>` needs it.
    error(errc code) noexcept : code_(make_error_code(code)) {}  // NOLINT(google-explicit-constructor)
    error(error_code code) noexcept : code_(code) {}             // NOLINT(google-explicit-constructor)
    error(errc code, diagnostics why) : error(make_error_code(code), std::move(why)) {}
    error(errc code, std::string detail) : error(make_error_code(code), diagnostics(std::move(detail))) {}
    error(error_code code, diagnostics why) : code_(code), why_(std::make_shared<diagnostics const>(std::move(why))) {}

    error_code code() const noexcept { return code_; }
    /// Null if the error has no diagnostics.
    diagnostics const* why() const noexcept { return why_.get(); }
    /// One line: what went wrong, then the detail, then where.
    std::string message() const;

    friend bool operator==(error const& left, errc right) noexcept { return left.code_ == make_error_code(right); }

private:
    error_code code_;
    std::shared_ptr<diagnostics const> why_;
};

/// A copy of `from` whose diagnostics `change(diagnostics&)` has edited.
template <class Change>
error with(error const& from, Change change)
{
    diagnostics why = from.why() ? *from.why() : diagnostics();
    change(why);
    return {from.code(), std::move(why)};
}

/// What `result<T>::value()` throws when there is no value.
class HEADWATER_EXPORT failure : public boost::system::system_error {
public:
    explicit failure(error what);
    error const& what_failed() const noexcept { return error_; }

private:
    error error_;
};

[[noreturn]] inline void throw_exception_from_error(error const& what, boost::source_location const&)
{
    throw failure(what);
}

/// A value or an error. `[[nodiscard]]`, which `boost::system::result` is not.
template <class T>
class [[nodiscard]] result : public boost::system::result<T, error> {
public:
    using boost::system::result<T, error>::result;
};

}  // namespace headwater

template <>
struct std::is_error_code_enum<headwater::errc> : std::true_type {};
template <>
struct boost::system::is_error_code_enum<headwater::errc> : std::true_type {};
