// The base of a merge: small histories with their answers, and random ones against every pair of paths.
#include "src/log/merge_base.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
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
    std::map<std::string, std::pair<std::uint32_t, std::uint64_t>> places;  // Lines of first parents, where told.

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

    /// The first child of a commit goes on with its line, or begins another, as `chance` has it; later ones begin one.
    history& on_lines(std::mt19937& chance)
    {
        std::set<std::string> gone_on;
        std::uint32_t lines = 0;
        for (auto const& [name, time] : times) {
            auto const at = parents.find(name);
            if (at == parents.end()) {
                places[name] = {lines++, 1};
                continue;
            }
            auto const [line, seq] = places.at(at->second.front());
            bool const goes_on = chance() % 3 != 0 && gone_on.insert(at->second.front()).second;
            places[name] = {goes_on ? line : lines++, seq + 1};
        }
        return *this;
    }

    void tell(commit_graph& to, std::string const& name) const
    {
        commit_graph::node node;
        node.created_at = times.at(name);
        auto const stands = [&](std::string const& which) {
            auto const at = places.find(which);
            if (at == places.end()) return;
            node.standings.emplace_back(commit_id(std::string_view(which)), at->second.first, at->second.second);
        };
        stands(name);
        auto const at = parents.find(name);
        if (at != parents.end()) {
            for (auto const& each : at->second) node.parents.emplace_back(std::string_view(each));
            stands(at->second.front());
        }
        to.add(commit_id(std::string_view(name)), std::move(node));
    }

    /// A commit and its first parents, as a page of a stream gives them.
    void tell_page(commit_graph& to, std::string name, std::size_t length, std::set<std::string> const& gone) const
    {
        for (;;) {
            tell(to, name);
            auto const at = parents.find(name);
            if (at == parents.end() || --length == 0 || gone.contains(at->second.front())) return;
            name = at->second.front();
        }
    }
};

struct found_base {
    std::string base;  // `-`: the empty state, `?x`: x is missing and might matter.
    std::set<std::string> asked;
    std::uint64_t work = 0;
};

using page_length = std::function<std::size_t()>;
std::size_t alone() { return 1; }

