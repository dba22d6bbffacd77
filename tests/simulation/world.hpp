// world: what one simulated run shares: time, the oracle, the trace, and the first promise that was broken.
#pragma once

#include "tests/simulation/oracle.hpp"
#include "tests/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::simulation {

class world {
public:
    /// One line of the trace, with the time.
    void tell(std::string_view who, std::string_view what);
    /// Runs a check of the oracle, remembers the first promise that it finds broken, and lets the run go on to its end.
    template <class Check>
    void judged(Check check)
    {
        try {
            check(judge);
        } catch (std::exception const& wrong) {
            break_promise(wrong.what());
        }
    }
    void break_promise(std::string what);

    /// The last lines of the trace, oldest first.
    std::string last_lines() const;

    test::virtual_clock time;
    boost::asio::io_context io{1};
    oracle judge;
    bool store_lies = false;
    std::size_t kept_lines = 0;
    std::vector<std::string> branches{"main"};  ///< Every name that a branch was made with, and main.
    std::optional<std::string> broken;
    std::uint64_t digest = 0xcbf29ce484222325ULL;  ///< Of the whole trace.
    std::uint64_t lines = 0;

private:
    std::deque<std::string> kept_;
};

}  // namespace headwater::simulation
