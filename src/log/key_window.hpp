// key_window: the idempotency keys of the records that one handle has looked at. Stands beside the publisher, which
// asks before each create whether a key has been used.
#pragma once

#include "src/log/fetched.hpp"

#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace headwater {

class key_window {
public:
    /// How many records are asked for at once.
    static constexpr std::size_t page = 50;
    /// The most records that a handle looks at below the newest one it knows.
    static constexpr std::uint64_t max_key_records = 1'000'000;

    /// The commit in (floor, newest] of `stream` that has `key`, if there is one. Asks for each record once in the
    /// handle's life, the newest first, and no further than to the key.
    task<std::optional<position>> find(object_store& store, stream_id stream, sequence floor, sequence newest,
                                       std::string key, cost& spent);
    /// The record after the newest one known; any other is ignored, and read when it is needed.
    void note(record const& next);

private:
    using digest = std::array<std::uint8_t, 32>;  // Of a key: keys may be long.
    struct place {
        sequence seq;
        commit_id id;
    };

    void keep(record const& one);
    task<void> read(object_store& store, stream_id stream, sequence low, sequence high, cost& spent);

    std::map<digest, place> keys_;
    sequence floor_;
    sequence low_;   // Every record in (low_, high_] has been looked at.
    sequence high_;  // 0: none.
};

}  // namespace headwater