found_base search(history const& all, std::string_view left, std::string_view right,
                  std::set<std::string> const& gone = {}, page_length const& page = alone)
{
    commit_graph known;
    merge_base_search looking(known, commit_id(left), commit_id(right));
    found_base out;
    for (;;) {
        auto const step = looking.next();
        if (step.kind == merge_base_step::kind_type::read) {
            auto const name = step.id->text();
            EXPECT_TRUE(out.asked.insert(name).second) << name << " is asked for again";
            if (gone.contains(name)) {
                known.add_missing(*step.id);
            } else {
                all.tell_page(known, name, page(), gone);
            }
            continue;
        }
        bool const found = step.kind == merge_base_step::kind_type::found;
        out.base = (found ? "" : "?") + (step.id ? step.id->text() : std::string("-"));
        out.work = looking.work();
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
        {"a nearer one that is an ancestor of another has nothing that the other has not",
         {"a", "b<a", "l1<b", "l2<l1", "l3<l2", "r1<b", "r2<r1", "r3<r2", "l<l3,a", "r<r3,a"},
         "l",
         "r",
         "b"},
        {"of two that are no ancestors of each other the least sum, not the newest",
         {"a", "x<a", "y<a", "l1<y", "r1<y", "l<l1,x", "r<r1,x"},
         "l",
         "r",
         "x"},
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
    EXPECT_LE(done.asked.size(), 103u);
}

TEST(merge_base, what_is_gone_matters_only_where_it_might)
{
    std::vector<std::string> commits = {"m0", "m1<m0", "m2<m1", "s1<m2", "m3<m2", "m4<m3"};
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m1", "m0"}).base, "m2");
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m2"}).base, "?m2") << "the base itself";
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m3"}).base, "?m3") << "on the way to it";
    EXPECT_EQ(search(history(commits), "m3", "m4", {"m2"}).base, "m3") << "beyond the base";
    // A branch that began in the pruned past and was merged in. By what its records say it might have come from m4; a
    // place on the line of m2 shows that it has not.
    commits = {"m0", "z1<m0", "m1<m0", "m2<m1", "s1<m2,z1", "m3<m2", "m4<m3"};
    EXPECT_EQ(search(history(commits), "s1", "m4", {"m1", "m0"}).base, "?m0");
    history lines(commits);
    for (auto const* name : {"m0", "m1", "m2", "m3", "m4"}) lines.places[name] = {0, std::stoull(name + 1)};
    EXPECT_EQ(search(lines, "s1", "m4", {"m1", "m0"}).base, "m2");
    // Another missing one is too far for a smaller sum.
    commits = {"m0", "m1<m0", "r1", "r2<m1,r1", "r3<r2", "l<m1"};
    EXPECT_EQ(search(history(commits), "l", "r2", {"r1"}).base, "?r1");
    EXPECT_EQ(search(history({"m0", "l<m0", "r1", "r2<r1", "r3<r2", "r<m0,r3"}), "l", "r", {"r1"}).base, "m0");
}

// The reader's clock was an hour ahead when it made x, so that x seems younger than the commit that merged it.
TEST(merge_base, other_parent_may_be_younger_than_its_child)
{
    history all({"a", "b<a", "x<b", "m<b,x", "n<m", "s<x"});
    all.times["x"] = 9'000;
    all.times["s"] = 9'001;
    EXPECT_EQ(search(all, "s", "n").base, "x");
    all.times["x"] = 9'000;
    all.times["b"] = 8'000;
    EXPECT_EQ(search(all, "s", "n").base, "x");
}

TEST(merge_base, commits_on_one_line_are_told_apart_without_reading_what_is_between)
{
    std::mt19937 chance(1);
    std::vector<std::string> commits = {"m0"};
    for (auto const& each : line("m", "m0", 200)) commits.push_back(each);
    commits.insert(commits.end(), {"l1<m200", "l2<l1,m50", "r1<m200", "r2<r1,m50"});
    history all(commits);
    EXPECT_GT(search(all, "l2", "r2").asked.size(), 150u) << "without places";
    for (auto const& [name, time] : all.times) {
        if (name[0] == 'm') all.places[name] = {0, std::stoull(name.substr(1))};
    }
    // The other parents have no places before they are read.
    auto const done = search(all, "l2", "r2");
    EXPECT_EQ(done.base, "m200");
    EXPECT_LE(done.asked.size(), 8u);
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
    merge_base_search looking(known, commit_id(std::string_view("l")), commit_id(std::string_view("r")));
    EXPECT_EQ(looking.next(), merge_base_step(merge_base_step::kind_type::found, commit_id(std::string_view("f"))));
}

// What must not be, and yet ends.
TEST(merge_base, ancestors_of_themselves_end_the_search)
{
    history all({"a<c", "b<a", "c<b", "l<a,b", "r<c,b"});
    EXPECT_NE(search(all, "l", "r").base, "-");
    EXPECT_EQ(search(history({"a<a", "b<b"}), "a", "b").base, "-");
}

// One looks again at what it knows with every page that it reads, or it does not.
TEST(merge_base, work_is_linear_in_what_is_read)
{
    auto const work_of = [](int length, std::size_t page) {
        std::vector<std::string> commits = {"m0"};
        auto const append = [&](std::vector<std::string> const& more) {
            commits.insert(commits.end(), more.begin(), more.end());
        };
        append(line("t", "m0", length));
        append(line("s", "m0", length));
        auto const tip = std::to_string(length);
        auto const done = search(history(commits), "s" + tip, "t" + tip, {}, [=] { return page; });
        EXPECT_EQ(done.base, "m0");
        return done.work;
    };
    for (std::size_t const page : {1, 50}) {
        auto const small = work_of(500, page);
        EXPECT_LE(small, 2 * 500 * 12) << page;
        EXPECT_LE(work_of(8'000, page), 16 * small + small / 2) << page;
    }
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

bool is_ancestor(history const& all, std::string const& of, std::string const& which)
{
    return of != which && all_distances(all, of).contains(which);
}

// The common ancestors that are no ancestors of another one, each with its sum of distances.
std::map<std::string, std::uint64_t> all_bases(history const& all, std::string const& left, std::string const& right)
{
    auto const from_left = all_distances(all, left);
    auto const from_right = all_distances(all, right);
    std::map<std::string, std::uint64_t> common;
    for (auto const& [name, distance] : from_left) {
        if (auto const other = from_right.find(name); other != from_right.end()) {
            common[name] = distance + other->second;
        }
    }
    auto out = common;
    for (auto const& [one, sum] : common) {
        std::erase_if(out, [&](auto const& each) { return is_ancestor(all, one, each.first); });
    }
    return out;
}

std::string right_base(history const& all, std::string const& left, std::string const& right)
{
    std::string best = "-";
    std::tuple<std::uint64_t, std::uint64_t, std::string> greatest;
    for (auto const& [name, sum] : all_bases(all, left, right)) {
        std::tuple const rank(~sum, all.times.at(name), name);
        if (best != "-" && rank < greatest) continue;
        greatest = rank;
        best = name;
    }
    return best;
}

history random_history(std::mt19937& chance, bool clocks_are_right)
{
    std::vector<std::string> commits;
    std::size_t const size = 3 + chance() % 16;
    for (std::size_t i = 0; i != size; ++i) {
        std::string one = "c" + std::to_string(10 + i);
        auto const parent = [&] {
            auto const reach = chance() % 2 == 0 ? i : std::min<std::size_t>(i, 4);
            return "c" + std::to_string(10 + i - 1 - chance() % reach);
        };
        if (i != 0 && chance() % 10 != 0) {
            one += '<' + parent();
            if (auto const other = parent(); chance() % 2 == 0 && !one.ends_with(other)) one += ',' + other;
        }
        commits.push_back(one);
    }
    history all(commits);
    if (chance() % 2 == 0) all.on_lines(chance);
    if (clocks_are_right) return all;
    for (auto& [name, time] : all.times) time = 1000 + chance() % 6;
    return all;
}

std::string some_commit(history const& all, std::mt19937& chance)
{
    return "c" + std::to_string(10 + chance() % all.times.size());
}

TEST(merge_base, random_histories_agree_with_every_path_whatever_the_clocks_and_the_pages)
{
    std::mt19937 chance(20260101);
    for (int round = 0; round != 6'000; ++round) {
        auto const all = random_history(chance, round % 2 == 0);
        auto const left = some_commit(all, chance);
        auto const right = some_commit(all, chance);
        auto const expected = right_base(all, left, right);
        auto const one_by_one = search(all, left, right);
        ASSERT_EQ(one_by_one.base, expected) << "round " << round;
        ASSERT_EQ(search(all, right, left).base, expected) << "round " << round << ", sides changed";
        auto const by_pages = search(all, left, right, {}, [&] { return 1 + chance() % 9; });
        ASSERT_EQ(by_pages.base, expected) << "round " << round << ", by pages";
        ASSERT_EQ(by_pages.work, one_by_one.work) << "round " << round;
    }
}

// With commits gone the answer is that nobody can know, or a base that no other common ancestor is nearer than.
TEST(merge_base, random_histories_with_gaps_give_no_wrong_base)
{
    std::mt19937 chance(20260102);
    int found = 0;
    for (int round = 0; round != 6'000; ++round) {
        auto const all = random_history(chance, round % 2 == 0);
        auto const left = some_commit(all, chance);
        auto const right = some_commit(all, chance);
        std::set<std::string> gone;
        for (auto const& [name, time] : all.times) {
            if (chance() % 6 == 0 && name != left && name != right) gone.insert(name);
        }
        auto const told = search(all, left, right, gone).base;
        ASSERT_EQ(search(all, left, right, gone, [&] { return 1 + chance() % 9; }).base, told) << "round " << round;
        if (told.starts_with('?')) continue;
        auto const bases = all_bases(all, left, right);
        if (told == "-") {
            ASSERT_TRUE(bases.empty()) << "round " << round;
            continue;
        }
        ++found;
        auto const sum = all_distances(all, left).at(told) + all_distances(all, right).at(told);
        for (auto const& [name, other] : bases) {
            ASSERT_TRUE(name == told || other > sum || (other == sum && told == right_base(all, left, right)))
                << "round " << round << ": " << told << ", not " << name;
        }
    }
    EXPECT_GE(found, 2'000);
}

}  // namespace
}  // namespace headwater::test
