// A create whose answers get lost or are refusals, under a thousand random schedules: whatever lands late, early or
// never, and whoever else writes meanwhile, what the caller is told is true; doubt is told only when the time is up,
// and then it ends.
#include "tests/support/run.hpp"
#include "tests/support/virtual_clock.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

namespace headwater {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

object_key const key("k");

// One schedule: its chances are drawn from the seed.
class schedule {
public:
    explicit schedule(std::uint64_t seed) : draw_(make_seeded_random(seed))
    {
        for (auto* chances : {&ours_, &theirs_}) {
            for (auto& each : *chances) each = below(2) == 0 ? 0 : 1 + below(15);
            // A refusal ends a call where nothing is in doubt, so most schedules have none.
            (*chances)[refusals_at] = below(4) == 0 ? 1 + below(4) : 0;
        }
        options.base = 25ms;
        options.cap = 400ms;
        options.budget = milliseconds(200 + below(4'000));
        options.max_attempts = 10'000;  // Only time ends a call.
        late_by = milliseconds(below(2 * static_cast<std::uint64_t>(options.budget.count())));
        start = milliseconds(below(500));
        rival_start = milliseconds(below(500));
        has_rival = below(2) == 0;
        lost_reads_ = below(4);
    }

    fault_plan ours() { return plan(ours_); }
    fault_plan theirs() { return plan(theirs_); }

    retry_options options;
    milliseconds late_by{0};
    milliseconds start{0};
    milliseconds rival_start{0};
    bool has_rival = false;

private:
    static constexpr std::array<fault, 6> write_faults = {fault::unavailable,  fault::unknown_applied,
                                                          fault::unknown_lost, fault::unknown_late,
                                                          fault::refused,      fault::none};
    static constexpr std::size_t refusals_at = 4;
    static_assert(write_faults[refusals_at] == fault::refused);

    std::uint64_t below(std::uint64_t limit) { return draw_->next() % limit; }

    // How often each fault comes: some schedules have none of a kind, some little else.
    fault_plan plan(std::array<std::uint64_t, write_faults.size()> const& chances)
    {
        return [this, &chances](store_call const& call) {
            if (!call.writes) return below(3) < lost_reads_ ? fault::unavailable : fault::none;
            std::uint64_t sum = 0;
            for (auto const each : chances) sum += each;
            auto at = sum == 0 ? 0 : below(sum);
            for (std::size_t i = 0; sum > 0 && i < chances.size(); ++i) {
                if (at < chances[i]) return write_faults[i];
                at -= chances[i];
            }
            return fault::none;
        };
    }

    std::unique_ptr<headwater::random> draw_;
    std::array<std::uint64_t, write_faults.size()> ours_{};
    std::array<std::uint64_t, write_faults.size()> theirs_{};
    std::uint64_t lost_reads_ = 0;  // Of three.
};

// What a contender was told, and when.
struct told {
    std::optional<result<create_answer>> answer;
    std::chrono::nanoseconds took{};

    bool created() const { return answer && *answer && (*answer)->created; }
    bool exists() const { return answer && *answer && !(*answer)->created; }
    bool failed_with(errc code) const { return answer && !*answer && answer->error() == code; }
};

boost::asio::awaitable<void> create(object_store& store, clock& time, milliseconds at, bytes content, told& out)
{
    co_await time.sleep_for(at);
    auto const began = time.since_boot();
    auto answer = co_await store.put_if_absent(key, content);
    out.took = time.since_boot() - began;
    out.answer.emplace(std::move(answer));
}

std::string content_of(object_store& memory, test::virtual_clock& time)
{
    auto const found = test::run(time, memory.get(key, get_options()));
    return found ? std::string(found->content.view()) : "";
}

}  // namespace

TEST(lost_write, what_is_told_is_true_under_a_thousand_schedules)
{
    int created = 0, exists = 0, doubts = 0, failures = 0, refusals = 0;
    for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        schedule plan(seed);
        test::virtual_clock time;
        auto const chance = make_seeded_random(seed);
        auto const memory = make_memory_store(time);
        auto const our_line = make_faulty_store(*memory, time, plan.ours(), plan.late_by);
        auto const their_line = make_faulty_store(*memory, time, plan.theirs(), plan.late_by);
        auto const ours = make_settling_store(*our_line, time, *chance, plan.options);
        auto const theirs = make_settling_store(*their_line, time, *chance, plan.options);

        // All that was sent has landed when this ends: time goes on until nobody waits.
        boost::asio::io_context io(1);
        told us, them;
        boost::asio::co_spawn(io, create(*ours, time, plan.start, bytes("ours"), us), boost::asio::detached);
        if (plan.has_rival) {
            boost::asio::co_spawn(io, create(*theirs, time, plan.rival_start, bytes("theirs"), them),
                                  boost::asio::detached);
        }
        test::drive(io, time);

        ASSERT_TRUE(us.answer);
        auto const there = content_of(*memory, time);
        for (auto const& [end, content] : {std::pair(&us, "ours"), std::pair(&them, "theirs")}) {
            if (!end->answer) continue;
            if (end->created()) EXPECT_EQ(there, content) << "a false success";
            if (end->exists()) EXPECT_NE(there, content) << "a false conflict";
            if (end->exists()) EXPECT_NE(there, "") << "a conflict with nobody";
            bool const failed = end->failed_with(errc::unavailable) || end->failed_with(errc::access_denied);
            if (failed) EXPECT_NE(there, content) << "a false failure";
            if (!*end->answer) {
                // The next wait would have ended after the budget, and no wait is longer than the cap.
                bool const is_final = end->failed_with(errc::access_denied);
                EXPECT_TRUE(is_final || end->took + plan.options.cap >= plan.options.budget) << "given up too early";
                EXPECT_TRUE(!end->failed_with(errc::outcome_unknown) || end->took == plan.options.budget)
                    << "doubt before its end";
            }
            EXPECT_LE(end->took, plan.options.budget) << "given up too late";
        }
        EXPECT_FALSE(us.created() && them.created());
        created += us.created();
        exists += us.exists();
        doubts += us.failed_with(errc::outcome_unknown);
        failures += us.failed_with(errc::unavailable);
        refusals += us.failed_with(errc::access_denied);

        // Doubt ends with a read-back once the line is good again; where nothing is, the same create settles it.
        if (us.failed_with(errc::outcome_unknown)) {
            auto const good = make_settling_store(*memory, time, *chance);
            auto const again = test::run(time, good->put_if_absent(key, bytes("ours")));
            ASSERT_TRUE(again);
            EXPECT_EQ(again->created, there.empty());
            auto const now = content_of(*memory, time);
            EXPECT_EQ(now, there.empty() ? "ours" : there);
        }
    }
    // The schedules are worth something only if each end is among theirs.
    auto const ends = std::to_string(created) + " created, " + std::to_string(exists) + " exist, "
                      + std::to_string(doubts) + " in doubt, " + std::to_string(failures) + " failed, "
                      + std::to_string(refusals) + " refused";
    for (int const count : {created, exists, doubts, failures, refusals}) EXPECT_GE(count, 20) << ends;
}

}  // namespace headwater
