// The memory adapter: a store that lives and dies with its object. For tests, simulations and short-lived graphs.
#pragma once

#include <headwater/object_store.hpp>

namespace headwater {

/// How a memory store behaves.
struct memory_options {
    bool ordered_listing = true;     ///< False: pages come in a scrambled, repeatable order, as from a directory.
    bool conditional_update = true;  ///< False: `put_if_match` answers `unsupported`.
};

/// An empty store. `time` gives `last_modified` and must outlive the store. Every call yields to the executor once
/// before it acts, so calls that were started together overlap as they would on a network.
HEADWATER_EXPORT std::unique_ptr<object_store> make_memory_store(clock& time, memory_options options = {});

}  // namespace headwater
