// One planted fault of each kind gives exactly its finding; what can be derived is mended byte for byte.
#include "tests/unit/upkeep/kept_graph.hpp"

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

using kinds = std::vector<std::string>;

struct planted {
    char const* finding;
    std::function<void(kept_graph&)> plant;
    bool mended;
    bool deep = false;
};

void drop_one(kept_graph& graph)
{
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(
        writer.publish([](snapshot const&) { return result<intent>(a_first_version(table(9), "node:Brief")); }));
    (void)graph.must(writer.publish([](snapshot const&) {
        intent out;
        out.tombstones.push_back(a_drop(table(9), "node:Brief"));
        return result<intent>(std::move(out));
    }));
    (void)graph.must(writer.upkeep());
}

std::vector<planted> faults()
{
    std::string const ulid = ".01ARZ3NDEKTSV4RRFFQ69G5FAV";
    return {
        {"hint_missing", [](kept_graph& g) { g.remove(g.hint_key()); }, true},
        {"hint_stale", [](kept_graph& g) { g.put(g.hint_key(), R"({"seq":12,"checkpoint":10})"); }, true},
        {"hint_ahead!", [](kept_graph& g) { g.put(g.hint_key(), R"({"seq":99,"checkpoint":10})"); }, true},
        {"hint_garbage!", [](kept_graph& g) { g.put(g.hint_key(), "garbage"); }, true},
        {"hint_garbage!", [](kept_graph& g) { g.put(g.hint_key(), std::string(9000, ' ')); }, true},
        {"checkpoint_missing", [](kept_graph& g) { g.remove(g.checkpoint_at(10)); }, true},
        {"checkpoint_torn!", [](kept_graph& g) { g.put(g.checkpoint_at(10), "{\"format\":1"); }, true},
        {"checkpoint_wrong!",
         [](kept_graph& g) {
             auto value = *decode_checkpoint(g.get(g.checkpoint_at(10)).view(), stream_id(), sequence(10));
             value.heads[0].version->entity_count += 1;
             value.state_digest = digest_of(value);
             g.put(g.checkpoint_at(10), std::string(encode(value)->view()));
         },
         true},
        {"checkpoint_wrong!",
         [](kept_graph& g) {
             std::string text(g.get(g.checkpoint_at(10)).view());
             g.put(g.checkpoint_at(10), text + "\n");
         },
         true, true},
        {"unknown_format!", [](kept_graph& g) { g.put(g.record_at(7), R"({"format":2})"); }, false},
        {"record_torn!", [](kept_graph& g) { g.put(g.record_at(7), ""); }, false},
        {"gap!", [](kept_graph& g) { g.remove(g.record_at(7)); }, false},
        {"carry_wrong!", [](kept_graph& g) { g.change_record(8, [](record& r) { r.carried->heads.pop_back(); }); },
         false},
        {"digest_wrong!",
         [](kept_graph& g) { g.change_record(8, [](record& r) { r.state_digest->add("something"); }); }, false},
        {"parent_break!",
         [](kept_graph& g) { g.change_record(8, [](record& r) { r.parent = commit_id(std::string("other")); }); },
         false},
        {"void_record",
         [](kept_graph& g) {
             auto const late = g.get(g.record_at(3));
             (void)g.clean(g.keep(4, true));
             g.put(g.record_at(3), std::string(late.view()));
         },
         false},
        {"refused_change!", [](kept_graph& g) { g.change_record(8, [](record& r) { r.pins[0].table = table(77); }); },
         false},
        {"duplicate_key!",
         [](kept_graph& g) {
             g.change_record(8, [](record& r) { r.registrations.push_back(a_registration(table(77), "node:T1")); });
         },
         false},
        {"set_missing!",
         [](kept_graph& g) {
             drop_one(g);
             g.grow(28);
             auto const at = *decode_checkpoint(g.get(g.checkpoint_at(25)).view(), stream_id(), sequence(25));
             g.remove(layout::tombstones(*at.tombstoned.set));
         },
         true},
        {"set_wrong!",
         [](kept_graph& g) {
             drop_one(g);
             g.grow(28);
             auto const at = *decode_checkpoint(g.get(g.checkpoint_at(25)).view(), stream_id(), sequence(25));
             g.put(layout::tombstones(*at.tombstoned.set), R"({"format":1,"tombstones":[]})");
         },
         true},
        {"half_done_create", [](kept_graph& g) { g.remove(layout::metadata(g.fork("review", 10))); }, false},
        {"metadata_torn!", [](kept_graph& g) { g.put(layout::metadata(g.fork("review", 10)), "{"); }, false},
        {"stray_key", [](kept_graph& g) { g.put(object_key("_graph/main/latest.json.tmp.1"), ""); }, false},
        {"stray_key", [](kept_graph& g) { g.put(object_key("_graph/.DS_Store"), ""); }, false},
        {"stray_key", [](kept_graph& g) { g.put(object_key("_graph/tombstones/x"), ""); }, false},
        {"schema_wrong!", [](kept_graph& g) { g.put(layout::schema(std::string(64, 'a')), "x"); }, false, true},
        {"checkpoint_missing!", [](kept_graph& g) { g.remove(layout::checkpoint(g.fork("review", 10), sequence(10))); },
         true},
    };
}

