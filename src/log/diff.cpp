// One walk over two sorted lists.
#include <headwater/diff.hpp>

namespace headwater {

namespace {

// The pin without its owner branch.
bool same_version(pin const& left, pin const& right)
{
    return left.target_version == right.target_version && left.staged_version == right.staged_version
           && left.transaction_uuid == right.transaction_uuid && left.entity_count == right.entity_count
           && left.metadata == right.metadata;
}

bool same_content(head const& left, head const& right)
{
    return left.table_key == right.table_key && left.location == right.location && left.schema_hash == right.schema_hash
           && left.version == right.version && left.unknown == right.unknown;
}

}  // namespace

bool table_change::repinned() const noexcept
{
    if (!before || !after || before->version == after->version) return false;
    return !handed_off();
}

bool table_change::handed_off() const noexcept
{
    if (!before || !after || !before->version || !after->version) return false;
    return before->version->table_branch != after->version->table_branch
           && same_version(*before->version, *after->version);
}

std::vector<table_change> diff(std::span<head const> before, std::span<head const> after)
{
    std::vector<table_change> changes;
    auto left = before.begin();
    auto right = after.begin();
    while (left != before.end() || right != after.end()) {
        bool const only_left = right == after.end() || (left != before.end() && left->table < right->table);
        bool const only_right = left == before.end() || (right != after.end() && right->table < left->table);
        if (!only_left && !only_right && same_content(*left, *right)) {
            ++left;
            ++right;
            continue;
        }
        table_change& change = changes.emplace_back();
        change.table = only_right ? right->table : left->table;
        if (!only_right) change.before = *left++;
        if (!only_left) change.after = *right++;
    }
    return changes;
}

}  // namespace headwater
