// The n-th store call of a publisher fails, for every n and each kind of fault: an acknowledged commit is there exactly
// once, a refused one is not, the state is what the records lead to, and the next commit works.
#include "tests/support/fault_enumeration.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

constexpr auto contract = "{\"tables\":[]}";

// Drops a table under a new schema, at a boundary: archive, record, set, checkpoint and hint.
result<intent> dropping_commit(snapshot const&)
{
    intent out;
    out.tombstones.push_back(a_drop(table(4), "node:T4"));
    out.idempotency_key = "once";
    bytes const content{std::string(contract)};
    schema_identity schema;
    schema.identity_domain = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    schema.ir_hash = "sha256:" + std::string(64, 'b');
    schema.content_hash = "sha256:" + to_hex(sha256(content.view()));
    out.schema = schema;
    out.schema_content = content;
    return out;
}

std::unique_ptr<branched_graph> about_to_publish()
{
    auto graph = std::make_unique<branched_graph>();
    graph->grow(4);
    return graph;
}

void expect_published_once(branched_graph& graph, act_end end)
{
    auto const left = graph.read().seq();
    if (end == act_end::acknowledged) {
        EXPECT_EQ(left, sequence(5));
    }
    if (end == act_end::refused) {
        EXPECT_EQ(left, sequence(4));
    }
    // Whoever does not know asks again under the same key.
    auto const again = graph.commit("main", dropping_commit);
    EXPECT_EQ(again.at.seq, sequence(5));
    EXPECT_EQ(again.repeated, left == sequence(5));
    auto const now = graph.read();
    EXPECT_EQ(now.at(), again.at);
    EXPECT_EQ(now.heads().size(), 3u);
    auto const named = now.schema()->content_hash.substr(7);
    EXPECT_EQ(graph.get(layout::schema(named)).view(), contract);
    graph.commit("main", [](snapshot const&) { return result<intent>(a_first_version(table(9), "node:T9")); });
    (void)graph.mend();
    EXPECT_EQ(graph.findings(true), std::vector<std::string>());
    for (std::uint64_t seq = 1; seq <= 6; ++seq) EXPECT_EQ(graph.read_at("main", seq).seq(), sequence(seq));
}

TEST(publisher, strict_commit_may_fail_at_any_call_and_the_next_one_works)
{
    auto const act = [](branched_graph& graph, object_store& faulty) {
        publisher writer(faulty, "main", graph.time, *graph.chance);
        auto const base = run(graph.time, writer.current());
        if (!base) return act_end::refused;
        auto const end = end_of(run(graph.time, writer.publish_at(*base, *dropping_commit(*base))));
        auto const late = run(graph.time, writer.upkeep());
        (void)late;
        return end;
    };
    enumerate_faults(about_to_publish, act, expect_published_once, 12);
}

TEST(publisher, retried_commit_may_fail_at_any_call_and_the_next_one_works)
{
    auto const act = [](branched_graph& graph, object_store& faulty) {
        publisher writer(faulty, "main", graph.time, *graph.chance);
        auto const end = end_of(run(graph.time, writer.publish(dropping_commit)));
        auto const late = run(graph.time, writer.upkeep());
        (void)late;
        return end;
    };
    enumerate_faults(about_to_publish, act, expect_published_once, 12);
}

}  // namespace
}  // namespace headwater::test
