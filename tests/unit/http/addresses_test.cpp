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

TEST(unresolved, is_a_setting_when_the_host_is_unknown_or_nothing_is_known_for_long)
{
    struct row {
        error_code how;
        int unsure;
        errc code;
    };
    namespace net = boost::asio::error;
    for (auto const& [how, unsure, code] :
         {row{net::host_not_found, 0, errc::configuration}, row{net::no_data, 0, errc::configuration},
          row{net::host_not_found_try_again, 1, errc::unavailable},
          row{net::host_not_found_try_again, max_unsure_answers - 1, errc::unavailable},
          row{net::host_not_found_try_again, max_unsure_answers, errc::configuration},
          row{net::no_recovery, 0, errc::unavailable}, row{net::no_descriptors, 0, errc::configuration}}) {
        EXPECT_EQ(unresolved("store.example", how, unsure), code) << how.message() << unsure;
    }
}

TEST(spread, of_nothing_is_nothing) { EXPECT_TRUE(spread({}, {}, 7).empty()); }

}  // namespace headwater::http
