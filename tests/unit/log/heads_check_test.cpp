// heads verify: every way in which heads and tombstones can be wrong is named, and nothing else.
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/checkpoint.hpp>
#include <headwater/heads.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace headwater::test {
namespace {

using kind = head_finding::kind_type;

head a_head(std::uint64_t id, std::string key)
{
    head out;
    out.table = table(id);
    out.table_key = std::move(key);
    out.location = "nodes/x";
    out.registered_seq = sequence(1);
    out.head_commit_id = commit_id(std::string("c1"));
    return out;
}

tombstone a_tombstone(std::uint64_t id)
{
    tombstone out;
    out.table = table(id);
    out.table_key = "node:Gone";
    out.location = "nodes/x";
    out.seq = sequence(2);
    out.head_commit_id = commit_id(std::string("c2"));
    return out;
}

std::vector<kind> kinds(std::vector<head_finding> const& findings)
{
    std::vector<kind> out;
    for (auto const& each : findings) out.push_back(each.kind);
    return out;
}

struct lists {
    std::vector<head> live = {a_head(1, "node:A"), a_head(2, "node:B")};
    std::vector<tombstone> dropped = {a_tombstone(7), a_tombstone(8)};
};

struct fault_row {
    char const* name;
    std::function<void(lists&)> apply;
    std::vector<kind> expected;
};

TEST(check_heads, each_fault_is_named)
{
    fault_row const rows[] = {
        {"nothing", [](lists&) {}, {}},
        {"a head is missing", [](lists& l) { l.live.pop_back(); }, {kind::missing}},
        {"a head too many", [](lists& l) { l.live.push_back(a_head(3, "node:C")); }, {kind::unexpected}},
        {"another key", [](lists& l) { l.live[0].table_key = "node:X"; }, {kind::mismatched}},
        {"a key twice", [](lists& l) { l.live[0].table_key = "node:B"; }, {kind::duplicate, kind::mismatched}},
        {"an id twice",
         [](lists& l) {
             l.live.push_back(a_head(2, "node:C"));
             l.live[2].table = table(2, 2);
         },
         {kind::duplicate, kind::unexpected}},
        {"no key", [](lists& l) { l.live[0].table_key = ""; }, {kind::malformed, kind::mismatched}},
        {"a tombstone is missing", [](lists& l) { l.dropped.erase(l.dropped.begin()); }, {kind::lost_tombstone}},
        {"a tombstone too many", [](lists& l) { l.dropped.push_back(a_tombstone(9)); }, {kind::stray_tombstone}},
        {"another final state", [](lists& l) { l.dropped[0].target_version = 5; }, {kind::mismatched}},
        {"a tombstone of a live head",
         [](lists& l) { l.dropped.insert(l.dropped.begin(), a_tombstone(1)); },
         {kind::stray_tombstone, kind::stray_tombstone}},
    };
    lists const right;
    for (auto const& row : rows) {
        lists wrong;
        row.apply(wrong);
        EXPECT_EQ(kinds(check_heads(wrong.live, wrong.dropped, right.live, right.dropped)), row.expected) << row.name;
    }
}

TEST(check_expected, unmet_expectations_are_named)
{
    lists const have;
    auto expected = decode_expected_heads(R"([{"stable_table_id":1,"incarnation":1,"table_key":"node:A"},
        {"stable_table_id":2,"incarnation":2},{"stable_table_id":1,"incarnation":1},
        {"stable_table_id":2,"incarnation":1,"schema_hash":"h"}])");
    ASSERT_TRUE(expected) << expected.error().message();
    std::vector<kind> const wrong = {kind::missing, kind::duplicate, kind::mismatched};
    EXPECT_EQ(kinds(check_expected(have.live, *expected)), wrong);
}

TEST(expected_heads, anything_but_their_members_is_refused)
{
    for (auto const* json :
         {"", "{}", "[1]", R"([{"stable_table_id":1}])", R"([{"stable_table_id":0,"incarnation":1}])",
          R"([{"stable_table_id":1,"incarnation":1,"key":"x"}])", "[] x"}) {
        auto const read = decode_expected_heads(json);
        ASSERT_FALSE(read) << json;
        EXPECT_TRUE(read.error() == errc::invalid_argument) << json;
    }
}

