// merge_base: which common ancestor two commits are merged over, or which commits must be read to know. Pure; FORMAT
// section 4, Merge. What is known is a graph of commit ids; merge.cpp reads it from the records, step by step.
#pragma once

#include <headwater/names.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace headwater {

/// What is known of the commits, by id.
class commit_graph {
public:
    struct node {
        node() = default;

        std::uint64_t created_at = 0;
        std::vector<commit_id> parents;  ///< The first one first.
        bool rootless = false;           ///< It has parents, but they cannot be known.
    };

    void add(commit_id id, node value) { nodes_.insert_or_assign(std::move(id), std::move(value)); }
    /// The commit cannot be read: it is below a floor, or gone.
    void add_missing(commit_id id) { missing_.insert_or_assign(std::move(id), true); }

    node const* find(commit_id const& id) const;
    bool is_missing(commit_id const& id) const { return missing_.contains(id); }
    std::map<commit_id, node> const& nodes() const noexcept { return nodes_; }

private:
    std::map<commit_id, node> nodes_;
    std::map<commit_id, bool> missing_;
};

/// What to do next.
struct merge_base_step {
    enum class kind_type {
        found,    ///< `id` is the base; without one the empty state is.
        read,     ///< `id` must be read.
        unknown,  ///< `id` is missing, and the base might be there or beyond.
    };
    merge_base_step() = default;
    merge_base_step(kind_type what, std::optional<commit_id> which) : kind(what), id(std::move(which)) {}

    kind_type kind = kind_type::found;
    std::optional<commit_id> id;

    friend bool operator==(merge_base_step const&, merge_base_step const&) = default;
};

/// The common ancestor of `left` and `right` over both parents at the least sum of distances, then the later
/// created_at, then the greater id. Reads no more than it takes to be sure: what lies only beyond a common ancestor is
/// farther from both.
merge_base_step find_merge_base(commit_graph const& known, commit_id const& left, commit_id const& right);

}  // namespace headwater
