// Distances from both sides over what is known; then the best common commit, and whether anything unread could beat it.
#include "src/log/merge_base.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <tuple>

namespace headwater {

namespace {

using distances = std::map<commit_id, std::uint64_t>;

constexpr auto unreached = std::numeric_limits<std::uint64_t>::max() / 4;

distances distances_from(commit_graph const& known, commit_id const& start)
{
    distances out;
    out.emplace(start, 0);
    for (std::deque<commit_id> next{start}; !next.empty(); next.pop_front()) {
        auto const* const node = known.find(next.front());
        if (!node) continue;
        auto const beyond = out.at(next.front()) + 1;
        for (auto const& parent : node->parents) {
            if (out.emplace(parent, beyond).second) next.push_back(parent);
        }
    }
    return out;
}

std::uint64_t distance_in(distances const& from, commit_id const& id)
{
    auto const at = from.find(id);
    return at == from.end() ? unreached : at->second;
}

// A commit that nothing is known of but its name, its distances, and one that it is a parent of.
struct frontier_commit {
    commit_id id;
    std::uint64_t left = unreached;
    std::uint64_t right = unreached;
    std::uint64_t before = 0;  // A child's created_at.
    bool missing = false;

    bool common() const { return left != unreached && right != unreached; }
    std::uint64_t nearest() const { return std::min(left, right); }
};

class base_search {
public:
    base_search(commit_graph const& known, commit_id const& left, commit_id const& right)
        : known_(known), left_(distances_from(known, left)), right_(distances_from(known, right))
    {
        gather_frontier(left_);
        gather_frontier(right_);
        find_best();
    }

    merge_base_step next() const
    {
        using kind = merge_base_step::kind_type;
        if (auto const* const wanted = to_read()) return {kind::read, wanted->id};
        for (auto const& each : frontier_) {
            if (each.missing && may_hide_a_better(each)) return {kind::unknown, each.id};
        }
        return {kind::found, best_};
    }

private:
    void gather_frontier(distances const& reached)
    {
        for (auto const& [id, distance] : reached) {
            auto const* const node = known_.find(id);
            bool const seen = std::ranges::find(frontier_, id, &frontier_commit::id) != frontier_.end();
            if ((node && !node->rootless) || seen) continue;
            frontier_commit out;
            out.id = id;
            out.left = distance_in(left_, id);
            out.right = distance_in(right_, id);
            out.missing = node || known_.is_missing(id);
            out.before = node ? node->created_at : std::numeric_limits<std::uint64_t>::max();
            frontier_.push_back(std::move(out));
        }
        for (auto const& [id, node] : known_.nodes()) {
            for (auto const& parent : node.parents) {
                auto const at = std::ranges::find(frontier_, parent, &frontier_commit::id);
                if (at != frontier_.end()) at->before = std::min(at->before, node.created_at);
            }
        }
    }

    void find_best()
    {
        for (auto const& [id, distance] : left_) {
            auto const other = distance_in(right_, id);
            if (other == unreached) continue;
            auto const sum = distance + other;
            auto const* const node = known_.find(id);
            auto const created_at = node ? node->created_at : 0;
            bool const better =
                !best_ || sum < sum_ || (sum == sum_ && std::tie(created_at, id) > std::tie(best_created_at_, *best_));
            if (!better) continue;
            best_ = id;
            sum_ = sum;
            best_created_at_ = created_at;
        }
    }

    // The least sum that anything at or beyond an unread commit can have.
    bool may_hide_a_better(frontier_commit const& each) const
    {
        if (!best_) return true;
        // Itself: what a common one is worth is known, but for its created_at and, if it is the best, its state.
        if (each.common() && each.left + each.right <= sum_ && !known_.find(each.id)) return true;
        if (each.common()) return least_beyond() <= sum_;
        auto const& other = each.left == unreached ? left_ : right_;
        auto const& own = each.left == unreached ? right_ : left_;
        if (!each.missing) return each.nearest() < sum_;
        // Beyond it lie only older commits; those of the other side that are not its own may be among them.
        return std::ranges::any_of(other, [&](auto const& reached) {
            auto const* const node = known_.find(reached.first);
            bool const older = !node || node->created_at < each.before;
            return older && !own.contains(reached.first) && each.nearest() + 1 + reached.second <= sum_;
        });
    }

    // Of two sides that both have only common commits left: one step beyond the nearest of each.
    std::uint64_t least_beyond() const
    {
        auto left = unreached;
        auto right = unreached;
        for (auto const& each : frontier_) {
            left = std::min(left, each.left);
            right = std::min(right, each.right);
        }
        return left + right + 2;
    }

    // One side's commits before common ones, the latest first: so neither side runs far past the other.
    frontier_commit const* to_read() const
    {
        frontier_commit const* chosen = nullptr;
        for (auto const& each : frontier_) {
            if (each.missing || !may_hide_a_better(each)) continue;
            auto const rank = [](frontier_commit const& one) { return std::tuple(!one.common(), one.before); };
            if (!chosen || rank(each) > rank(*chosen)) chosen = &each;
        }
        return chosen;
    }

    commit_graph const& known_;
    distances left_;
    distances right_;
    std::vector<frontier_commit> frontier_;
    std::optional<commit_id> best_;
    std::uint64_t sum_ = unreached;
    std::uint64_t best_created_at_ = 0;
};

}  // namespace

commit_graph::node const* commit_graph::find(commit_id const& id) const
{
    auto const at = nodes_.find(id);
    return at == nodes_.end() ? nullptr : &at->second;
}

merge_base_step find_merge_base(commit_graph const& known, commit_id const& left, commit_id const& right)
{
    base_search const search(known, left, right);
    return search.next();
}

}  // namespace headwater
