// Draws delays. A seed replays.
#include "bench/support/delays.hpp"

#include <cmath>
#include <cstdlib>
#include <map>

namespace headwater::bench {

namespace {

// BUDGETS: p50 10, p95 31, p99 60 ms.
constexpr delay_shape near_store{.base_ms = 6, .median_ms = 4, .sigma = 1.119};

std::optional<delay_shape> named_shape(std::string_view name)
{
    auto shape = near_store;
    if (name == "none") return delay_shape();
    if (name == "store") return shape;
    if (name == "fixed") return delay_shape{.base_ms = 10};
    if (name == "outliers") {
        shape.outlier_share = 0.01;
        return shape;
    }
    if (name == "correlated") {
        shape.slow_share = 0.1;
        return shape;
    }
    return {};
}

}  // namespace

std::optional<delay_shape> parse_delays(std::string_view text)
{
    if (auto const shape = named_shape(text)) return shape;
    delay_shape shape;
    std::map<std::string_view, double*> const members{
        {"base", &shape.base_ms},           {"median", &shape.median_ms},   {"sigma", &shape.sigma},
        {"list", &shape.list_factor},       {"slow", &shape.slow_share},    {"factor", &shape.slow_factor},
        {"outliers", &shape.outlier_share}, {"outlier", &shape.outlier_ms},
    };
    while (!text.empty()) {
        auto const part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        auto const equals = part.find('=');
        auto const member = members.find(part.substr(0, equals));
        if (equals == part.npos || member == members.end()) return {};
        *member->second = std::atof(std::string(part.substr(equals + 1)).c_str());
    }
    return shape;
}

std::chrono::nanoseconds delay_source::next(bool listing, std::chrono::nanoseconds now)
{
    double length = shape_.base_ms;
    if (shape_.median_ms > 0) length += shape_.median_ms * std::exp(shape_.sigma * normal_(chance_));
    if (listing) length *= shape_.list_factor;
    if (shape_.outlier_share > 0 && uniform_(chance_) < shape_.outlier_share) length += shape_.outlier_ms;
    if (slow_at(now)) length *= shape_.slow_factor;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(length));
}

// Whole seconds are slow, here and there.
bool delay_source::slow_at(std::chrono::nanoseconds now) const
{
    if (shape_.slow_share <= 0) return false;
    auto const second = static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(now).count());
    constexpr std::uint64_t parts = 1000;
    std::mt19937_64 of_second(second);
    return static_cast<double>(of_second() % parts) < shape_.slow_share * parts;
}

}  // namespace headwater::bench
