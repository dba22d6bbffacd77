// time_search: which record to look at next to find the last one that is no later than a time. Pure.
// FORMAT section 4, "Time travel": created_at rises with seq, so the answer is a binary search away.
#pragma once

#include <headwater/names.hpp>

#include <optional>

namespace headwater {

class time_search {
public:
    /// The position searched for is `low` or above it and below `high`, which is too late.
    constexpr time_search(sequence low, sequence high) noexcept : low_(low), high_(high) {}

    /// The record to look at; nothing: `found` is the answer. At most ceil(log2(high - low)) times a record.
    constexpr std::optional<sequence> next() const noexcept
    {
        if (high_.value() - low_.value() <= 1) return std::nullopt;
        return sequence(low_.value() + (high_.value() - low_.value()) / 2);
    }
    /// What the record at `next` says.
    constexpr void seen(sequence seq, bool too_late) noexcept { (too_late ? high_ : low_) = seq; }
    constexpr sequence found() const noexcept { return low_; }

private:
    sequence low_;
    sequence high_;
};

}  // namespace headwater