// Drops tables over several checkpoints, so that tombstones are in sets and in carries.
class dropping_graph : public small_graph {
public:
    dropping_graph()
    {
        grow(4);
        publisher writer(*store, "main", time, *chance);
        for (std::uint64_t id = 1; id != 4; ++id) {
            for (int i = 0; i != 3; ++i) {
                publisher::plan const next = [&](snapshot const& now) -> result<intent> {
                    intent out;
                    if (i == 0) out.tombstones.push_back(a_drop(table(id), "node:T" + std::to_string(id)));
                    if (i != 0) out.pins.push_back(a_pin(table(4), "node:T4", now.seq().value()));
                    return out;
                };
                (void)must(writer.publish(next));
                (void)must(writer.upkeep());
            }
        }
    }
};

TEST(reader, tombstones_of_any_state_are_those_dropped_by_then)
{
    dropping_graph graph;  // Drops at 5, 8 and 11.
    reader main(*graph.store, "main", graph.time);
    std::size_t const expected[] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    for (std::uint64_t seq = 0; seq <= 13; ++seq) {
        auto const then = graph.must(main.at(sequence(seq)));
        auto const dropped = graph.must(main.tombstones(then));
        EXPECT_EQ(dropped.size(), expected[seq]) << seq;
        EXPECT_EQ(dropped.size(), then.tombstone_count()) << seq;
        EXPECT_TRUE(graph.must(verify_heads(main, then)).empty()) << seq;
    }
}

TEST(verify_heads, reader_need_not_have_read_before)
{
    dropping_graph graph;
    reader first(*graph.store, "main", graph.time);
    auto const then = graph.must(first.at(sequence(7)));
    reader fresh(*graph.store, "main", graph.time);
    EXPECT_TRUE(graph.must(verify_heads(fresh, then)).empty());
    graph.raise_floor(10);
    reader later(*graph.store, "main", graph.time);
    (void)graph.must(later.current());
    EXPECT_TRUE(graph.must_fail(verify_heads(later, then)) == errc::pruned) << "the records up to 7 are not to be had";
}

TEST(verify_heads, below_a_fork_folds_what_the_parent_holds)
{
    branched_graph graph;
    graph.grow(12);
    (void)graph.create("review");
    (void)graph.commit("review");
    (void)graph.create("later", "review");
    (void)graph.remove_branch("review");
    for (std::uint64_t const seq : {0, 7, 11, 12, 13}) {
        reader later(*graph.store, "later", graph.time);
        auto const then = graph.must(later.at(sequence(seq)));
        EXPECT_TRUE(graph.must(verify_heads(later, then)).empty()) << seq;
    }
    auto lie = *decode_checkpoint(graph.get(graph.checkpoint_at(10)).view(), stream_id(), sequence(10));
    ++lie.heads[0].version->entity_count;
    lie.state_digest = digest_of(lie);
    graph.put(graph.checkpoint_at(10), std::string(encode(lie)->view()));
    reader later(*graph.store, "later", graph.time);
    (void)graph.must(later.at(sequence(7)));
    auto const then = graph.must(later.at(sequence(10)));
    ASSERT_FALSE(then.degraded());
    EXPECT_EQ(kinds(graph.must(verify_heads(later, then))), std::vector{kind::mismatched});
    graph.raise_floor(11);
    EXPECT_TRUE(graph.must_fail(verify_heads(later, then)) == errc::pruned);
}

TEST(verify_heads, set_that_lost_a_tombstone_is_found)
{
    dropping_graph graph;
    auto const at = sequence(10);
    auto lie = decode_checkpoint(graph.get(graph.checkpoint_at(10)).view(), stream_id(), at);
    ASSERT_TRUE(lie && lie->tombstoned.set);
    auto set = decode_tombstones(graph.get(layout::tombstones(*lie->tombstoned.set)).view(), *lie->tombstoned.set);
    ASSERT_TRUE(set);
    set->erase(set->begin());
    set_digest digest;
    for (auto const& each : *set) digest.add(canonical_bytes(each));
    lie->tombstoned.count = set->size();
    lie->tombstoned.digest = digest;
    lie->tombstoned.set = digest.hex();
    lie->state_digest = digest_of(*lie);
    graph.put(layout::tombstones(digest.hex()), std::string(encode_tombstones(*set)->view()));
    graph.put(graph.checkpoint_at(10), std::string(encode(*lie)->view()));
    reader main(*graph.store, "main", graph.time);
    (void)graph.must(main.current());
    auto const then = graph.must(main.at(at));
    ASSERT_FALSE(then.degraded());
    ASSERT_EQ(then.tombstone_count(), 1u);
    auto const findings = graph.must(verify_heads(main, then));
    ASSERT_EQ(kinds(findings), std::vector{kind::lost_tombstone});
    EXPECT_EQ(findings[0].table, table(1));
}

}  // namespace
}  // namespace headwater::test
