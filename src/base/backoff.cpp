// Full jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/) and its limits.
#include "src/base/backoff.hpp"

#include <algorithm>

namespace headwater {

std::chrono::nanoseconds full_jitter(std::chrono::nanoseconds base, std::chrono::nanoseconds cap, std::uint32_t repeat,
                                     std::uint64_t draw) noexcept
{
    auto ceiling = std::min(base, cap);
    for (; repeat > 0 && ceiling < cap; --repeat) ceiling = ceiling > cap / 2 ? cap : ceiling * 2;
    auto const steps = static_cast<std::uint64_t>(std::max<std::int64_t>(ceiling.count(), 0));
    return std::chrono::nanoseconds(static_cast<std::int64_t>(draw % (steps + 1)));
}

std::chrono::nanoseconds backoff::wish(std::uint64_t draw,
                                       std::optional<std::chrono::nanoseconds> asked_for) const noexcept
{
    return std::max(full_jitter(limits_.base, limits_.cap, waits_, draw), asked_for.value_or(limits_.base * 0));
}

std::optional<std::chrono::nanoseconds> backoff::next(std::chrono::nanoseconds now, std::uint64_t draw,
                                                      std::optional<std::chrono::nanoseconds> asked_for) noexcept
{
    if (attempts_ >= limits_.max_attempts) return {};
    auto const wait = wish(draw, asked_for);
    if (wait > limits_.budget || now - began_ > limits_.budget - wait) return {};
    ++attempts_;
    ++waits_;
    return wait;
}

std::optional<std::chrono::nanoseconds> backoff::pursue(std::chrono::nanoseconds now, std::uint64_t draw,
                                                        std::optional<std::chrono::nanoseconds> asked_for) noexcept
{
    if (is_over(now)) return {};
    auto const wait = std::max(wish(draw, asked_for), least_pursuit_wait);
    ++attempts_;
    ++waits_;
    return std::min(wait, limits_.budget - (now - began_));
}

}  // namespace headwater
