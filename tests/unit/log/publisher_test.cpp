// Publishing when the store refuses, forgets, delays and lies about what it did: the n-th call of a commit fails, for
// every n and every kind, and the log stays what its acknowledgements say.
#include "tests/support/all.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <headwater/resolve.hpp>
#include <headwater/stores.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace headwater::test {
namespace {

constexpr std::chrono::seconds late_by{20};

std::vector<record> all_records(small_graph& graph, std::uint64_t newest)
{
    std::vector<record> out;
    for (std::uint64_t seq = 1; seq <= newest; ++seq) {
        auto one = decode_record(graph.get(graph.record_at(seq)).view(), stream_id(), sequence(seq));
        EXPECT_TRUE(one) << one.error().message();
        out.push_back(std::move(*one));
    }
    return out;
}

// The chain is whole, and the state that a reader gives is the fold of the records.
std::vector<record> check_log(small_graph& graph)
{
    auto const now = graph.read();
    auto const records = all_records(graph, now.seq().value());
    for (std::size_t i = 1; i < records.size(); ++i) EXPECT_EQ(records[i].parent, records[i - 1].id);
    for (std::uint64_t seq = small_graph::interval; seq <= now.seq().value(); seq += small_graph::interval) {
        (void)graph.must(graph.store->remove(graph.checkpoint_at(seq)));
    }
    graph.remove(graph.hint_key());
    EXPECT_EQ(graph.read().state_digest(), now.state_digest());
    return records;
}

std::size_t count_id(std::vector<record> const& records, std::string const& id)
{
    return static_cast<std::size_t>(std::ranges::count(records, commit_id(id), &record::id));
}

constexpr fault every_fault[] = {fault::refused,      fault::unavailable,    fault::unknown_applied,
                                 fault::unknown_lost, fault::unknown_late,   fault::torn,
                                 fault::cancelled,    fault::cancelled_after};

struct attempt {
    bool acknowledged = false;
    bool refused = false;  // A definite failure: nothing took effect, nothing will.
    std::string id;
    std::string token;  // Of a commit that a cancellation left in doubt.
    bool fault_hit = false;
};

// Commits once through a store whose n-th call has the fault.
attempt commit_with(small_graph& graph, fault what, std::uint64_t number)
{
    attempt out;
    auto const plan = [&](store_call const& call) {
        bool const hit = call.number == number;
        out.fault_hit |= hit;
        return hit ? what : fault::none;
    };
    auto const faulty = make_faulty_store(*graph.store, graph.time, plan, late_by);
    publisher writer(*faulty, "main", graph.time, *graph.chance);
    auto const work = [&]() -> boost::asio::awaitable<int> {
        auto done = co_await writer.publish(small_graph::wish);
        if (done) {
            out.acknowledged = true;
            out.id = done->at.id->text();
            auto const upkeep = co_await writer.upkeep();
            (void)upkeep;
        } else {
            out.refused = !(done.error() == errc::outcome_unknown);
        }
        co_return 0;
    };
    try {
        (void)run(graph.time, work());
    } catch (failure const& cancelled) {
        EXPECT_EQ(cancelled.code(), boost::asio::error::operation_aborted);
        auto const& facts = cancelled.what_failed().why()->facts;
        EXPECT_EQ(facts.back().first, "resume");
        out.token = facts.back().second;
    } catch (boost::system::system_error const& cancelled) {
        EXPECT_EQ(cancelled.code(), boost::asio::error::operation_aborted);
        out.refused = !out.acknowledged;
    }
    return out;
}

TEST(publisher, acknowledged_commits_are_there_once_whatever_call_fails)
{
    std::uint64_t most_calls = 0;
    for (auto const what : every_fault) {
        for (std::uint64_t base : {3, 4}) {  // 4: the commit lands on a boundary and writes a checkpoint.
            for (std::uint64_t number = 1;; ++number) {
                SCOPED_TRACE("fault " + std::to_string(static_cast<int>(what)) + " at call " + std::to_string(number));
                small_graph graph;
                graph.grow(base);
                auto const did = commit_with(graph, what, number);
                if (!did.fault_hit) break;
                most_calls = std::max(most_calls, number);
                auto const newest = graph.read().seq().value();
                if (did.acknowledged) {
                    EXPECT_EQ(count_id(all_records(graph, newest), did.id), 1u);
                }
                if (did.refused) {
                    EXPECT_EQ(newest, base);
                }
                if (!did.token.empty()) {
                    auto const verdict =
                        graph.must(resolve(*graph.store, resume_token::parse(did.token).value())).verdict;
                    EXPECT_EQ(verdict == resolution::verdict_type::committed, newest == base + 1);
                }
                graph.grow(newest + 3);
                auto const records = check_log(graph);
                EXPECT_EQ(records.size(), newest + 3);
                if (did.acknowledged) {
                    EXPECT_EQ(count_id(records, did.id), 1u);
                }
            }
        }
    }
    EXPECT_GE(most_calls, 7u) << "a commit reads, creates, and keeps up: fewer calls mean that nothing was tried";
}

TEST(publisher, lost_answer_is_settled_as_ours_without_a_second_commit)
{
    for (auto const what : {fault::unknown_applied, fault::unknown_lost, fault::unknown_late}) {
        small_graph graph;
        graph.grow(3);
        bool done = false;
        auto const first_create = [&](store_call const& call) {
            bool const now = !done && call.operation == "put_if_absent";
            done |= now;
            return now ? what : fault::none;
        };
        auto const faulty = make_faulty_store(*graph.store, graph.time, first_create, late_by);
        publisher writer(*faulty, "main", graph.time, *graph.chance);
        auto const receipt = graph.must(writer.publish(small_graph::wish));
        EXPECT_EQ(receipt.at.seq, sequence(4));
        EXPECT_EQ(receipt.attempts, 1u);
        EXPECT_EQ(graph.read().id(), receipt.at.id);
        EXPECT_EQ(graph.read().seq(), sequence(4));
    }
}

TEST(publisher, store_that_never_answers_a_create_leaves_a_resume_token)
{
    small_graph graph;
    graph.grow(3);
    auto const no_creates = [](store_call const& call) {
        return call.operation == "put_if_absent" ? fault::unknown_lost : fault::none;
    };
    auto const faulty = make_faulty_store(*graph.store, graph.time, no_creates, late_by);
    publisher writer(*faulty, "main", graph.time, *graph.chance);
    auto const why = graph.must_fail(writer.publish(small_graph::wish));
    EXPECT_TRUE(why == errc::outcome_unknown) << why.message();
    ASSERT_FALSE(why.why()->facts.empty());
    EXPECT_EQ(why.why()->facts[0].first, "resume");
    EXPECT_TRUE(why.why()->facts[0].second.starts_with("4."));
    EXPECT_EQ(graph.read().seq(), sequence(3));
}

TEST(publisher, eight_rivals_make_one_chain)
{
    constexpr std::uint64_t rivals = 8;
    constexpr std::uint64_t each = 25;
    small_graph graph;
    graph.grow(4);
    std::vector<std::unique_ptr<publisher>> writers;
    std::vector<boost::asio::awaitable<std::set<std::uint64_t>>> works;
    publisher_options patient;
    patient.max_prepares = 1'000;
    auto const commits = [](publisher& writer) -> boost::asio::awaitable<std::set<std::uint64_t>> {
        std::set<std::uint64_t> mine;
        for (std::uint64_t i = 0; i != each; ++i) {
            auto done = co_await writer.publish(small_graph::wish);
            if (!done) throw failure(done.error());
            mine.insert(done->at.seq.value());
            auto const upkeep = co_await writer.upkeep();
            (void)upkeep;
        }
        co_return mine;
    };
    for (std::uint64_t i = 0; i != rivals; ++i) {
        writers.push_back(std::make_unique<publisher>(*graph.store, "main", graph.time, *graph.chance, patient));
        works.push_back(commits(*writers.back()));
    }
    auto const per_writer = run(graph.time, all(std::move(works)));
    std::set<std::uint64_t> seqs;
    for (auto const& mine : per_writer) {
        EXPECT_EQ(mine.size(), each);
        seqs.insert(mine.begin(), mine.end());
    }
    EXPECT_EQ(seqs.size(), rivals * each);
    EXPECT_EQ(*seqs.begin(), 5u);
    EXPECT_EQ(*seqs.rbegin(), 4 + rivals * each);
    EXPECT_EQ(check_log(graph).size(), 4 + rivals * each);
}

// Whoever waits on it finds that a rival has committed meanwhile.
class clock_with_rival final : public clock {
public:
    explicit clock_with_rival(small_graph& graph)
        : time_(graph.time), rival_(*graph.store, "main", graph.time, *graph.chance)
    {
    }
    time_ms now() const override { return time_.now(); }
    std::chrono::nanoseconds since_boot() const override { return time_.since_boot(); }
    boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds length) override
    {
        auto const done = co_await rival_.publish(small_graph::wish);
        if (!done) throw failure(done.error());
        co_await time_.sleep_for(length);
    }

private:
    clock& time_;
    publisher rival_;
};

