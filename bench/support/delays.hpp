// delays: how long a store takes to answer, as a distribution. The server sleeps it, the virtual store simulates it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace headwater::bench {

/// base + lognormal(median, sigma); LIST takes longer. Without median nothing but the base is waited for.
struct delay_shape {
    double base_ms = 0;
    double median_ms = 0;
    double sigma = 0;
    double list_factor = 1.5;
    double outlier_share = 0;  ///< Of the requests that take `outlier_ms` more.
    double outlier_ms = 200;
    double slow_share = 0;  ///< Of the time, in windows of a second, during which all take `slow_factor` as long.
    double slow_factor = 5;
};

/// `none`; `store`: the distribution of a near object store, p50 10 ms, p95 31 ms, p99 60 ms; `fixed`: 10 ms;
/// `outliers`: as store, one in a hundred takes 200 ms more; `correlated`: as store, a tenth of the time 5 times as
/// slow; or `base=6,median=4,sigma=1.119,list=1.5,outliers=0.01,outlier=200,slow=0.1,factor=5`.
std::optional<delay_shape> parse_delays(std::string_view text);

class delay_source {
public:
    delay_source(delay_shape const& shape, std::uint64_t seed) : shape_(shape), chance_(seed) {}

    /// The delay of one request that arrives at `now`.
    std::chrono::nanoseconds next(bool listing, std::chrono::nanoseconds now);

private:
    bool slow_at(std::chrono::nanoseconds now) const;

    delay_shape shape_;
    std::mt19937_64 chance_;
    std::normal_distribution<double> normal_;
    std::uniform_real_distribution<double> uniform_{0, 1};
};

}  // namespace headwater::bench
