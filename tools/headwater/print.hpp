// print: what the commands answer, as text. Pure: values in, lines out, each with its newline; u64 are exact.
// The JSON forms are a contract with scripts; the human ones are for reading.
#pragma once

#include <headwater/cost.hpp>
#include <headwater/error.hpp>
#include <headwater/publisher.hpp>
#include <headwater/record.hpp>
#include <headwater/resolve.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/stream_metadata.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace headwater::cli {

/// What the process ends with.
enum class exit_code : int { done = 0, failure = 1, usage = 2, not_found = 3, conflict = 4, unknown = 5, corrupt = 6 };

exit_code exit_code_of(error const& what) noexcept;

/// `headwater: not_found: …`, with the further facts of the diagnostics.
std::string error_line(error const& what);
/// `{"error":{"code":"not_found","message":"…",…}}`
std::string error_json(error const& what);
std::string usage_line(std::string_view message);
std::string usage_json(std::string_view message);
std::string warning_line(error const& what);
/// `{"warning":{"code":"unavailable","message":"…",…}}`
std::string warning_json(error const& what);

/// Milliseconds since 1970 as `2025-09-15T01:33:20.000Z`.
std::string rfc3339(std::uint64_t created_at);
/// Text from a store, for a terminal: control characters are spelled out.
std::string printable(std::string_view text);

/// `cost: 3 requests in 2 rounds (+2 to open), 80 KB read`
std::string cost_line(cost const& spent);

std::string init_line(std::string_view graph, graph_format const& made);
std::string init_json(std::string_view graph, graph_format const& made, cost const& spent);

std::string receipt_line(commit_receipt const& receipt);
/// `{"seq":1001,"commit_id":"…","stream":"main","attempts":1,"cost":{…}}`, and `"repeated":true` before the cost of one
/// that an earlier commit with the same key answered.
std::string receipt_json(commit_receipt const& receipt);

std::string resolution_line(position const& asked, resolution const& answer);
/// `{"outcome":"committed","seq":4,"commit_id":"…","stream":"main","actual":"…"?,"cost":{…}}`; the outcome is
/// `committed`, `not_committed`, `unknown` or `lost`.
std::string resolution_json(position const& asked, resolution const& answer);

/// One line of a list.
std::string record_line(record const& value);
/// All that a record says.
std::string record_text(record const& value);

std::string snapshot_text(std::string_view graph, std::string_view branch, snapshot const& now);
std::string snapshot_json(std::string_view graph, std::string_view branch, snapshot const& now);

/// What `demo` and `import` have done.
struct summary {
    summary() = default;

    std::uint64_t commits = 0;
    position first;
    position last;
    cost spent;  ///< Of the commits alone.
};

std::string import_text(summary const& done);
std::string demo_text(summary const& done, std::size_t tables, double seconds);
std::string demo_json(std::string_view graph, summary const& done, std::size_t tables, double seconds);

}  // namespace headwater::cli
