// time_search: which record to look at next to find the last one that is no later than a time. Pure.
// FORMAT section 4, "Time travel": created_at rises with seq, so the answer is a binary search away.
#pragma once

#include <headwater/names.hpp>

#include <optional>

namespace headwater {

class time_search {
public:
    /// The position searched for is `low` or above it and below `high`, which is too late.
    constexpr time_search(sequence low, sequence high) noexcept : found_(low), low_(low), high_(high) {}

    /// The record to look at; nothing: `found` is the answer, unless `doubted`. At most ceil(log2(high - low)) times a
    /// record, and once more for each that cannot be read.
    constexpr std::optional<sequence> next() const noexcept
    {
        if (blind_) return sequence(blind_->first.value() - 1);
        if (high_.value() - low_.value() <= 1) return std::nullopt;
        return sequence(low_.value() + (high_.value() - low_.value()) / 2);
    }
    /// What the record at `next` says.
    constexpr void seen(sequence seq, bool too_late) noexcept
    {
        if (too_late) {
            high_ = seq;
            blind_.reset();
            return;
        }
        found_ = low_ = seq;
        doubted_.reset();
        pass_blind();
    }
    /// The record at `next` says nothing: the one before it is looked at.
    constexpr void unreadable(sequence seq) noexcept
    {
        blind_ = run{seq, blind_ ? blind_->last : seq};
        if (seq.value() - 1 == low_.value()) pass_blind();
    }
    constexpr sequence found() const noexcept { return found_; }
    /// The first record after `found` that could not be read, if none that could be tells that it is too late.
    constexpr std::optional<sequence> doubted() const noexcept { return doubted_; }

private:
    struct run {
        sequence first;
        sequence last;
    };

    // Everything below the run has been seen to: the search goes on above it.
    constexpr void pass_blind() noexcept
    {
        if (!blind_) return;
        if (!doubted_) doubted_ = blind_->first;
        low_ = blind_->last;
        blind_.reset();
    }

    sequence found_;
    sequence low_;
    sequence high_;
    std::optional<run> blind_;  // Unreadable records, one after the other, between low and high.
    std::optional<sequence> doubted_;
};

}  // namespace headwater
