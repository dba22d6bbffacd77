// Conditions under contention: many at once, exactly one wins.
#include "src/base/together.hpp"
#include "src/conformance/trial.hpp"

namespace headwater::conformance {

namespace {

std::vector<object_store*> racers_of(trial& on, std::size_t count)
{
    std::vector<object_store*> out;
    while (out.size() < count) out.push_back(&on.another());
    return out;
}

std::string winners_text(std::size_t winners, std::string_view what, std::size_t racers, std::uint32_t round)
{
    return std::to_string(winners) + " of " + std::to_string(racers) + ' ' + std::string(what) + " won in round "
           + std::to_string(round) + ", not exactly one";
}

awaitable<void> race_creates(trial& on, std::size_t racers)
{
    auto const stores = racers_of(on, racers);
    for (std::uint32_t round = 0; round < on.race_rounds(); ++round) {
        auto const key = "race/" + std::to_string(round);
        std::vector<task<create_answer>> starts;
        for (std::size_t at = 0; at < racers; ++at) starts.push_back(on.create(*stores[at], key, std::to_string(at)));
        auto const answers = co_await together(std::move(starts));
        key_list winners;
        for (std::size_t at = 0; at < racers; ++at) {
            if (on.ok(answers[at], "create") && answers[at]->created) winners.push_back(std::to_string(at));
        }
        auto const said = winners_text(winners.size(), "creates of one key", racers, round);
        if (!on.holds(answers.back(), winners.size() == 1, said)) co_return;
        co_await on.has_content(key, winners.front());
    }
}

awaitable<void> race_of_8_creates_has_one_winner(trial& on) { return race_creates(on, 8); }
awaitable<void> race_of_32_creates_has_one_winner(trial& on) { return race_creates(on, 32); }

awaitable<void> race_of_8_updates_has_one_winner(trial& on)
{
    constexpr std::size_t racers = 8;
    auto const stores = racers_of(on, racers);
    auto const made = co_await on.create("k", "start");
    if (!on.ok(made, "create")) co_return;
    auto current = made->tag;
    for (std::uint32_t round = 0; round < on.race_rounds(); ++round) {
        std::vector<task<update_answer>> starts;
        for (std::size_t at = 0; at < racers; ++at) {
            auto const content = std::to_string(round) + '/' + std::to_string(at);
            starts.push_back(on.update(*stores[at], "k", content, current));
        }
        auto const answers = co_await together(std::move(starts));
        auto const before = current;
        std::size_t winners = 0;
        for (auto const& answer : answers) {
            if (answer) {
                ++winners;
                current = answer->tag;
            } else {
                on.fails_with(answer, errc::precondition_failed, "an update that lost");
            }
        }
        auto const said = winners_text(winners, "updates under one etag", racers, round);
        if (!on.holds(answers.back(), winners == 1, said)) co_return;
        on.holds(current != before, "an update left the etag as it was");
    }
}

}  // namespace

std::vector<conformance_check> racing_checks()
{
    constexpr std::string_view theme = "racing";
    return {
        {"race_of_8_creates_has_one_winner", theme, true, race_of_8_creates_has_one_winner},
        {"race_of_32_creates_has_one_winner", theme, true, race_of_32_creates_has_one_winner},
        {"race_of_8_updates_has_one_winner", theme, true, race_of_8_updates_has_one_winner},
    };
}

}  // namespace headwater::conformance
