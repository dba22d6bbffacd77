// output: what a benchmark prints: JSON lines on stdout. And the percentiles that the lines are made of.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace headwater::bench {

/// Prints one line at once, so that a run that is stopped has lost nothing.
inline void emit(nlohmann::ordered_json const& line)
{
    std::puts(line.dump().c_str());
    std::fflush(stdout);
}

/// The value below which `share` (0 to 1) of the samples lie; 0 of none.
inline double quantile(std::vector<double> samples, double share)
{
    if (samples.empty()) return 0;
    auto const last = static_cast<double>(samples.size() - 1);
    auto const at = static_cast<std::ptrdiff_t>(share * last + 0.5);
    std::nth_element(samples.begin(), samples.begin() + at, samples.end());
    return samples[static_cast<std::size_t>(at)];
}

inline double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

/// Adds `NAME_p10` … `NAME_p99` to a line; the unit is in the name: `ms`, `us`.
inline void add_spread(nlohmann::ordered_json& line, std::string const& name, std::vector<double> const& samples)
{
    line["samples"] = samples.size();
    line[name + "_p10"] = quantile(samples, 0.10);
    line[name + "_p50"] = quantile(samples, 0.50);
    line[name + "_p90"] = quantile(samples, 0.90);
    line[name + "_p99"] = quantile(samples, 0.99);
}

}  // namespace headwater::bench
