// In which order the addresses of a host are tried.
#include "adapters/http/addresses.hpp"

#include <gtest/gtest.h>

namespace headwater::http {

namespace {

address host(int last) { return {boost::asio::ip::make_address("10.0.0." + std::to_string(last)), 80}; }

}  // namespace

TEST(spread, begins_at_another_address_each_turn)
{
    std::vector<address> const known = {host(1), host(2), host(3)};
    EXPECT_EQ(spread(known, {}, 0), (std::vector<address>{host(1), host(2), host(3)}));
    EXPECT_EQ(spread(known, {}, 1), (std::vector<address>{host(2), host(3), host(1)}));
    EXPECT_EQ(spread(known, {}, 5), (std::vector<address>{host(3), host(1), host(2)}));
}

TEST(spread, failing_addresses_come_last_but_stay)
{
    std::vector<address> const known = {host(1), host(2), host(3)};
    EXPECT_EQ(spread(known, {host(1), host(2)}, 0), (std::vector<address>{host(3), host(1), host(2)}));
    EXPECT_EQ(spread(known, known, 1), (std::vector<address>{host(2), host(3), host(1)}));
}

TEST(spread, of_nothing_is_nothing) { EXPECT_TRUE(spread({}, {}, 7).empty()); }

}  // namespace headwater::http
