// parent_check: whether a branch's metadata tells truly where the branch began and ended. Nothing else says which
// history below the fork is its own, so a wrong word there would have cleanup delete what the branch needs.
#pragma once

#include "src/log/lives.hpp"

#include <optional>
#include <string>

namespace headwater {

/// What is wrong with the parent that `child` names; nothing: what stands at the fork agrees, or has been pruned.
/// `parent`: the stream of that name, if the graph has it. Reads the record at the fork, or what stands in for it. What
/// cannot be decoded agrees: who checks that object tells. Errors: those of the store.
task<std::optional<std::string>> parent_fault(object_store& store, stream_metadata child, std::optional<life> parent);

/// What is wrong with the end that a retired stream's metadata tells, beside its newest record. Pure.
std::optional<std::string> end_fault(stream_metadata const& of, record const& newest);

}  // namespace headwater
