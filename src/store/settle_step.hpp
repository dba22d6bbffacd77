// What to do next while a conditional write is not settled. Pure: the table of STORE section 2, last paragraph.
// store/settling acts on it.
#pragma once

#include <headwater/error.hpp>
#include <headwater/export.hpp>

namespace headwater {

/// The conditional write that is to be settled.
enum class settled_write { create, update };

/// How one request of it ended.
enum class write_end {
    done,     ///< Written.
    taken,    ///< The condition does not hold: it exists, or it has another etag, or (update) it is gone.
    nothing,  ///< This request did nothing, and another may succeed.
    unknown,  ///< This request may or may not have been applied, or may be later.
    refused,  ///< This request did nothing, and another would not either.
};

/// What a read-back found.
enum class read_end {
    same,        ///< Our bytes.
    different,   ///< Other bytes.
    unchanged,   ///< The version that an update expects: says that none of ours has been applied so far.
    absent,      ///< Nothing: says that no request has been applied so far, not that none will be.
    unreadable,  ///< No answer.
};

enum class settle_action {
    send,       ///< The same bytes under the same condition.
    read_back,  ///< Look who has the name.
    won,        ///< It is ours.
    lost,       ///< It is another's.
    fail,       ///< Nothing of ours was applied, ever; the last error says why.
    in_doubt,   ///< A request of ours may still be applied.
};

/// One write's memory: whether an earlier request was never answered.
class HEADWATER_EXPORT settlement {
public:
    explicit settlement(settled_write kind) noexcept : kind_(kind) {}

    settle_action after_write(write_end ended) noexcept;
    settle_action after_read(read_end found) const noexcept;
    /// Attempts or time are used up.
    settle_action give_up() const noexcept;

    /// Whether any request may still be applied, or may have been: then the call goes on to its deadline.
    bool in_doubt() const noexcept { return earlier_unknown_ || last_unknown_; }
    /// Whether a request before the last one was never answered.
    bool earlier_unknown() const noexcept { return earlier_unknown_; }

private:
    settled_write kind_;
    bool earlier_unknown_ = false;
    bool last_unknown_ = false;
};

/// The end that an error of a conditional write is.
HEADWATER_EXPORT write_end end_of(error const& what) noexcept;

}  // namespace headwater
