// watched_store: a store whose every write is shown to the oracle as it takes effect, and rough_store, the line to it:
// slow, at times stopped for hours, and delivering writes twice.
#pragma once

#include "tests/simulation/world.hpp"

#include <headwater/object_store.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace headwater::simulation {

/// Passes all calls to `next`; once `all.store_lies`, it takes every conditional create, as stores do that ignore
/// If-None-Match.
std::unique_ptr<object_store> make_watched_store(object_store& next, world& all);

/// How rough a line is; rates are per thousand calls.
struct roughness {
    std::uint64_t stops = 0;    ///< The caller is stopped before its request goes out, for up to three hours.
    std::uint64_t repeats = 0;  ///< A write arrives a second time, up to three hours later.
};

/// Each call takes 1 to 40 ms each way.
std::unique_ptr<object_store> make_rough_store(object_store& next, world& all, roughness how, std::uint64_t seed);

}  // namespace headwater::simulation
