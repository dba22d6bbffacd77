// Sums of requests that stand behind one answer, and the limits under which they are repeated.
#pragma once

#include "src/base/backoff.hpp"

#include <headwater/stores.hpp>

#include <cstdint>

namespace headwater {

inline std::uint32_t attempts_of(error const& what) noexcept { return what.why() ? what.why()->attempts : 1; }

template <class T>
std::uint32_t attempts_of(result<T> const& answer) noexcept
{
    return answer ? answer->info.attempts : attempts_of(answer.error());
}

/// The same error, saying how many requests there were in all.
inline error with_attempts(error const& what, std::uint32_t attempts)
{
    if (attempts == attempts_of(what)) return what;
    return with(what, [&](diagnostics& why) { why.attempts = attempts; });
}

inline backoff_limits limits_of(retry_options const& options) noexcept
{
    return {options.base, options.cap, options.budget, options.max_attempts};
}

/// The wait that the store asked for, if it did.
inline std::optional<std::chrono::nanoseconds> asked_for(error const& what) noexcept
{
    if (!what.why() || !what.why()->retry_after) return {};
    return *what.why()->retry_after;
}

}  // namespace headwater
