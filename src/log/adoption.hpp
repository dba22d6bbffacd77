// adoption: what a merge commits: for each table, from its head at the base, at the source and at the target, what the
// target must change, or why that cannot be decided. Pure; FORMAT section 4, Merge.
#pragma once

#include <headwater/intent.hpp>
#include <headwater/merge.hpp>
#include <headwater/snapshot.hpp>

#include <string>
#include <vector>

namespace headwater {

struct adoption {
    adoption() = default;

    intent changes;  ///< Without lineage.
    std::vector<merge_question> conflicts;
};

/// `used`: every identity that the target has dropped. Nothing is asked where `resolve` is empty.
adoption adopt(snapshot const& base, snapshot const& source, snapshot const& target, std::vector<tombstone> const& used,
               merge_resolver const& resolve);

/// `merge_conflict`, naming each.
error conflicts_of(std::vector<merge_question> const& questions);

}  // namespace headwater