TEST(verify, sound_graph_has_no_findings)
{
    kept_graph graph;
    graph.grow(23);
    (void)graph.fork("review", 10);
    EXPECT_EQ(graph.findings(true), kinds());
    EXPECT_TRUE(graph.mend().steps.empty());
}

TEST(verify, planted_fault_is_exactly_one_finding)
{
    for (auto const& each : faults()) {
        kept_graph graph;
        graph.grow(23);
        each.plant(graph);
        EXPECT_EQ(graph.findings(each.deep), kinds{each.finding}) << each.finding;
    }
}

TEST(verify, two_records_with_one_time_are_told)
{
    kept_graph graph;
    graph.grow(23);
    auto const before = decode_record(graph.get(graph.record_at(7)).view(), stream_id(), sequence(7))->created_at;
    graph.change_record(8, [&](record& r) { r.created_at = before; });
    // The time is part of the state.
    EXPECT_EQ(graph.findings(), (kinds{"time_falls!", "digest_wrong!"}));
}

TEST(repair, mends_what_the_records_tell_and_nothing_else)
{
    for (auto const& each : faults()) {
        kept_graph graph;
        graph.grow(23);
        each.plant(graph);
        auto const planned = graph.mend(false);
        auto const before = graph.findings(true);
        auto const done = graph.mend();
        auto const left = graph.findings(true);
        EXPECT_EQ(planned.steps.size(), before.size()) << each.finding;
        EXPECT_EQ(left, each.mended ? kinds() : before) << each.finding;
    }
}

TEST(repair, writes_what_a_publisher_writes)
{
    kept_graph graph;
    graph.grow(23);
    auto const hint_bytes = graph.get(graph.hint_key());
    auto const checkpoint_bytes = graph.get(graph.checkpoint_at(20));
    graph.put(graph.hint_key(), "x");
    graph.remove(graph.checkpoint_at(20));
    EXPECT_FALSE(graph.mend().corrupt());
    EXPECT_EQ(graph.get(graph.hint_key()), hint_bytes);
    EXPECT_EQ(graph.get(graph.checkpoint_at(20)), checkpoint_bytes);
}

TEST(repair, racing_publisher_is_never_overwritten)
{
    kept_graph graph;
    graph.grow(22);
    graph.put(graph.hint_key(), "x");
    bool raced = false;
    auto const race = [&](store_call const& call) {
        if (call.operation == "put_if_match" && !raced) {
            raced = true;
            graph.grow(23);
        }
        return fault::none;
    };
    auto const slow = make_faulty_store(*graph.store, graph.time, race, std::chrono::minutes(1));
    repair_options how;
    how.confirm = true;
    auto const done = graph.must(repair(*slow, graph.time, how));
    ASSERT_EQ(done.steps.size(), 1u);
    EXPECT_EQ(done.steps[0].outcome, repair_step::outcome_type::overtaken);
    EXPECT_EQ(graph.get(graph.hint_key()).view(), R"({"seq":23,"checkpoint":20})");
}

TEST(repair, finishes_a_delete)
{
    kept_graph graph;
    graph.grow(8);
    graph.change_record(8, [](record& r) {
        lineage end;
        end.kind = lineage::kind_type::retire;
        r.origin = end;
    });
    EXPECT_EQ(graph.findings(), kinds{"half_done_delete"});
    (void)graph.mend();
    EXPECT_EQ(graph.metadata_of(stream_id()).retired->final_seq, sequence(8));
}

}  // namespace
}  // namespace headwater::test
