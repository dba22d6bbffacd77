// lineage_check: whether the other parent that an intent names can be one, and is there. Asked before anything is
// written: a record that names a commit which is not would leave every later merge without a base.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/record.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

namespace headwater {

/// What no commit on top of `base` can say: `invalid_argument`. Pure.
result<void> check_lineage(lineage const& wanted, position const& base);
/// The lineage with the place of its commit, which is looked for if it names none. `precondition_failed`: there is no
/// such commit there, or none that is left.
task<lineage> settle_lineage(object_store& store, clock& time, lineage wanted);

}  // namespace headwater
