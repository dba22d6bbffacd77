// print_bench: what bench answers: how long a store's requests took. Pure, as print.
#pragma once

#include <headwater/cost.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace headwater::cli {

/// How long the requests of one kind took.
struct latency {
    latency() = default;
    explicit latency(std::string what) : operation(std::move(what)) {}

    std::string operation;
    std::vector<std::chrono::nanoseconds> samples;
};

/// The least sample that `percent` of all do not exceed; of none, zero.
std::chrono::nanoseconds percentile(std::vector<std::chrono::nanoseconds> samples, unsigned percent);

struct bench_report {
    bench_report() = default;

    std::string store;
    std::uint64_t rounds = 0;
    std::uint64_t size = 0;  ///< Bytes of each object.
    std::vector<latency> operations;
    std::uint64_t left_behind = 0;  ///< Objects that could not be removed again.
    cost spent;
};

std::string bench_text(bench_report const& report);
std::string bench_json(bench_report const& report);

}  // namespace headwater::cli
