// publishing: what the verbs that make commits share: publish, keep up, add up.
#pragma once

#include "tools/headwater/print.hpp"
#include "tools/headwater/session.hpp"

#include <headwater/publisher.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <string>

namespace headwater::cli {

/// Publishes on top of whatever is newest, then keeps up; the receipt's cost has both. Cancelled it ends with
/// `operation_aborted` as a value, and with the receipt if the commit stands.
task<commit_receipt> publish(session& in, publisher& to, intent wanted);
/// The same on top of the commit `expected` or not at all; empty: of the empty state.
task<commit_receipt> publish_on(session& in, publisher& to, std::string const& expected, intent wanted);

/// Adds one commit.
void count(summary& so_far, commit_receipt const& one);
/// A signal ended `operation` between two commits.
error stopped(std::string operation, std::uint64_t commits);
/// Cancelled, and nothing was under way that could have been published.
bool is_plain_stop(error const& what) noexcept;

}  // namespace headwater::cli
