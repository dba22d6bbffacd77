// random: the port through which all chance comes: ids, jitter, temporary names.
#pragma once

#include <headwater/export.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace headwater {

/// A source of random bytes. Implementations say which threads may use them.
class HEADWATER_EXPORT random {
public:
    random() = default;
    random(random const&) = delete;
    random& operator=(random const&) = delete;
    virtual ~random() = default;

    /// Fills `out` with random bytes.
    virtual void fill(std::span<std::byte> out) = 0;
    /// One random number over all of u64.
    std::uint64_t next();
};

/// The kernel's generator (getrandom). Safe to use from any thread.
HEADWATER_EXPORT std::unique_ptr<random> make_system_random();
/// The same numbers for the same seed on every machine; for tests and demos, never for ids that must not collide.
HEADWATER_EXPORT std::unique_ptr<random> make_seeded_random(std::uint64_t seed);

}  // namespace headwater
