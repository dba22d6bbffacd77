// First both sides are read down to what they share; then, if several commits end that, those are read down to what
// they share, which tells the ancestors among them. Each round spreads marks from commits to their ancestors.
#include "src/log/merge_base.hpp"

#include <algorithm>
#include <deque>
#include <tuple>

namespace headwater {

namespace {

constexpr std::uint32_t from_left = 0;
constexpr std::uint32_t from_right = 1;
constexpr std::uint32_t from_candidates = 2;

}  // namespace

commit_graph::node const* commit_graph::find(commit_id const& id) const
{
    auto const at = nodes_.find(id);
    return at == nodes_.end() ? nullptr : &at->second;
}

merge_base_search::merge_base_search(commit_graph const& known, commit_id const& left, commit_id const& right)
    : known_(known)
{
    left_ = entry_of(left);
    right_ = entry_of(right);
    reach(left_, from_left);
    reach(right_, from_right);
}

merge_base_search::index merge_base_search::entry_of(commit_id const& id)
{
    auto const [at, is_new] = by_id_.emplace(id, static_cast<index>(entries_.size()));
    if (is_new) entries_.emplace_back().id = id;
    return at->second;
}

bool merge_base_search::has(index at, index mark) const
{
    auto const& reached = entries_[at].reached;
    return mark < reached.size() && reached[mark];
}

// A mark goes to all ancestors that are known, once to each.
void merge_base_search::reach(index at, index mark)
{
    std::vector<index> next{at};
    while (!next.empty()) {
        auto const here = next.back();
        next.pop_back();
        ++work_;
        if (has(here, mark)) continue;
        auto& one = entries_[here];
        if (one.reached.size() <= mark) one.reached.resize(mark + 1);
        one.reached[mark] = true;
        meet(here, mark);
        want(here);
        next.insert(next.end(), one.parents.begin(), one.parents.end());
        next.insert(next.end(), one.earlier.begin(), one.earlier.end());
    }
}

// Whether a candidate turns out to be an ancestor of another one. Two that are each other's lie, and stay.
void merge_base_search::meet(index at, index mark)
{
    auto const own = entries_[at].candidate;
    if (own == nowhere || mark < from_candidates || mark - from_candidates == own || candidates_[own].dominated) return;
    if (undominated_ < 2 || has(candidates_[mark - from_candidates].at, from_candidates + own)) return;
    candidates_[own].dominated = true;
    --undominated_;
}

void merge_base_search::link(std::vector<index> entry::*kind, index from, index to)
{
    (entries_[from].*kind).push_back(to);
    for (index mark = 0; mark < entries_[from].reached.size(); ++mark) {
        if (entries_[from].reached[mark]) reach(to, mark);
    }
}

// Between its neighbours on the line.
void merge_base_search::stand(commit_graph::standing const& fact)
{
    auto& line = lines_[fact.line];
    auto const one = entry_of(fact.id);
    auto const [at, is_new] = line.emplace(fact.seq, one);
    if (!is_new) return;
    if (at != line.begin()) link(&entry::earlier, one, std::prev(at)->second);
    if (auto const later = std::next(at); later != line.end()) link(&entry::earlier, later->second, one);
}

// Whether the graph knows the commit, or that it is missing.
bool merge_base_search::take(index at)
{
    auto const* const node = known_.find(entries_[at].id);
    if (!node && !known_.is_missing(entries_[at].id)) return false;
    ++work_;
    if (!node) {
        entries_[at].is = status::missing;
        return true;
    }
    entries_[at].is = status::read;
    entries_[at].rootless = node->rootless;
    entries_[at].created_at = node->created_at;
    for (auto const& id : node->parents) {
        auto const parent = entry_of(id);
        entries_[parent].before = std::min(entries_[parent].before, node->created_at);
        link(&entry::parents, at, parent);
        want(parent);
    }
    for (auto const& each : node->standings) stand(each);
    return true;
}

bool merge_base_search::is_wanted(index at) const
{
    if (entries_[at].is != status::unread) return false;
    // What is beyond a side that the other one has reached whole is no news.
    if (!chosen_) return !is_common(at) && !is_common(left_) && !is_common(right_);
    if (undominated_ < 2) return false;
    bool reached = false;
    bool missed = false;
    for (index i = 0; i != candidates_.size(); ++i) {
        if (!candidates_[i].dominated) (has(at, from_candidates + i) ? reached : missed) = true;
    }
    return reached && missed;
}

// The latest first: so neither side runs far past the other.
void merge_base_search::want(index at)
{
    if (is_wanted(at)) wanted_.emplace(entries_[at].before, at);
}

std::optional<merge_base_search::index> merge_base_search::most_wanted()
{
    while (!wanted_.empty()) {
        auto const [before, at] = wanted_.top();
        if (is_wanted(at) && before == entries_[at].before) return at;
        wanted_.pop();
        ++work_;
    }
    return {};
}

// Every common commit that no known one has as an ancestor.
void merge_base_search::choose_candidates()
{
    chosen_ = true;
    std::vector<bool> beyond(entries_.size());
    for (index at = 0; at != entries_.size(); ++at) {
        work_ += 1 + entries_[at].parents.size() + entries_[at].earlier.size();
        if (!is_common(at)) continue;
        for (auto const parent : entries_[at].parents) beyond[parent] = true;
        for (auto const other : entries_[at].earlier) beyond[other] = true;
    }
    for (index at = 0; at != entries_.size(); ++at) {
        if (!is_common(at) || beyond[at]) continue;
        entries_[at].candidate = static_cast<index>(candidates_.size());
        candidates_.emplace_back().at = at;
    }
    undominated_ = candidates_.size();
    if (undominated_ < 2) return;
    for (index i = 0; i != candidates_.size(); ++i) reach(candidates_[i].at, from_candidates + i);
}

std::vector<std::uint64_t> merge_base_search::distances_from(index start)
{
    std::vector<std::uint64_t> out(entries_.size(), unreached);
    out[start] = 0;
    for (std::deque<index> next{start}; !next.empty(); next.pop_front()) {
        for (auto const parent : entries_[next.front()].parents) {
            ++work_;
            if (out[parent] != unreached) continue;
            out[parent] = out[next.front()] + 1;
            next.push_back(parent);
        }
    }
    return out;
}

// Of the candidates that are left, and of the nearest commit that may hide another one.
void merge_base_search::measure()
{
    measured_ = true;
    auto const left = distances_from(left_);
    auto const right = distances_from(right_);
    std::erase_if(candidates_, [](candidate const& each) { return each.dominated; });
    for (auto& each : candidates_) each.sum = std::min(unreached, left[each.at] + right[each.at]);
    for (index at = 0; at != entries_.size(); ++at) {
        bool const hides = entries_[at].is == status::missing || entries_[at].rootless;
        auto const distance = std::min(left[at], right[at]);
        if (!hides || is_common(at) || distance == unreached) continue;
        if (!nearest_missing_ || distance < nearest_missing_->first) nearest_missing_.emplace(distance, at);
    }
}

merge_base_step merge_base_search::verdict()
{
    using kind = merge_base_step::kind_type;
    auto least = unreached;
    for (auto const& each : candidates_) least = std::min(least, each.sum);
    bool const whole = is_common(left_) || is_common(right_);
    // Beyond it: at least one step, to a commit that the other side has.
    if (!whole && nearest_missing_ && nearest_missing_->first < least) {
        return {kind::unknown, entries_[nearest_missing_->second].id};
    }
    std::vector<index> best;
    for (auto const& each : candidates_) {
        if (each.sum == least) best.push_back(each.at);
    }
    for (auto const at : best) {
        bool const at_hand = best.size() == 1 && (at == left_ || at == right_);
        if (!at_hand && entries_[at].is == status::unread && !take(at)) return {kind::read, entries_[at].id};
        if (!at_hand && entries_[at].is == status::missing) return {kind::unknown, entries_[at].id};
    }
    if (best.empty()) return {kind::found, {}};
    auto const rank = [&](index at) { return std::tie(entries_[at].created_at, entries_[at].id); };
    return {kind::found, entries_[*std::ranges::max_element(best, {}, rank)].id};
}

merge_base_step merge_base_search::next()
{
    for (;;) {
        while (auto const at = most_wanted()) {
            if (!take(*at)) return {merge_base_step::kind_type::read, entries_[*at].id};
        }
        if (chosen_) break;
        choose_candidates();
    }
    if (!measured_) measure();
    return verdict();
}

}  // namespace headwater
