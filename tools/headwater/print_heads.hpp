// print_heads: RFC-024's view of a state as text. Pure; print.hpp says what the two forms are for.
#pragma once

#include <headwater/heads.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

/// Every identity at one position.
struct heads_view {
    heads_view() = default;

    snapshot at;
    std::vector<tombstone> dropped;
    /// Which of them to print; nothing: all.
    std::function<bool(table_identity, std::string const& key)> only;
    cost spent;
};

std::string heads_text(heads_view const& view);
/// `{"branch","seq","commit_id","heads":[{checkpoint's head}],"tombstones":[{…}],"cost"}`
std::string heads_json(std::string_view branch, heads_view const& view);

std::string findings_text(snapshot const& at, std::vector<head_finding> const& findings);
/// `{"branch","seq","commit_id","findings":[{"finding","stable_table_id","incarnation","detail"}],"cost"}`
std::string findings_json(std::string_view branch, snapshot const& at, std::vector<head_finding> const& findings,
                          cost const& spent);

}  // namespace headwater::cli
