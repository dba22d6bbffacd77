// seq_runs: a set of seqs, kept as runs. A log has few gaps, so a million names are one pair of numbers. Pure.
#pragma once

#include <headwater/names.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace headwater {

class seq_runs {
public:
    void add(sequence seq)
    {
        auto const value = seq.value();
        auto after = runs_.upper_bound(value);
        if (after != runs_.begin()) {
            auto const before = std::prev(after);
            if (value <= before->second) return;
            if (value == before->second + 1) {
                before->second = value;
                if (after != runs_.end() && after->first == value + 1) {
                    before->second = after->second;
                    runs_.erase(after);
                }
                return;
            }
        }
        std::uint64_t last = value;
        if (after != runs_.end() && after->first == value + 1) {
            last = after->second;
            after = runs_.erase(after);
        }
        runs_.emplace_hint(after, value, last);
    }

    bool empty() const noexcept { return runs_.empty(); }
    bool contains(sequence seq) const
    {
        auto const after = runs_.upper_bound(seq.value());
        return after != runs_.begin() && std::prev(after)->second >= seq.value();
    }
    /// The least one at or above `from`.
    std::optional<sequence> first_from(sequence from) const
    {
        if (contains(from)) return from;
        auto const after = runs_.upper_bound(from.value());
        if (after == runs_.end()) return std::nullopt;
        return sequence(after->first);
    }
    /// The greatest one at or below `from`.
    std::optional<sequence> last_to(sequence from) const
    {
        auto const after = runs_.upper_bound(from.value());
        if (after == runs_.begin()) return std::nullopt;
        return sequence(std::min(std::prev(after)->second, from.value()));
    }
    std::optional<sequence> newest() const
    {
        if (runs_.empty()) return std::nullopt;
        return sequence(runs_.rbegin()->second);
    }
    /// How many there are at or below `last`.
    std::uint64_t count_to(sequence last) const
    {
        std::uint64_t count = 0;
        for (auto const& [low, high] : runs_) {
            if (low > last.value()) break;
            count += std::min(high, last.value()) - low + 1;
        }
        return count;
    }

    friend bool operator==(seq_runs const&, seq_runs const&) = default;

private:
    std::map<std::uint64_t, std::uint64_t> runs_;  // First → last.
};

}  // namespace headwater
