// repair_plan: which findings can be mended, and from what. Pure.
#pragma once

#include "src/upkeep/graph_check.hpp"

namespace headwater {

enum class repair_way {
    none,
    hint,        ///< From the newest record.
    checkpoint,  ///< From the state at its seq.
    set,         ///< From the state at the checkpoint that names it.
    finish_delete,
};

repair_way plan_repair(finding const& what, found_beside const& beside);

}  // namespace headwater
