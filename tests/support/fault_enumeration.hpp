// fault_enumeration: the same act again and again, its n-th store call failing, for every n and each kind of fault;
// what must hold afterwards is checked each time.
#pragma once

#include "tests/support/virtual_clock.hpp"

#include <headwater/stores.hpp>

#include <boost/system/system_error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace headwater::test {

inline constexpr fault all_faults[] = {fault::refused,      fault::unavailable,    fault::unknown_applied,
                                       fault::unknown_lost, fault::unknown_late,   fault::torn,
                                       fault::cancelled,    fault::cancelled_after};

inline char const* name_of(fault kind)
{
    switch (kind) {
    case fault::none: return "none";
    case fault::refused: return "refused";
    case fault::unavailable: return "unavailable";
    case fault::unknown_applied: return "unknown_applied";
    case fault::unknown_lost: return "unknown_lost";
    case fault::unknown_late: return "unknown_late";
    case fault::torn: return "torn";
    case fault::cancelled: return "cancelled";
    case fault::cancelled_after: return "cancelled_after";
    }
    return "?";
}

/// How an act ended.
enum class act_end { acknowledged, refused, in_doubt, cancelled };

/// `refused`: a definite failure.
template <class T>
act_end end_of(result<T> const& answer)
{
    if (answer) return act_end::acknowledged;
    return answer.error() == errc::outcome_unknown ? act_end::in_doubt : act_end::refused;
}

/// Of each kind of fault, every so many-th call fails, each kind beginning elsewhere: HEADWATER_TEST_FAULT_STRIDE, or
/// every one. Where a process is many times slower than it is for a user.
inline std::uint64_t fault_stride()
{
    auto const* const wish = std::getenv("HEADWATER_TEST_FAULT_STRIDE");
    return wish ? std::max<std::uint64_t>(1, std::strtoull(wish, nullptr, 10)) : 1;
}

/// A world has `store` (a pointer to it) and `time`, a virtual_clock. `make()` gives a pointer to a new one;
/// `act(world, store)` acts through the store that fails and answers an `act_end`; `check(world, end)` expects. Ends,
/// for each kind, with the first n that no call has, and expects that there were more calls than `least_calls`.
template <class Make, class Act, class Check>
void enumerate_faults(Make make, Act act, Check check, std::uint64_t least_calls)
{
    auto const stride = fault_stride();
    std::uint64_t begin = 0;
    for (auto const kind : all_faults) {
        auto number = 1 + begin++ % stride;
        for (bool reached = true; reached; number += stride) {
            auto const world = make();
            std::string failed;
            auto const plan = [&](store_call const& call) {
                if (call.number != number) return fault::none;
                failed = std::string(call.operation) + ' ' + std::string(call.key);
                return kind;
            };
            auto const faulty = make_faulty_store(*world->store, world->time, plan, std::chrono::milliseconds(5));
            auto end = act_end::cancelled;
            try {
                end = act(*world, *faulty);
            } catch (boost::system::system_error const&) {
                // Cancelled.
            }
            world->time.pass(std::chrono::seconds(1));
            reached = !failed.empty();
            SCOPED_TRACE("call " + std::to_string(number) + ", " + failed + ": " + name_of(kind));
            check(*world, end);
            if (::testing::Test::HasFatalFailure()) return;
        }
        EXPECT_GT(number - stride, least_calls);
    }
}

}  // namespace headwater::test
