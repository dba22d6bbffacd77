// merge_base: which common ancestor two commits are merged over, or which commit must be read to know. Pure; FORMAT
// section 4, Merge. What is known is a graph of commit ids; merge.cpp reads it from the records, step by step.
#pragma once

#include <headwater/names.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace headwater {

/// What is known of the commits, by id. What was told once stays.
class commit_graph {
public:
    /// A fact: of two commits on one line of first parents the earlier is an ancestor of the later.
    struct standing {
        standing() = default;
        standing(commit_id which, std::uint32_t on, std::uint64_t at) : id(std::move(which)), line(on), seq(at) {}

        commit_id id;
        std::uint32_t line = 0;
        std::uint64_t seq = 0;
    };
    struct node {
        node() = default;

        std::uint64_t created_at = 0;
        std::vector<commit_id> parents;   ///< The first one first.
        bool rootless = false;            ///< It has parents, but they cannot be known.
        std::vector<standing> standings;  ///< Its own, and its first parent's: where the record proves them.
    };

    void add(commit_id id, node value) { nodes_.emplace(std::move(id), std::move(value)); }
    /// The commit cannot be read: it is below a floor, or gone.
    void add_missing(commit_id id) { missing_.insert(std::move(id)); }

    node const* find(commit_id const& id) const;
    bool is_missing(commit_id const& id) const { return missing_.contains(id); }

private:
    std::map<commit_id, node> nodes_;
    std::set<commit_id> missing_;
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

/// Looks for the base of `left` and `right`: of their common ancestors over both parents that are no ancestors of
/// another one, that at the least sum of distances, then with the later created_at, then the greater id.
///
/// An ancestor of another common ancestor has nothing that the other has not, but would show what both have had from
/// there as changes of both. Nothing is concluded from created_at, which several clocks have written: it only says what
/// to read first. A missing commit matters where a common ancestor beyond it might be at a sum as small.
///
/// Incremental: each commit that is asked for is looked at once, so all the work is linear, but for a logarithm, in
/// what is read. What `known` has beyond that changes nothing. `known` must outlive the search and may grow meanwhile.
class merge_base_search {
public:
    merge_base_search(commit_graph const& known, commit_id const& left, commit_id const& right);

    merge_base_step next();
    /// How many commits and edges were looked at so far.
    std::uint64_t work() const noexcept { return work_; }

private:
    using index = std::uint32_t;
    static constexpr index nowhere = std::numeric_limits<index>::max();
    static constexpr std::uint64_t unreached = std::numeric_limits<std::uint64_t>::max() / 4;

    enum class status { unread, read, missing };
    struct entry {
        commit_id id;
        status is = status::unread;
        bool rootless = false;
        std::uint64_t created_at = 0;
        std::uint64_t before = std::numeric_limits<std::uint64_t>::max();  // The least created_at of its children.
        std::vector<index> parents;
        std::vector<index> earlier;  // On its lines, at a distance that nobody knows.
        std::vector<bool> reached;   // From left, from right, then from each candidate.
        index candidate = nowhere;
    };
    struct candidate {
        index at = nowhere;
        bool dominated = false;
        std::uint64_t sum = unreached;
    };

    index entry_of(commit_id const& id);
    bool has(index at, index mark) const;
    bool is_common(index at) const { return has(at, 0) && has(at, 1); }
    void reach(index at, index mark);
    void meet(index at, index mark);
    void link(std::vector<index> entry::*kind, index from, index to);
    void stand(commit_graph::standing const& fact);
    bool take(index at);
    void want(index at);
    bool is_wanted(index at) const;
    std::optional<index> most_wanted();
    void choose_candidates();
    std::vector<std::uint64_t> distances_from(index start);
    void measure();
    merge_base_step verdict();

    commit_graph const& known_;
    std::vector<entry> entries_;
    std::map<commit_id, index> by_id_;
    std::map<std::uint32_t, std::map<std::uint64_t, index>> lines_;
    std::priority_queue<std::pair<std::uint64_t, index>> wanted_;
    std::vector<candidate> candidates_;
    std::size_t undominated_ = 0;
    bool chosen_ = false;
    bool measured_ = false;
    std::optional<std::pair<std::uint64_t, index>> nearest_missing_;  // Its distance.
    std::uint64_t work_ = 0;
    index left_ = nowhere;
    index right_ = nowhere;
};

}  // namespace headwater
