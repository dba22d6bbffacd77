// What an operation cost at the store: exact counts, not times.
#pragma once

#include <headwater/export.hpp>

#include <cstdint>

namespace headwater {

/// Opening a graph (format.json, stream metadata, name) is counted apart from the work itself.
enum class cost_kind { work, open };

/// Exact counts of one operation.
struct cost {
    std::uint64_t requests = 0;       ///< Store calls of the work itself.
    std::uint64_t open_requests = 0;  ///< Store calls that opened the graph: format.json, metadata, name.
    std::uint64_t attempts = 0;       ///< Requests sent, repeats included, open ones too.
    std::uint64_t rounds = 0;      ///< Calls on the longest chain in which each began after the one before had ended.
    std::uint64_t bytes_read = 0;  ///< Object bytes received.
    std::uint64_t bytes_written = 0;  ///< Object bytes sent, once per call.

    friend bool operator==(cost const&, cost const&) = default;
};

/// The cost of `left` followed by `right`.
constexpr cost operator+(cost const& left, cost const& right) noexcept
{
    return {left.requests + right.requests,     left.open_requests + right.open_requests,
            left.attempts + right.attempts,     left.rounds + right.rounds,
            left.bytes_read + right.bytes_read, left.bytes_written + right.bytes_written};
}

/// Counts calls. A call's round is one more than the greatest round of any call that had ended when it began.
/// Threads: one executor or strand.
class HEADWATER_EXPORT meter {
public:
    /// A call begins; answers its round, which `end` wants back.
    std::uint64_t begin(cost_kind kind) noexcept;
    /// A call has ended, however it ended.
    void end(std::uint64_t round, std::uint32_t attempts, std::uint64_t bytes_read,
             std::uint64_t bytes_written) noexcept;
    /// The counts so far.
    cost const& total() const noexcept { return total_; }

private:
    cost total_;
    std::uint64_t ended_round_ = 0;
};

}  // namespace headwater
