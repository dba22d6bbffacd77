// One planted fault of each kind gives exactly its finding; what can be derived is mended byte for byte.
#include "src/log/fold.hpp"
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

// The next record, written by somebody who does not ask what had been dropped.
void register_again(kept_graph& graph, table_identity which, std::string const& key)
{
    auto const now = graph.read();
    auto next = *decode_record(graph.get(graph.record_at(now.seq().value())).view(), stream_id(), now.seq());
    next.seq = now.seq().next();
    next.parent = next.id;
    next.id = commit_id(next.id.text().substr(0, 25) + (next.id.text().back() == '0' ? "1" : "0"));
    ++next.created_at;
    next.tombstones.clear();
    next.pins.clear();
    next.registrations = {a_registration(which, key)};
    next.carried.reset();
    state content = now.content();
    next.state_digest.reset();
    (void)content.apply(next);
    next.state_digest = content.digest();
    graph.put(graph.record_at(next.seq.value()), std::string(encode(next)->view()));
    graph.put(graph.hint_key(), R"({"seq":)" + std::to_string(next.seq.value()) + "}");
}

// Two lives of one name, and the name means the second one.
void give_name_to_second_life(kept_graph& graph, bool second_ended)
{
    auto const first = graph.fork("review", 10);
    auto other = graph.metadata_of(first);
    other.stream = "review.01BX5ZZKBKACTAV9WEVGEMMVRZ";
    auto const second = *stream_id::parse(other.stream);
    auto checkpoint =
        *decode_checkpoint(graph.get(layout::checkpoint(first, sequence(10))).view(), first, sequence(10));
    checkpoint.stream = other.stream;
    graph.put(layout::checkpoint(second, sequence(10)), std::string(encode(checkpoint)->view()));
    stream_metadata::retired_type end;
    end.by = "test";
    if (second_ended) other.retired = end;
    graph.put_metadata(other);
    branch_pointer pointer;
    pointer.logical = other.logical;
    pointer.stream = other.stream;
    graph.put(layout::name(first.logical()), std::string(encode(pointer)->view()));
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
        {"digest_wrong!",
         [](kept_graph& g) { g.change_record(7, [](record& r) { ++r.pins[0].version.entity_count; }); }, false},
        {"digest_wrong!",
         [](kept_graph& g) { g.change_record(10, [](record& r) { ++r.pins[0].version.entity_count; }); }, false},
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
        {"refused_change!",
         [](kept_graph& g) {
             drop_one(g);
             register_again(g, table(9), "node:Back");
         },
         false},
        {"refused_change!",
         [](kept_graph& g) {
             drop_one(g);
             g.grow(27);
             (void)g.clean(g.keep(2, true));
             register_again(g, table(9), "node:Back");
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
        {"metadata_missing!",
         [](kept_graph& g) {
             auto const child = g.fork("review", 10);
             publisher writer(*g.store, "review", g.time, *g.chance);
             (void)g.must(writer.publish([](snapshot const&) { return result<intent>(intent()); }));
             g.remove(layout::metadata(child));
         },
         false},
        {"metadata_missing!",
         [](kept_graph& g) {
             auto const child = g.fork("review", 10);
             auto grandchild = g.metadata_of(g.fork("later", 10));
             grandchild.parent->stream = child.text();
             g.put_metadata(grandchild);
             g.remove(layout::metadata(child));
         },
         false},
        {"name_missing!", [](kept_graph& g) { g.remove(layout::name(g.fork("review", 10).logical())); }, false},
        {"metadata_torn!",
         [](kept_graph& g) {
             g.put(layout::name(*branch_name::parse("third")),
                   R"({"format":1,"logical":"third","stream":")" + g.fork("other", 10).text() + "\"}");
         },
         false},
        {"name_wrong!", [](kept_graph& g) { give_name_to_second_life(g, true); }, false},
        {"duplicate_life!", [](kept_graph& g) { give_name_to_second_life(g, false); }, false},
        {"hint_ahead!",
         [](kept_graph& g) { g.put(layout::hint(g.fork("review", 10)), R"({"seq":12,"checkpoint":10})"); }, true},
        {"hint_garbage!", [](kept_graph& g) { g.put(layout::hint(g.fork("review", 10)), "?"); }, true},
        {"hint_stale", [](kept_graph& g) { g.put(g.hint_key(), R"({"seq":23,"checkpoint":21})"); }, true},
        {"metadata_torn!", [](kept_graph& g) { g.put(layout::metadata(g.fork("review", 10)), "{"); }, false},
        {"stray_key", [](kept_graph& g) { g.put(object_key("_graph/main/latest.json.tmp.1"), ""); }, false},
        {"stray_key", [](kept_graph& g) { g.put(object_key("_graph/.DS_Store"), ""); }, false},
        {"stray_key",
         [](kept_graph& g) {
             g.put(object_key(g.record_at(24).text() + ".tmp.0123abcd-0123-4567-89ab-0123456789ab"), "{");
         },
         false},
        {"stray_key", [](kept_graph& g) { g.put(object_key("_graph/tombstones/x"), ""); }, false},
        {"schema_wrong!", [](kept_graph& g) { g.put(layout::schema(std::string(64, 'a')), "x"); }, false, true},
        {"checkpoint_missing!", [](kept_graph& g) { g.remove(layout::checkpoint(g.fork("review", 10), sequence(10))); },
         true},
        {"checkpoint_wrong!",
         [](kept_graph& g) {
             auto const child = g.fork("review", 10);
             auto const key = layout::checkpoint(child, sequence(10));
             auto value = *decode_checkpoint(g.get(key).view(), child, sequence(10));
             value.heads[0].version->entity_count += 1;
             value.state_digest = digest_of(value);
             g.put(key, std::string(encode(value)->view()));
         },
         true, true},
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

// Without it nobody knows where checkpoints belong, and which set each names.
TEST(verify, graph_whose_marker_is_torn_accuses_nothing_else)
{
    kept_graph graph;
    graph.grow(11);
    drop_one(graph);
    graph.grow(23);
    graph.put(layout::format(), "{");
    EXPECT_EQ(graph.findings(true), kinds{"metadata_torn!"});
}

// How the state before `seq` differs from the one at `base`, as a writer carries it that knows no newer checkpoint.
carry carried_since(kept_graph& graph, std::uint64_t base, std::uint64_t seq)
{
    reader main(*graph.store, "main", graph.time);
    auto const before = graph.must(main.at(sequence(base)));
    auto const now = graph.must(main.at(sequence(seq - 1)));
    carry out;
    out.base = sequence(base);
    for (auto const& each : now.heads()) {
        head const* const old = before.find(each.table.stable_table_id);
        if (!old || encode(*old) != encode(each)) out.heads.push_back(each);
    }
    for (auto& each : graph.must(main.tombstones(now))) {
        if (each.seq.value() > base) out.tombstones.push_back(std::move(each));
    }
    return out;
}

// What is known after a gap comes from a checkpoint, which does not tell when a table of its set was dropped.
TEST(verify, carry_over_a_gap_accuses_nobody)
{
    for (bool const deep : {false, true}) {
        for (bool const torn : {false, true}) {
            kept_graph graph;
            graph.grow(11);
            drop_one(graph);
            graph.grow(19);
            auto const far = carried_since(graph, 10, 17);
            ASSERT_EQ(far.tombstones.size(), 1u);
            graph.change_record(17, [&](record& r) { r.carried = far; });
            ASSERT_EQ(graph.findings(deep), kinds());
            torn ? graph.put(graph.record_at(14), "{") : graph.remove(graph.record_at(14));
            EXPECT_EQ(graph.findings(deep), kinds{torn ? "record_torn!" : "gap!"}) << deep;
        }
    }
}

// A record that was changed is doubted until one leads to the state that it names.
TEST(verify, base_that_is_doubted_accuses_no_carry)
{
    kept_graph graph;
    graph.grow(14);
    graph.change_record(9, [](record& r) { ++r.pins[0].version.entity_count; });
    graph.remove(graph.checkpoint_at(10));
    graph.grow(19);
    auto const told = graph.findings(true);
    EXPECT_EQ(std::ranges::count(told, "carry_wrong!"), 0) << told.size();
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

// With so small a carry_limit the checkpoint of 8 is an early one: 9 and 10 carry it as their base.
TEST(repair, lost_early_checkpoint_is_one_finding_and_is_made_again)
{
    struct {
        std::uint64_t newest;
        std::function<void(kept_graph&)> beside;
        kinds found;
    } const cases[] = {
        {9, [](kept_graph&) {}, {"checkpoint_missing"}},
        {9, [](kept_graph& g) { g.put(g.hint_key(), R"({"seq":9,"checkpoint":0})"); }, {"checkpoint_missing"}},
        {9, [](kept_graph& g) { g.remove(g.hint_key()); }, {"checkpoint_missing", "hint_missing"}},
        {10, [](kept_graph&) {}, {"checkpoint_missing"}},
        {10, [](kept_graph& g) { g.change_record(9, [](record& r) { r.carried.reset(); }); }, {"checkpoint_missing"}},
    };
    for (auto const& each : cases) {
        kept_graph graph({}, 500);
        graph.grow(each.newest);
        auto const right = graph.get(graph.checkpoint_at(8));
        each.beside(graph);
        graph.remove(graph.checkpoint_at(8));
        for (bool const deep : {false, true}) EXPECT_EQ(graph.findings(deep), each.found) << deep;
        for (auto const& step : graph.mend().steps) {
            EXPECT_EQ(to_string(step.outcome), "written") << to_string(step.what.kind);
        }
        EXPECT_EQ(graph.findings(true), kinds());
        EXPECT_EQ(graph.get(graph.checkpoint_at(8)), right);
        EXPECT_FALSE(graph.read().degraded());
    }
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

// The records that a raised floor covers stand for an hour more.
TEST(repair, floor_checkpoint_is_made_again_of_what_stands_below)
{
    for (std::uint64_t const lost : {15, 10, 5}) {
        kept_graph graph;
        graph.grow(4);
        drop_one(graph);
        graph.grow(23);
        graph.time.pass(std::chrono::hours(2));
        (void)graph.clean(graph.keep(4));
        ASSERT_EQ(graph.floor(), 15u);
        auto const right = graph.get(graph.checkpoint_at(15));
        for (auto at = lost; at <= 15; at += 5) graph.remove(graph.checkpoint_at(at));
        EXPECT_EQ(graph.findings(), (kinds{"void_record", "checkpoint_missing!"}));
        EXPECT_FALSE(graph.mend().corrupt());
        EXPECT_EQ(graph.get(graph.checkpoint_at(15)), right);
        EXPECT_EQ(graph.findings(true), kinds{"void_record"});
    }
}

// A stalled writer may have created a record of its own where the one that the floor covers was.
TEST(repair, floor_checkpoint_is_not_made_of_a_record_that_is_not_the_parent)
{
    kept_graph graph;
    graph.grow(23);
    graph.raise_floor(15);
    graph.remove(graph.checkpoint_at(15));
    graph.change_record(15, [](record& r) {
        r.id = commit_id(r.id.text().substr(0, 25) + (r.id.text().back() == '0' ? "1" : "0"));
        r.state_digest.reset();
        r.carried.reset();
    });
    EXPECT_TRUE(graph.mend().corrupt());
    EXPECT_FALSE(graph.has(graph.checkpoint_at(15)));
}

TEST(repair, set_that_two_streams_share_is_one_finding_and_is_made_again)
{
    kept_graph graph;
    graph.grow(4);
    drop_one(graph);
    graph.grow(28);
    auto const set =
        *decode_checkpoint(graph.get(graph.checkpoint_at(25)).view(), stream_id(), sequence(25))->tombstoned.set;
    auto const right = graph.get(layout::tombstones(set));
    (void)graph.fork("a", 25);  // Looked at before main, with nothing of its own that leads to the set.
    graph.remove(layout::tombstones(set));
    EXPECT_EQ(graph.findings(), kinds{"set_missing!"});
    EXPECT_FALSE(graph.mend().corrupt());
    EXPECT_EQ(graph.get(layout::tombstones(set)), right);
    EXPECT_EQ(graph.findings(true), kinds());
}

TEST(verify, deep_folds_again_for_a_carry_with_a_far_base)
{
    kept_graph graph;
    graph.grow(60);
    graph.change_record(58, [](record& r) { r.carried->base = sequence(5); });
    EXPECT_EQ(graph.findings(false), kinds());
    EXPECT_EQ(graph.findings(true), kinds{"carry_wrong!"});
}

// Who starts from a checkpoint does not read the record at its seq: this one would be overlooked.
TEST(repair, hint_never_leads_past_the_record_that_ends_the_stream)
{
    std::string const right = R"({"seq":10,"checkpoint":5})";
    for (std::string const present : {R"({"seq":10,"checkpoint":10})", R"({"seq":9,"checkpoint":5})", "", "garbage"}) {
        kept_graph graph;
        graph.grow(10);
        graph.change_record(10, [](record& r) { r.origin.emplace().kind = lineage::kind_type::retire; });
        graph.put(graph.hint_key(), present);
        auto const before = graph.findings(true);
        EXPECT_NE(std::ranges::find(before, "half_done_delete"), before.end());
        EXPECT_EQ(std::ranges::count(before, "hint_wrong!"), present.ends_with("10}") ? 1 : 0);
        (void)graph.mend();
        EXPECT_EQ(graph.get(graph.hint_key()).view(), right) << present;
        reader late(*graph.store, "main", graph.time);
        EXPECT_TRUE(graph.must_fail(late.current()) == errc::branch_not_found);
    }
}

TEST(reader, retire_record_at_a_boundary_is_seen_through_a_hint_without_checkpoint)
{
    kept_graph graph;
    graph.grow(10);
    graph.change_record(10, [](record& r) { r.origin.emplace().kind = lineage::kind_type::retire; });
    graph.put(graph.hint_key(), R"({"seq":10})");
    reader late(*graph.store, "main", graph.time);
    EXPECT_TRUE(graph.must_fail(late.current()) == errc::branch_retired);
}

// Where a record is torn, older checkpoints lead no further: they are not tried one by one.
TEST(verify, torn_record_below_a_lost_base_is_folded_to_twice_at_most)
{
    kept_graph graph;
    graph.grow(203);
    graph.raise_floor(200);
    graph.put(graph.record_at(198), "torn");
    graph.remove(graph.checkpoint_at(200));
    verify_options const shallow;
    auto const seen = graph.must(verify(*graph.store, graph.time, shallow));
    EXPECT_TRUE(seen.corrupt());
    EXPECT_LT(seen.spent.requests, 60u);
}

// A set that nothing leads to is named by each checkpoint: it is looked for once.
TEST(repair, set_that_is_lost_for_good_is_looked_for_once_in_a_stream)
{
    auto const requests_of = [](std::uint64_t newest) {
        kept_graph graph;
        graph.grow(4);
        publisher writer(*graph.store, "main", graph.time, *graph.chance);
        (void)graph.must(writer.publish([](snapshot const&) -> result<intent> {
            intent out;
            out.tombstones.push_back(a_drop(table(4), "node:T4"));
            return out;
        }));
        for (std::uint64_t seq = 6; seq <= newest; ++seq) {
            (void)graph.must(writer.upkeep());
            (void)graph.must(writer.publish([](snapshot const& now) -> result<intent> {
                intent out;
                out.pins.push_back(a_pin(table(1), "node:T1", now.seq().value() + 1));
                return out;
            }));
        }
        (void)graph.must(writer.upkeep());
        auto const named = decode_checkpoint(graph.get(graph.checkpoint_at(10)).view(), stream_id(), sequence(10));
        graph.raise_floor(10);
        for (std::uint64_t seq = 1; seq <= 10; ++seq) graph.remove(graph.record_at(seq));
        graph.remove(graph.checkpoint_at(5));
        graph.remove(layout::tombstones(*named->tombstoned.set));
        auto const done = graph.mend();
        EXPECT_TRUE(done.corrupt());
        return done.spent.requests;
    };
    auto const near = requests_of(50);
    EXPECT_LT(requests_of(200), near * 5);
}

// The record that ends a stream and its metadata are two writes; verify may read between them.
TEST(verify, deletion_that_goes_on_meanwhile_is_not_half_done)
{
    kept_graph graph;
    graph.grow(8);
    graph.change_record(8, [](record& r) { r.origin.emplace().kind = lineage::kind_type::retire; });
    bool met = false;
    auto const goes_on = [&](store_call const& call) {
        if (call.operation == "get" && call.key == graph.record_at(8).text() && !met) {
            met = true;
            graph.retire(8);
        }
        return fault::none;
    };
    auto const slow = make_faulty_store(*graph.store, graph.time, goes_on, std::chrono::minutes(1));
    verify_options const how;
    EXPECT_TRUE(graph.must(verify(*slow, graph.time, how)).findings.empty());
    EXPECT_TRUE(met);
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
