// plain_readers: the same reconstruction as one would write it without the library's plan: what the reader is measured
// beside. They use the codecs but none of the carry, and check no digest.
#pragma once

#include <headwater/object_store.hpp>
#include <headwater/task.hpp>

#include <cstddef>
#include <cstdint>

namespace headwater::bench {

/// What was rebuilt.
struct rebuilt {
    std::uint64_t seq = 0;
    std::size_t tables = 0;
};

/// Hint, checkpoint, then each record after the other until one is absent.
task<rebuilt> read_sequentially(object_store& store);
/// Hint, then each slot after it until one is absent; then the checkpoint and all records since, at once.
task<rebuilt> read_in_rfc_order(object_store& store);
/// Hint, then the checkpoint, all records since and the next slot, at once: two rounds while the hint is fresh.
task<rebuilt> read_speculatively(object_store& store);

}  // namespace headwater::bench
