// Only what can be derived is mended.
#include "src/upkeep/repair_plan.hpp"

namespace headwater {

repair_way plan_repair(finding const& what, found_beside const& beside)
{
    using kind = finding::kind_type;
    switch (what.kind) {
    case kind::hint_missing:
    case kind::hint_stale:
    case kind::hint_ahead:
    case kind::hint_garbage:
    case kind::hint_wrong: {
        bool const at_floor = beside.of && what.seq == beside.of->metadata.floor;
        return beside.newest || at_floor ? repair_way::hint : repair_way::none;
    }
    case kind::checkpoint_missing:
    case kind::checkpoint_torn:
    case kind::checkpoint_wrong: return beside.content ? repair_way::checkpoint : repair_way::none;
    case kind::set_missing:
    case kind::set_wrong: return beside.content ? repair_way::set : repair_way::none;
    case kind::half_done_delete: return beside.newest ? repair_way::finish_delete : repair_way::none;
    default: return repair_way::none;
    }
}

}  // namespace headwater