TEST(publisher, rival_that_commits_during_every_wait_starves_nobody)
{
    small_graph graph;
    graph.grow(4);
    clock_with_rival busy(graph);
    publisher writer(*graph.store, "main", busy, *graph.chance);
    (void)graph.must(writer.current());
    graph.grow(5);

    auto const receipt = graph.must(writer.publish(small_graph::wish));

    EXPECT_EQ(receipt.attempts, 3u);
}

// Every one of its creates comes right after another's.
TEST(publisher, plan_is_made_32_times_and_no_more)
{
    small_graph graph;
    graph.grow(4);
    std::uint64_t taken = 4;
    auto const overtake = [&](store_call const& call) {
        if (call.operation == "put_if_absent") graph.grow(++taken);
        return fault::none;
    };
    auto const slow = make_faulty_store(*graph.store, graph.time, overtake, late_by);
    publisher writer(*slow, "main", graph.time, *graph.chance);
    std::vector<sequence> planned_on;
    publisher::plan const counted = [&](snapshot const& now) {
        planned_on.push_back(now.seq());
        return small_graph::wish(now);
    };
    auto const why = graph.must_fail(writer.publish(counted));
    EXPECT_TRUE(why == errc::conflict);
    EXPECT_THAT(why.message(), ::testing::HasSubstr("max_prepares (32) reached"));
    ASSERT_EQ(planned_on.size(), 32u);
    EXPECT_TRUE(std::ranges::is_sorted(planned_on));
    EXPECT_EQ(graph.read().seq(), sequence(taken)) << "nothing of its own";
}

