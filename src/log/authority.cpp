// Time for created_at: one wild clock must not end a stream.
#include "src/log/authority.hpp"

#include <algorithm>

namespace headwater {

std::uint64_t held_now_ms(authority const& known, clock const& time)
{
    auto now = time.now();
    if (known.asked.store) {
        auto const passed = std::chrono::duration_cast<std::chrono::milliseconds>(time.since_boot() - known.asked.boot);
        auto const store_now = *known.asked.store + passed;
        now = std::clamp<time_ms>(now, store_now - max_clock_error, store_now + max_clock_error);
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(now.time_since_epoch().count(), 0));
}

}  // namespace headwater
