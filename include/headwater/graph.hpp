// graph: making a new graph in a store. Reading and writing it: reader.hpp, publisher.hpp.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/stream_metadata.hpp>
#include <headwater/task.hpp>

#include <string_view>

namespace headwater {

/// The settings that a graph keeps for life.
struct init_options {
    std::uint64_t checkpoint_interval = default_checkpoint_interval;  ///< Records from one checkpoint to the next.
    std::uint64_t carry_limit = default_carry_limit;                  ///< The most bytes a record's carry may have.
    std::string_view creator = "headwater";                           ///< Must live until the call completes.
    bool proven = false;  ///< The store has proved its conditions (probe.hpp) before: do not ask it again.
};

/// Makes an empty graph: the metadata of `main`, then format.json, both created conditionally (FORMAT section 3). The
/// store must first prove that its conditional creates have one winner (probe.hpp); who writes to a graph that may have
/// been copied there asks again (`prover`). `unsupported` if it cannot, saying what is broken, and nothing is left
/// there; `already_exists` if the store has a graph; `corrupt` if it has one that has lost its format.json. Safe to run
/// again after a crash. Cancellation: at any point.
HEADWATER_EXPORT task<graph_format> init_graph(object_store& store, clock& time, random& chance, init_options options);

}  // namespace headwater
