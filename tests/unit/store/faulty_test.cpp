// Each fault does to a call what its name says, and to the store below no more than that.
#include "tests/support/run.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/error.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace headwater {
namespace {

using namespace std::chrono_literals;

struct faulty : testing::Test {
    // The answer's error; nothing: there is none. A cancelled call throws.
    template <class T>
    std::optional<error> error_of(task<T> work)
    {
        auto const answer = test::run(io, time, std::move(work));
        return answer ? std::optional<error>() : answer.error();
    }
    std::optional<error> create() { return error_of(store->put_if_absent(key, bytes("ours"))); }
    std::optional<error> get() { return error_of(store->get(key, get_options())); }

    std::string below()
    {
        auto const there = test::run(io, time, memory->get(key, get_options()));
        return there ? std::string(there->content.view()) : "absent";
    }

    test::virtual_clock time;
    boost::asio::io_context io{1};
    object_key const key{"k"};
    fault next = fault::none;
    std::vector<std::string> seen;
    std::unique_ptr<object_store> memory = make_memory_store(time);
    std::unique_ptr<object_store> store = make_faulty_store(
        *memory, time,
        [this](store_call const& call) {
            seen.push_back(std::to_string(call.number) + ' ' + std::string(call.operation) + ' ' + std::string(call.key)
                           + (call.writes ? " writes" : ""));
            return next;
        },
        5s);
};

}  // namespace

TEST_F(faulty, a_plan_without_faults_changes_nothing)
{
    EXPECT_FALSE(create());
    EXPECT_FALSE(get());
    EXPECT_FALSE(error_of(store->list("p", list_options())));
    EXPECT_FALSE(error_of(store->remove_many({key, object_key("other")})));
    EXPECT_EQ(below(), "absent");
    EXPECT_EQ(seen,
              (std::vector<std::string>{"1 put_if_absent k writes", "2 get k", "3 list p", "4 remove_many k writes"}));
}

TEST_F(faulty, a_refused_or_unavailable_call_has_no_effect)
{
    for (auto const& [what, code] :
         {std::pair(fault::refused, errc::access_denied), std::pair(fault::unavailable, errc::unavailable)}) {
        next = what;
        EXPECT_EQ(create(), code);
        EXPECT_EQ(get(), code);
        EXPECT_EQ(below(), "absent");
    }
}

TEST_F(faulty, an_unknown_write_is_applied_lost_or_late)
{
    next = fault::unknown_lost;
    EXPECT_EQ(create(), errc::outcome_unknown);
    EXPECT_EQ(below(), "absent");
    next = fault::unknown_applied;
    EXPECT_EQ(create(), errc::outcome_unknown);
    EXPECT_EQ(below(), "ours");
    next = fault::none;
    EXPECT_FALSE(error_of(store->remove(key)));

    next = fault::unknown_late;
    auto const began = time.since_boot();
    EXPECT_EQ(create(), errc::outcome_unknown);  // Virtual time runs on until the write has happened.
    EXPECT_EQ(time.since_boot() - began, 5s);
    EXPECT_EQ(below(), "ours");
}

TEST_F(faulty, a_read_of_unknown_outcome_is_unavailable)
{
    for (auto const what : {fault::unknown_applied, fault::unknown_lost, fault::unknown_late}) {
        next = what;
        EXPECT_EQ(get(), errc::unavailable);
    }
}

TEST_F(faulty, a_torn_read_has_half_of_the_content_and_a_torn_write_none)
{
    next = fault::torn;
    EXPECT_EQ(create(), errc::outcome_unknown);
    EXPECT_EQ(below(), "absent");
    next = fault::none;
    EXPECT_FALSE(create());
    next = fault::torn;
    auto const half = test::run(io, time, store->get(key, get_options()));
    ASSERT_TRUE(half);
    EXPECT_EQ(half->content.view(), "ou");
}

TEST_F(faulty, a_cancelled_call_throws_before_or_after_its_effect)
{
    auto const is_cancelled = [&](auto const& call) {
        try {
            (void)call();
        } catch (boost::system::system_error const& thrown) {
            return thrown.code() == boost::asio::error::operation_aborted;
        }
        return false;
    };
    next = fault::cancelled;
    EXPECT_TRUE(is_cancelled([&] { return create(); }));
    EXPECT_EQ(below(), "absent");
    next = fault::cancelled_after;
    EXPECT_TRUE(is_cancelled([&] { return create(); }));
    EXPECT_EQ(below(), "ours");
    EXPECT_TRUE(is_cancelled([&] { return get(); }));
}

}  // namespace headwater
