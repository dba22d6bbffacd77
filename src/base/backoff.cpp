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

std::optional<std::chrono::nanoseconds> backoff::next(std::chrono::nanoseconds now, std::uint64_t draw,
                                                      std::optional<std::chrono::nanoseconds> asked_for) noexcept
{
    if (attempts_ >= limits_.max_attempts) return {};
    auto const wait =
        std::max(full_jitter(limits_.base, limits_.cap, waits_, draw), asked_for.value_or(limits_.base * 0));
    if (wait > limits_.budget || now - began_ > limits_.budget - wait) return {};
    ++attempts_;
    ++waits_;
    return wait;
}

bool backoff::another() noexcept
{
    if (attempts_ >= limits_.max_attempts) return false;
    ++attempts_;
    return true;
}

}  // namespace headwater
