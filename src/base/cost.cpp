// meter: rounds from begin and end alone, without knowing who waited for whom.
#include <headwater/cost.hpp>

#include <algorithm>

namespace headwater {

std::uint64_t meter::begin(cost_kind kind) noexcept
{
    ++(kind == cost_kind::open ? total_.open_requests : total_.requests);
    auto const round = ended_round_ + 1;
    total_.rounds = std::max(total_.rounds, round);
    return round;
}

void meter::end(std::uint64_t round, std::uint32_t attempts, std::uint64_t bytes_read,
                std::uint64_t bytes_written) noexcept
{
    ended_round_ = std::max(ended_round_, round);
    total_.attempts += attempts;
    total_.bytes_read += bytes_read;
    total_.bytes_written += bytes_written;
}

}  // namespace headwater