TEST(publisher, handle_that_is_far_behind_catches_up)
{
    small_graph graph;
    graph.grow(4);
    publisher idle(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(idle.current());
    graph.grow(100);
    auto const receipt = graph.must(idle.publish(small_graph::wish));
    EXPECT_EQ(receipt.at.seq, sequence(101));
    EXPECT_LE(receipt.attempts, 3u);
}

TEST(publisher, lost_publish_on_an_old_snapshot_leaves_the_handle_where_it_is)
{
    small_graph graph;
    graph.grow(4);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const old = graph.must(writer.current());
    graph.grow(60);
    (void)graph.must(writer.current());
    EXPECT_TRUE(graph.must_fail(writer.publish_at(old, *small_graph::wish(old))) == errc::conflict);
    auto const receipt = graph.must(writer.publish(small_graph::wish));
    EXPECT_EQ(receipt.at.seq, sequence(61));
    EXPECT_EQ(receipt.attempts, 1u);
}

// Cleanup raised the floor and swept while a writer slept: what it then creates goes into a pruned slot.
TEST(publisher, writer_that_slept_past_a_cleanup_is_told_conflict_and_goes_on)
{
    small_graph graph;
    graph.grow(23);
    publisher sleeper(*graph.store, "main", graph.time, *graph.chance);
    auto const old = graph.must(sleeper.current());
    graph.grow(48);
    auto metadata = decode_stream_metadata(graph.get(layout::metadata(stream_id())).view(), stream_id());
    ASSERT_TRUE(metadata);
    metadata->floor = sequence(45);
    graph.put(layout::metadata(stream_id()), std::string(encode(*metadata)->view()));
    for (std::uint64_t seq = 1; seq <= 45; ++seq) graph.remove(graph.record_at(seq));
    graph.time.pass(std::chrono::hours(2));
    EXPECT_TRUE(graph.must_fail(sleeper.publish_at(old, *small_graph::wish(old))) == errc::conflict);
    auto const receipt = graph.must(sleeper.publish(small_graph::wish));
    EXPECT_EQ(receipt.at.seq, sequence(49));
    EXPECT_EQ(graph.read().at(), receipt.at);
}

TEST(publisher, strict_publish_names_expected_and_actual)
{
    small_graph graph;
    graph.grow(3);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const base = graph.must(writer.current());
    graph.grow(4);
    auto const wanted = small_graph::wish(base);
    auto const why = graph.must_fail(writer.publish_at(base, *wanted));
    EXPECT_TRUE(why == errc::conflict);
    std::vector<std::pair<std::string, std::string>> const facts = {{"expected", base.id()->text()},
                                                                    {"actual", graph.read().id()->text()}};
    EXPECT_EQ(why.why()->facts, facts);
}

TEST(publisher, bad_intent_is_refused_before_anything_is_written)
{
    small_graph graph;
    graph.grow(3);
    std::uint64_t writes = 0;
    auto const count = [&](store_call const& call) {
        writes += call.writes ? 1 : 0;
        return fault::none;
    };
    auto const counting = make_faulty_store(*graph.store, graph.time, count, late_by);
    publisher writer(*counting, "main", graph.time, *graph.chance);
    intent wanted;
    wanted.pins.push_back(a_pin(table(99), "node:None", 1));
    publisher::plan const wish = [&](snapshot const&) -> result<intent> { return wanted; };
    auto const why = graph.must_fail(writer.publish(wish));
    EXPECT_TRUE(why == errc::invalid_argument) << why.message();
    EXPECT_EQ(writes, 0u);
}

TEST(publisher, retire_record_is_not_a_caller_s_to_write)
{
    small_graph graph;
    graph.grow(3);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    publisher::plan const retire = [](snapshot const&) -> result<intent> {
        intent out;
        out.origin.emplace();
        out.origin->kind = lineage::kind_type::retire;
        return out;
    };
    EXPECT_TRUE(graph.must_fail(writer.publish(retire)) == errc::invalid_argument);
    EXPECT_EQ(graph.read().seq(), sequence(3));
}

TEST(publisher, identity_that_was_dropped_long_ago_is_not_registered_again)
{
    small_graph graph;
    graph.grow(4);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    intent dropping;
    dropping.tombstones.push_back(a_drop(table(2), "node:T2"));
    publisher::plan const drop_it = [&](snapshot const&) -> result<intent> { return dropping; };
    (void)graph.must(writer.publish(drop_it));
    (void)graph.must(writer.upkeep());
    for (int i = 0; i != 12; ++i) {
        publisher::plan const pin_one = [](snapshot const& now) -> result<intent> {
            intent out;
            out.pins.push_back(a_pin(table(1), "node:T1", now.seq().value() + 1));
            return out;
        };
        (void)graph.must(writer.publish(pin_one));
        (void)graph.must(writer.upkeep());
    }
    auto const now = graph.read();
    EXPECT_EQ(now.tombstone_count(), 1u);
    publisher fresh(*graph.store, "main", graph.time, *graph.chance);
    publisher::plan const again = [](snapshot const&) -> result<intent> {
        return a_first_version(table(2), "node:T2");
    };
    EXPECT_TRUE(graph.must_fail(fresh.publish(again)) == errc::invalid_argument);
    publisher::plan const reborn = [](snapshot const&) -> result<intent> {
        return a_first_version(table(2, 2), "node:T2");
    };
    (void)graph.must(fresh.publish(reborn));
    EXPECT_EQ(graph.read().find(2)->table, table(2, 2));
}

TEST(publisher, carry_beyond_its_limit_is_left_out_and_an_early_checkpoint_follows)
{
    constexpr std::uint64_t small_limit = 700;
    small_graph graph({}, small_limit);
    graph.grow(4);
    auto const records = all_records(graph, 4);
    auto const left_out = std::ranges::find_if(records, [](record const& each) { return !each.carried; });
    ASSERT_NE(left_out, records.end()) << "the limit is too large for this test";
    EXPECT_TRUE(left_out->state_digest);
    auto const early =
        decode_checkpoint(graph.get(graph.checkpoint_at(left_out->seq.value())).view(), stream_id(), left_out->seq);
    ASSERT_TRUE(early);
    if (left_out->seq.value() < 4) {
        EXPECT_EQ(records[left_out->seq.value()].carried->base, left_out->seq);
    }
    EXPECT_FALSE(graph.read().degraded());
    graph.grow(23);
    (void)check_log(graph);
}

TEST(publisher, clock_that_stands_still_or_goes_back_never_breaks_the_order)
{
    small_graph graph;
    graph.grow(2);
    graph.time.set_skew(-std::chrono::hours(24));
    graph.grow(5);
    auto const records = all_records(graph, 5);
    for (std::size_t i = 1; i != records.size(); ++i) {
        EXPECT_GT(records[i].created_at, records[i - 1].created_at);
        EXPECT_GT(records[i].id, records[i - 1].id) << "ids sort as commits do";
    }
}

TEST(publisher, record_is_an_address)
{
    small_graph graph;
    graph.grow(7);
    for (auto const& each : all_records(graph, 7)) {
        auto const id = parse_ulid(each.id.text());
        ASSERT_TRUE(id);
        EXPECT_EQ(id->time_ms, each.created_at);
    }
}

}  // namespace
}  // namespace headwater::test
