// commit_search: where a commit stands when nobody has said so. An id is an address but for the stream (FORMAT section
// 3).
#pragma once

#include <headwater/names.hpp>
#include <headwater/object_store.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace headwater {

/// The streams that a commit of this time may be in: first those that began before it, the youngest first; then the
/// others, as clocks differ. Pure.
std::vector<stream_id> by_likelihood(std::vector<stream_id> streams, std::uint64_t created_at);

/// Looks in every stream that the graph has had, with a GET of one record each, 50 at a time. Nothing: the commit is in
/// none, or its id is not one of ours. What is found has not been judged beside any floor.
task<std::optional<position>> find_commit(object_store& store, commit_id id);

}  // namespace headwater
