// Publishing over a line that loses, delays and refuses writes, under random schedules: what a writer is told of its
// commit is true, and what it is not told, `resolve` tells from the resume token.
#include "tests/unit/log/small_graph.hpp"

#include <headwater/resolve.hpp>
#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace headwater {
namespace {

using test::small_graph;
using verdict = resolution::verdict_type;

// Each write meets a fault drawn from those that the seed chose.
class lossy_line {
public:
    explicit lossy_line(std::uint64_t seed) : draw_(make_seeded_random(seed))
    {
        for (auto& each : kinds_) each = kinds[draw_->next() % kinds.size()];
        late_by = std::chrono::milliseconds(draw_->next() % 5'000);
    }

    fault operator()(store_call const& call)
    {
        return call.operation == "put_if_absent" ? kinds_[draw_->next() % kinds_.size()] : fault::none;
    }

    std::chrono::milliseconds late_by{0};

private:
    static constexpr std::array<fault, 5> kinds = {fault::unknown_applied, fault::unknown_lost, fault::unknown_late,
                                                   fault::unavailable, fault::none};

    std::unique_ptr<headwater::random> draw_;
    std::array<fault, 2> kinds_{};
};

verdict resolved(small_graph& graph, std::string const& token)
{
    auto parsed = resume_token::parse(token);
    if (!parsed) throw failure(parsed.error());
    return graph.must(resolve(*graph.store, *parsed)).verdict;
}

}  // namespace

TEST(lost_publish, what_is_told_is_true_and_the_rest_is_resolved)
{
    constexpr std::uint64_t base = 3;
    int acknowledged = 0, doubts = 0, settled_by_resolve = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        small_graph graph;
        graph.grow(base);
        lossy_line line(seed);
        auto const plan = [&line](store_call const& call) { return line(call); };
        auto const faulty = make_faulty_store(*graph.store, graph.time, plan, line.late_by);
        publisher_options options;
        options.outcome_budget = std::chrono::milliseconds(2'000);
        publisher writer(*faulty, "main", graph.time, *graph.chance, options);

        // When this returns, what is late has landed too.
        auto const told = test::run(graph.time, writer.publish(small_graph::wish));
        auto const now = graph.read();
        if (told) {
            ++acknowledged;
            EXPECT_EQ(now.id(), told->at.id) << "a false success";
            continue;
        }
        if (told.error() != errc::outcome_unknown) {
            EXPECT_EQ(now.seq(), sequence(base)) << "a false failure: " << told.error().message();
            continue;
        }
        ++doubts;
        std::string token;
        for (auto const& [name, value] : told.error().why()->facts) {
            if (name == "resume") token = value;
        }
        auto const first = resolved(graph, token);
        EXPECT_EQ(first, now.seq() == sequence(base) ? verdict::unknown : verdict::committed);
        settled_by_resolve += first == verdict::committed;
        if (first != verdict::unknown) continue;
        graph.grow(base + 1);  // The next commit there decides.
        EXPECT_EQ(resolved(graph, token), verdict::not_committed);
    }
    EXPECT_GE(acknowledged, 20);
    EXPECT_GE(doubts, 10);
    EXPECT_GE(settled_by_resolve, 1);
}

}  // namespace headwater
