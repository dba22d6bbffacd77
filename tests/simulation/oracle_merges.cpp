// What a merge must have made, by every path through a history that the oracle has seen whole.
#include "tests/simulation/oracle.hpp"

#include <algorithm>
#include <deque>
#include <limits>

namespace headwater::simulation {

namespace {

std::optional<table_now> table_in(tables_now const& tables, std::uint64_t id)
{
    auto const at = tables.find(id);
    return at == tables.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

std::map<commit_id, std::uint64_t> oracle::distances_from(commit_id const& start) const
{
    std::map<commit_id, std::uint64_t> out{{start, 0}};
    for (std::deque<commit_id> next{start}; !next.empty(); next.pop_front()) {
        auto const at = by_id_.find(next.front());
        if (at == by_id_.end()) throw broken_promise("nobody has seen commit " + next.front().text());
        for (auto const& parent : at->second.parents) {
            if (out.emplace(parent, out.at(next.front()) + 1).second) next.push_back(parent);
        }
    }
    return out;
}

// The commits that a merge of these may be over. With history gone a nearer one may have to do for one that cannot be
// known to come after it.
std::set<commit_id> oracle::bases_of(commit_id const& source, commit_id const& target) const
{
    auto const from_source = distances_from(source);
    auto const from_target = distances_from(target);
    std::map<commit_id, std::uint64_t> common;
    for (auto const& [id, distance] : from_source) {
        if (auto const at = from_target.find(id); at != from_target.end()) common[id] = distance + at->second;
    }
    auto last = common;
    for (auto const& [id, sum] : common) {
        for (auto const& parent : by_id_.at(id).parents) last.erase(parent);
    }
    auto least = std::numeric_limits<std::uint64_t>::max();
    for (auto const& [id, sum] : last) least = std::min(least, sum);
    std::set<commit_id> out;
    for (auto const& [id, sum] : pruned_ ? common : last) {
        if (sum <= least) out.insert(id);
    }
    return out;
}

// An identity that the target has had and has no more.
bool oracle::was_ended(std::string const& stream, std::uint64_t before, std::uint64_t id, table_now const& wanted) const
{
    for (std::uint64_t seq = 1; seq < before; ++seq) {
        auto const there = table_in(state_before(stream, seq + 1), id);
        if (there && there->incarnation == wanted.incarnation) return true;
    }
    return false;
}

bool oracle::is_fold_over(tables_now const& base, tables_now const& source, place const& at,
                          tables_now const& after) const
{
    auto const target = state_before(at.stream, at.seq);
    std::set<std::uint64_t> ids;
    for (auto const* const each : {&base, &source, &target, &after}) {
        for (auto const& [id, table] : *each) ids.insert(id);
    }
    return std::ranges::all_of(ids, [&](std::uint64_t id) {
        auto const was = table_in(base, id);
        auto const brought = table_in(source, id);
        auto const had = table_in(target, id);
        auto const has = table_in(after, id);
        if (brought == was || brought == had) return has == had;
        if (had != was) return has == had || has == brought;  // Whoever resolved the conflict decided.
        bool const comes_back =
            brought && (!had || had->incarnation != brought->incarnation) && was_ended(at.stream, at.seq, id, *brought);
        return has == brought || (comes_back && has == had);
    });
}

void oracle::check_merge(place const& at, record const& made, tables_now const& after) const
{
    auto const where = "seq " + std::to_string(at.seq) + " of " + at.stream;
    auto const source = by_id_.find(made.origin->merged_parent_commit_id);
    if (source == by_id_.end()) throw broken_promise("the merge names a commit that never stood: " + where);
    std::set<commit_id> bases;
    if (made.parent) bases = bases_of(source->first, *made.parent);
    bool folds = bases.empty() && is_fold_over({}, source->second.tables, at, after);
    for (auto const& each : bases) {
        folds = folds || is_fold_over(by_id_.at(each).tables, source->second.tables, at, after);
    }
    if (!folds) throw broken_promise("the merge is not what its sides have made of their base: " + where);
}

void oracle::told_merged(merge_receipt const& done)
{
    if (!done.source.id) return;
    auto const where = "seq " + std::to_string(done.at.seq.value()) + " of " + done.at.stream.text();
    if (!done.at.id) throw broken_promise("a merge was told of nothing");
    if (!distances_from(*done.at.id).contains(*done.source.id)) {
        throw broken_promise("a merge was told that the target has what it has not: " + where);
    }
    if (done.outcome == merge_receipt::outcome_type::already_up_to_date) return;
    ++merges_;
    auto const& parents = by_id_.at(*done.at.id).parents;
    bool const on_commit = parents.size() == 2;
    auto const bases = on_commit ? bases_of(*done.source.id, parents.front()) : std::set<commit_id>();
    bool const right = done.base ? bases.contains(*done.base) : bases.empty();
    if (!right) throw broken_promise("the merge took a wrong base: " + where);
}

void oracle::fed(record const& cause)
{
    ++commits_fed_;
    auto const where = "seq " + std::to_string(cause.seq.value()) + " of " + cause.stream;
    auto const life = lives_.find(cause.stream);
    if (life == lives_.end()) throw broken_promise("a feed told of a stream that is not: " + where);
    auto const at = life->second.commits.find(cause.seq.value());
    if (at == life->second.commits.end() || at->second.id != cause.id) {
        throw broken_promise("a feed told of a commit that does not stand: " + where);
    }
}

}  // namespace headwater::simulation
