// When a read is late enough for a second request, and whether the store has earned one. Pure; store/hedging acts on
// it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace headwater {

/// The 95th percentile of how long the last answers took.
class hedge_delay {
public:
    static constexpr std::size_t window = 128;
    static constexpr std::size_t least_samples = 32;  ///< Before that nothing is known, and nothing is hedged.
    static constexpr std::size_t percent = 95;

    /// An answer took so long; of a request that was given up, so long at least.
    void took(std::chrono::nanoseconds length) noexcept { samples_[count_++ % window] = length; }

    std::optional<std::chrono::nanoseconds> late_after() const noexcept
    {
        if (count_ < least_samples) return {};
        auto sorted = samples_;
        auto const known = std::min(count_, window);
        auto const at = static_cast<std::ptrdiff_t>(known * percent / 100);
        std::nth_element(sorted.begin(), sorted.begin() + at, sorted.begin() + static_cast<std::ptrdiff_t>(known));
        return sorted[static_cast<std::size_t>(at)];
    }

private:
    std::array<std::chrono::nanoseconds, window> samples_{};
    std::size_t count_ = 0;
};

/// A bucket that second requests are paid from: twenty answers earn one, so that a store which is slow as a whole is
/// asked at most a twentieth more. It begins empty.
class hedge_tokens {
public:
    static constexpr std::uint32_t hedge_cost = 20;
    static constexpr std::uint32_t capacity = 10 * hedge_cost;

    bool take() noexcept
    {
        if (left_ < hedge_cost) return false;
        left_ -= hedge_cost;
        return true;
    }

    void answered() noexcept { left_ = std::min(capacity, left_ + 1); }

private:
    std::uint32_t left_ = 0;
};

}  // namespace headwater
