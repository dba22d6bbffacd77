// The base of a merge: small histories with their answers, and random ones against every pair of paths.
#include "src/log/merge_base.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>

namespace headwater::test {
namespace {

// A whole history: `a<b,c` is commit a with parents b and c; created_at rises in the order given.
struct history {
    std::map<std::string, std::vector<std::string>> parents;
    std::map<std::string, std::uint64_t> times;

    explicit history(std::vector<std::string> const& commits)
    {
        std::uint64_t now = 1000;
        for (auto const& each : commits) {
            auto const name = each.substr(0, each.find('<'));
            times[name] = now++;
            auto rest = each.find('<') == each.npos ? std::string() : each.substr(each.find('<') + 1);
            while (!rest.empty()) {
                auto const comma = rest.find(',');
                parents[name].push_back(rest.substr(0, comma));
                rest = comma == rest.npos ? std::string() : rest.substr(comma + 1);
            }
        }
    }

    void tell(commit_graph& to, std::string const& name) const
    {
        commit_graph::node node;
        node.created_at = times.at(name);
        auto const at = parents.find(name);
        if (at != parents.end()) {
            for (auto const& each : at->second) node.parents.emplace_back(std::string_view(each));
        }
        to.add(commit_id(std::string_view(name)), std::move(node));
    }
};

struct found_base {
    std::string base;  // `-`: the empty state, `?x`: x is missing and might matter.
    std::set<std::string> read;
};

found_base search(history const& all, std::string_view left, std::string_view right,
                  std::set<std::string> const& gone = {})
{
    commit_graph known;
    found_base out;
    for (;;) {
        auto const step = find_merge_base(known, commit_id(left), commit_id(right));
        if (step.kind == merge_base_step::kind_type::read) {
            auto const name = step.id->text();
            EXPECT_TRUE(out.read.insert(name).second) << name << " is asked for again";
            if (gone.contains(name)) {
                known.add_missing(*step.id);
            } else {
                all.tell(known, name);
            }
            continue;
        }
        bool const found = step.kind == merge_base_step::kind_type::found;
        out.base = (found ? "" : "?") + (step.id ? step.id->text() : std::string("-"));
        return out;
    }
}

struct base_row {
    char const* name;
    std::vector<std::string> commits;
    char const* left;
    char const* right;
    char const* base;
};

TEST(merge_base, small_histories)
{
    base_row const rows[] = {
        {"the same commit", {"a"}, "a", "a", "a"},
        {"nothing in common", {"a", "b"}, "a", "b", "-"},
        {"one is behind", {"a", "b<a", "c<b"}, "c", "a", "a"},
        {"one fork", {"a", "b<a", "c<b", "x<a"}, "c", "x", "a"},
        {"merged once: the merged commit", {"a", "x<a", "b<a,x", "y<x", "c<b"}, "y", "c", "x"},
        {"merged both ways: two at one distance, the later one",
         {"a", "x<a", "b<a", "m<b,x", "n<x,b", "p<m", "q<n"},
         "p",
         "q",
         "b"},
        {"the least sum, not the newest",
         {"a", "b<a", "l1<b", "l2<l1", "l3<l2", "r1<b", "r2<r1", "r3<r2", "l<l3,a", "r<r3,a"},
         "l",
         "r",
         "a"},
        {"a tie is the later one's", {"u", "v", "l<u,v", "r<v,u"}, "l", "r", "v"},
        {"a short way round a long one",
         {"a", "b<a", "c<b", "d<c", "e<d", "x<a", "y<x", "l<e", "r<y,d"},
         "l",
         "r",
         "d"},
    };
    for (auto const& row : rows) {
        history const all(row.commits);
        EXPECT_EQ(search(all, row.left, row.right).base, row.base) << row.name;
        EXPECT_EQ(search(all, row.right, row.left).base, row.base) << row.name << ", sides changed";
    }
}

TEST(merge_base, equal_times_are_decided_by_id)
{
    history all({"u", "v", "l<u,v", "r<v,u"});
    all.times["u"] = all.times["v"];
    EXPECT_EQ(search(all, "l", "r").base, "v");
}

std::vector<std::string> line(char const* name, std::string const& root, int length)
{
    std::vector<std::string> out;
    for (int i = 1; i <= length; ++i) {
        out.push_back(name + std::to_string(i) + '<' + (i == 1 ? root : name + std::to_string(i - 1)));
    }
    return out;
}

TEST(merge_base, reads_little_beyond_the_fork)
{
    std::vector<std::string> commits = {"m0"};
    auto const append = [&](std::vector<std::string> const& more) {
        commits.insert(commits.end(), more.begin(), more.end());
    };
    append(line("m", "m0", 200));
    append(line("t", "m200", 100));
    append(line("s", "m200", 1));
    auto const done = search(history(commits), "s1", "t100");
    EXPECT_EQ(done.base, "m200");
    EXPECT_LE(done.read.size(), 103u);
}

TEST(merge_base, what_is_gone_matters_only_where_it_might)
{
    std::vector<std::string> commits = {"m0", "m1<m0", "m2<m1", "s1<m2", "m3<m2", "m4<m3"};
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m1", "m0"}).base, "m2");
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m2"}).base, "?m2") << "the base itself";
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m3"}).base, "?m3") << "on the way to it";
    // A branch that began in the pruned past and was merged in: what is beyond is older than all that the other side
    // has.
    commits = {"m0", "z1<m0", "m1<m0", "m2<m1", "s1<m2,z1", "m3<m2", "m4<m3"};
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m1", "m0"}).base, "m2");
}

TEST(merge_base, rootless_commit_can_be_the_base)
{
    commit_graph known;
    commit_graph::node fork;
    fork.rootless = true;
    known.add(commit_id(std::string_view("f")), fork);
    commit_graph::node child;
    child.created_at = 1;
    child.parents.emplace_back(std::string_view("f"));
    known.add(commit_id(std::string_view("l")), child);
    known.add(commit_id(std::string_view("r")), child);
    auto const step = find_merge_base(known, commit_id(std::string_view("l")), commit_id(std::string_view("r")));
    EXPECT_EQ(step, merge_base_step(merge_base_step::kind_type::found, commit_id(std::string_view("f"))));
}

std::map<std::string, std::uint64_t> all_distances(history const& all, std::string const& from)
{
    std::map<std::string, std::uint64_t> out{{from, 0}};
    for (std::deque<std::string> next{from}; !next.empty(); next.pop_front()) {
        auto const at = all.parents.find(next.front());
        if (at == all.parents.end()) continue;
        for (auto const& parent : at->second) {
            if (out.emplace(parent, out[next.front()] + 1).second) next.push_back(parent);
        }
    }
    return out;
}

std::string right_base(history const& all, std::string const& left, std::string const& right)
{
    auto const from_left = all_distances(all, left);
    auto const from_right = all_distances(all, right);
    std::string best = "-";
    std::tuple<std::uint64_t, std::uint64_t, std::string> least;
    for (auto const& [name, distance] : from_left) {
        auto const other = from_right.find(name);
        if (other == from_right.end()) continue;
        // Greater is better: the sum is negated.
        std::tuple const rank(~(distance + other->second), all.times.at(name), name);
        if (best != "-" && rank < least) continue;
        least = rank;
        best = name;
    }
    return best;
}

TEST(merge_base, random_histories_agree_with_every_path)
{
    std::mt19937 chance(20260101);
    for (int round = 0; round != 3000; ++round) {
        std::vector<std::string> commits;
        std::size_t const size = 3 + chance() % 14;
        for (std::size_t i = 0; i != size; ++i) {
            std::string one = "c" + std::to_string(10 + i);
            auto const parent = [&] { return "c" + std::to_string(10 + chance() % i); };
            if (i != 0 && chance() % 8 != 0) {
                one += '<' + parent();
                if (auto const other = parent(); chance() % 3 == 0 && !one.ends_with(other)) one += ',' + other;
            }
            commits.push_back(one);
        }
        history all(commits);
        // Clocks may be wrong; the answer may not.
        if (round % 2 == 1) {
            for (auto& [name, time] : all.times) time = 1000 + chance() % 6;
        }
        auto const left = "c" + std::to_string(10 + chance() % size);
        auto const right = "c" + std::to_string(10 + chance() % size);
        ASSERT_EQ(search(all, left, right).base, right_base(all, left, right)) << "round " << round;
    }
}

}  // namespace
}  // namespace headwater::test
