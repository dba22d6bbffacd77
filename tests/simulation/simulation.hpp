// simulation: one graph under publishers, readers, a brancher, a merger, a follower, a cleaner and a repairer, over
// lines that lose, delay and repeat what they carry, in virtual time. A seed gives the same run on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace headwater::simulation {

struct simulation_options {
    std::uint64_t seed = 0;
    std::size_t kept_lines = 0;  ///< How much of the trace's end `last_lines` has.
    bool lies = false;           ///< The store ignores If-None-Match: promises must break.
};

/// What became of a run.
struct outcome {
    std::optional<std::string> broken;  ///< The first promise that was broken.
    std::string last_lines;             ///< Of the trace, up to there.
    std::uint64_t digest = 0;           ///< Of the whole trace.
    std::uint64_t lines = 0;
    std::uint64_t commits = 0;
    std::uint64_t merges = 0;       ///< That were told to be done.
    std::uint64_t commits_fed = 0;  ///< That a feed told of.
    std::uint64_t floor = 0;        ///< Of main, at the end.
};

outcome simulate(simulation_options const& options);

}  // namespace headwater::simulation
