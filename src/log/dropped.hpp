// dropped: which tables had been dropped before a state, for who reads or writes them. A cleanup takes the tombstone
// set of a base below the floor from who holds on to it; the same state over a newer base has another.
#pragma once

#include "src/log/checkpoint_writer.hpp"
#include "src/log/fetched.hpp"
#include "src/log/open_stream.hpp"

#include <headwater/snapshot.hpp>

#include <vector>

namespace headwater {

/// The set that the base of `when` names. Where that is gone, `when` is read again from `stream` over the base that
/// stands; `history_gap` if the set of that one is missing too.
task<tombstone_set> read_base_set(fetched& from, open_stream& stream, checkpoint_writer& sets, snapshot& when);
/// Every identity that had been dropped at `when`, sorted.
task<std::vector<tombstone>> read_dropped(open_stream& stream, checkpoint_writer& sets, snapshot when);

}  // namespace headwater
