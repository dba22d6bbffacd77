// keys: the names of a graph's objects, spelled as FORMAT section 2 says, for readers that are written without the
// library. Only what they need, of the stream main.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace headwater::bench::keys {

inline std::string padded(std::uint64_t value)
{
    auto const digits = std::to_string(value);
    return std::string(20 - digits.size(), '0') + digits;
}

inline std::string record(std::uint64_t seq)
{
    return "_graph/main/" + padded(std::numeric_limits<std::uint64_t>::max() - seq) + ".commit";
}

inline std::string checkpoint(std::uint64_t seq) { return "_graph/main/checkpoints/" + padded(seq) + ".json"; }
inline std::string hint() { return "_graph/main/latest.json"; }
inline std::string metadata() { return "_graph/streams/main.json"; }
inline std::string format() { return "_graph/format.json"; }

}  // namespace headwater::bench::keys
