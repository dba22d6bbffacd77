// A bucket that repeats are paid from: while a store answers, it stays full; when everything fails it runs dry, and
// callers see the failure at once instead of adding to it. One per store, as store/retrying has one endpoint.
#pragma once

#include <algorithm>
#include <cstdint>

namespace headwater {

/// Pure. A success of a first attempt gives one token, a success of a repeat gives back what that repeat cost.
class retry_tokens {
public:
    static constexpr std::uint32_t capacity = 500;
    static constexpr std::uint32_t repeat_cost = 5;

    /// Pays for one repeat; false: there is not enough left, do not repeat.
    bool take() noexcept
    {
        if (left_ < repeat_cost) return false;
        left_ -= repeat_cost;
        return true;
    }

    void succeeded(bool was_repeat) noexcept { left_ = std::min(capacity, left_ + (was_repeat ? repeat_cost : 1)); }

    std::uint32_t left() const noexcept { return left_; }

private:
    std::uint32_t left_ = capacity;
};

}  // namespace headwater
