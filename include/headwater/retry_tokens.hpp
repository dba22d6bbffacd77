// retry_tokens: the bucket that repeats are paid from. One for each endpoint, however many stores talk to it: while the
// endpoint answers it stays full; when everything fails it runs dry, and callers see the failure at once instead of
// adding to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace headwater {

/// A success of a first attempt gives one token, a success of a repeat gives back what that repeat cost.
/// Threads: any, so that stores on several strands may share it.
class retry_tokens {
public:
    static constexpr std::uint32_t capacity = 500;
    static constexpr std::uint32_t repeat_cost = 5;

    retry_tokens() = default;
    retry_tokens(retry_tokens const&) = delete;
    retry_tokens& operator=(retry_tokens const&) = delete;

    /// Pays for one repeat; false: there is not enough left, do not repeat.
    bool take() noexcept
    {
        auto now = left_.load(std::memory_order_relaxed);
        do {
            if (now < repeat_cost) return false;
        } while (!left_.compare_exchange_weak(now, now - repeat_cost, std::memory_order_relaxed));
        return true;
    }

    void succeeded(bool was_repeat) noexcept
    {
        auto const gives = was_repeat ? repeat_cost : 1;
        auto now = left_.load(std::memory_order_relaxed);
        while (!left_.compare_exchange_weak(now, std::min(capacity, now + gives), std::memory_order_relaxed)) {}
    }

    std::uint32_t left() const noexcept { return left_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> left_{capacity};
};

}  // namespace headwater
