// The change feed: each commit once and in order, from every start; cursors that fit one place only; and exactly what a
// poll asks for.
#include "src/base/base64url.hpp"
#include "src/base/sha256.hpp"
#include "src/log/feed_cursor.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <headwater/feed.hpp>
#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace headwater::test {
namespace {

feed a_feed(small_graph& graph, feed_start start, std::uint32_t page = 128)
{
    feed_options how;
    how.page_commits = page;
    return feed(*graph.store, "main", graph.time, std::move(start), how);
}

std::vector<std::uint64_t> seqs(feed_page const& page)
{
    std::vector<std::uint64_t> out;
    for (auto const& each : page.blocks) out.push_back(each.cause.seq.value());
    return out;
}

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last)
{
    std::vector<std::uint64_t> out(last - first + 1);
    std::iota(out.begin(), out.end(), first);
    return out;
}

commit_id id_of(small_graph& graph, std::uint64_t seq)
{
    return decode_record(graph.get(graph.record_at(seq)).view(), stream_id(), sequence(seq))->id;
}

TEST(changes, one_record_is_gathered_by_table)
{
    record one;
    one.tombstones = {a_drop(table(9), "node:Old")};
    one.renames = {a_rename(table(3), "node:A", "node:B")};
    one.registrations = {a_registration(table(1), "node:New")};
    one.registrations[0].schema_hash = "first";
    one.pins = {a_pin(table(1), "node:New", 1), a_pin(table(3), "node:B", 7)};
    one.pins[0].schema_hash = "second";
    auto const changes = changes_of(one);
    ASSERT_EQ(changes.size(), 3u);
    EXPECT_EQ(changes[0].table, table(1));
    EXPECT_EQ(changes[0].registered_at, "nodes/1-1");
    EXPECT_EQ(changes[0].version->target_version, 1u);
    EXPECT_EQ(changes[0].schema_hash, "second");
    EXPECT_EQ(changes[1].table_key, "node:B");
    EXPECT_EQ(changes[1].renamed_from, "node:A");
    EXPECT_EQ(changes[1].version->target_version, 7u);
    EXPECT_TRUE(changes[2].dropped);
    EXPECT_EQ(changes_of(record()), std::vector<feed_change>());
}

TEST(feed, beginning_gives_every_commit_once_in_order)
{
    small_graph graph;
    graph.grow(300);
    auto all = a_feed(graph, feed_start::beginning());
    std::vector<std::uint64_t> told;
    for (auto const expected : {128u, 128u, 44u, 0u}) {
        auto const page = graph.must(all.poll());
        EXPECT_EQ(page.blocks.size(), expected);
        EXPECT_EQ(page.caught_up, expected < 128);
        for (auto const seq : seqs(page)) told.push_back(seq);
    }
    EXPECT_EQ(told, from_to(1, 300));
}

TEST(feed, every_cursor_resumes_after_its_commit)
{
    small_graph graph;
    graph.grow(23);
    auto all = a_feed(graph, feed_start::beginning());
    auto const page = graph.must(all.poll());
    for (auto const& block : page.blocks) {
        auto rest = a_feed(graph, feed_start::at(block.cursor));
        auto const seq = block.cause.seq.value();
        EXPECT_EQ(seqs(graph.must(rest.poll())), seq == 23 ? std::vector<std::uint64_t>() : from_to(seq + 1, 23));
    }
    EXPECT_EQ(page.cursor, page.blocks.back().cursor);
    auto small = a_feed(graph, feed_start::beginning(), 1);
    EXPECT_EQ(graph.must(small.poll()).cursor, page.blocks.front().cursor);
}

TEST(feed, starts_where_it_is_told)
{
    small_graph graph;
    graph.grow(7);
    auto now = a_feed(graph, feed_start::now());
    auto const nothing = graph.must(now.poll());
    EXPECT_TRUE(nothing.blocks.empty() && nothing.caught_up);
    auto const snapshot_then = graph.read();
    graph.grow(9);
    EXPECT_EQ(seqs(graph.must(now.poll())), from_to(8, 9));
    auto by_cursor = a_feed(graph, feed_start::at(nothing.cursor));
    EXPECT_EQ(seqs(graph.must(by_cursor.poll())), from_to(8, 9));
    auto by_snapshot = a_feed(graph, feed_start::after(snapshot_then.at()));
    EXPECT_EQ(seqs(graph.must(by_snapshot.poll())), from_to(8, 9));
    auto by_id = a_feed(graph, feed_start::after(id_of(graph, 3)));
    EXPECT_EQ(seqs(graph.must(by_id.poll())), from_to(4, 9));
    for (auto const* none : {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "foreign"}) {
        auto nowhere = a_feed(graph, feed_start::after(commit_id(std::string(none))));
        EXPECT_TRUE(graph.must_fail(nowhere.poll()) == errc::not_found) << none;
    }
}

TEST(feed, empty_graph_is_caught_up_and_goes_on)
{
    small_graph graph;
    for (auto const& start : {feed_start::now(), feed_start::beginning()}) {
        small_graph own;
        auto one = a_feed(own, start);
        auto const page = own.must(one.poll());
        EXPECT_TRUE(page.blocks.empty() && page.caught_up);
        own.grow(2);
        auto resumed = a_feed(own, feed_start::at(page.cursor));
        EXPECT_EQ(seqs(own.must(resumed.poll())), from_to(1, 2));
        EXPECT_EQ(seqs(own.must(one.poll())), from_to(1, 2));
    }
}

// The steady state: one GET of the next record.
TEST(feed, caught_up_poll_is_one_request)
{
    small_graph graph;
    graph.grow(23);
    auto all = a_feed(graph, feed_start::now());
    (void)graph.must(all.poll());
    for (int i = 0; i != 5; ++i) {
        auto const page = graph.must(all.poll());
        EXPECT_EQ(page.spent.requests, 1u);
        EXPECT_EQ(page.spent.open_requests, 0u);
        graph.time.pass(std::chrono::minutes(5));
    }
    graph.time.pass(std::chrono::minutes(31));
    EXPECT_EQ(graph.must(all.poll()).spent.requests, 3u) << "the metadata and the hint have become too old";
    EXPECT_EQ(graph.must(all.poll()).spent.requests, 1u);
    auto const cursor = graph.must(all.poll()).cursor;
    auto resumed = a_feed(graph, feed_start::at(cursor));
    auto const first = graph.must(resumed.poll());
    EXPECT_EQ(first.spent.requests, 3u) << "its own record and the next one, then the hint";
    EXPECT_EQ(first.spent.open_requests, 2u);
    EXPECT_EQ(first.spent.rounds, 2u);
    EXPECT_EQ(graph.must(resumed.poll()).spent.requests, 1u);
}

TEST(feed, a_graph_that_was_removed_is_told_soon_to_who_asks_for_that)
{
    small_graph graph;
    graph.grow(3);
    feed_options how;
    how.look_again = std::chrono::minutes(1);
    feed all(*graph.store, "main", graph.time, feed_start::now(), how);
    (void)graph.must(all.poll());
    graph.time.pass(std::chrono::seconds(61));
    EXPECT_EQ(graph.must(all.poll()).spent.requests, 2u);
    EXPECT_EQ(graph.must(all.poll()).spent.requests, 1u);
    for (auto const seq : {1, 2, 3}) graph.remove(graph.record_at(seq));
    graph.remove(layout::metadata(stream_id()));
    graph.remove(layout::format());
    EXPECT_TRUE(graph.must(all.poll()).blocks.empty());
    graph.time.pass(std::chrono::seconds(61));
    auto const gone = graph.must_fail(all.poll());
    EXPECT_EQ(gone, errc::branch_not_found) << gone.message();
    EXPECT_EQ(graph.must_fail(all.poll()), errc::branch_not_found) << "and again";
}

TEST(feed, page_costs_at_most_twice_its_commits)
{
    for (std::uint64_t const count : {1u, 2u, 3u, 10u, 63u, 64u, 100u}) {
        small_graph graph;
        auto all = a_feed(graph, feed_start::now());
        (void)graph.must(all.poll());
        graph.grow(count);
        auto const page = graph.must(all.poll());
        EXPECT_EQ(page.blocks.size(), count);
        EXPECT_TRUE(page.caught_up);
        EXPECT_LE(page.spent.requests, 2 * count + 1);
    }
}

TEST(feed, waits_double_while_nothing_is_new)
{
    small_graph graph;
    graph.grow(3);
    auto all = a_feed(graph, feed_start::now());
    EXPECT_EQ(all.idle_wait(), std::chrono::milliseconds(100));
    std::vector<std::int64_t> waits;
    for (int i = 0; i != 10; ++i) {
        (void)graph.must(all.poll());
        waits.push_back(all.idle_wait().count());
    }
    std::vector<std::int64_t> const expected = {100, 200, 400, 800, 1600, 3200, 6400, 10'000, 10'000, 10'000};
    EXPECT_EQ(waits, expected);
    graph.grow(4);
    (void)graph.must(all.poll());
    EXPECT_EQ(all.idle_wait(), std::chrono::milliseconds(100));
}

TEST(feed, next_waits_for_the_commit_and_asks_once_a_poll)
{
    small_graph graph;
    graph.grow(3);
    meter counts;
    auto const counting = make_metered_store(*graph.store, counts);
    feed all(*counting, "main", graph.time, feed_start::now());
    (void)graph.must(all.poll());
    auto const before = counts.total().requests;
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const late = [&]() -> boost::asio::awaitable<void> {
        co_await graph.time.sleep_for(std::chrono::seconds(2));
        auto const done = co_await writer.publish(small_graph::wish);
        EXPECT_TRUE(done);
    };
    boost::asio::io_context io(1);
    boost::asio::co_spawn(io, late(), [](std::exception_ptr) {});
    auto const page = run(io, graph.time, all.next());
    ASSERT_TRUE(page);
    EXPECT_EQ(seqs(*page), from_to(4, 4));
    // At 0, 0.2, 0.6, 1.4 and 3.0 seconds; then the one after it.
    EXPECT_EQ(counts.total().requests - before, 5u + 1u);
}

TEST(feed, filter_leaves_empty_blocks_and_binds_the_cursor)
{
    small_graph graph;
    graph.grow(9);
    feed_options how;
    how.tables = {2, 1, 2};
    feed some(*graph.store, "main", graph.time, feed_start::beginning(), how);
    auto const page = graph.must(some.poll());
    EXPECT_EQ(seqs(page), from_to(1, 9));
    for (auto const& each : page.blocks) {
        auto const id = (each.cause.seq.value() - 1) % small_graph::tables + 1;
        EXPECT_EQ(each.changes.size(), id <= 2 ? 1u : 0u);
    }
    auto other = a_feed(graph, feed_start::at(page.cursor));
    EXPECT_TRUE(graph.must_fail(other.poll()) == errc::cursor_rejected);
    feed_options same;
    same.tables = {1, 2};
    feed again(*graph.store, "main", graph.time, feed_start::at(page.cursor), same);
    EXPECT_TRUE(graph.must(again.poll()).caught_up);
}

std::string with_checksum(std::string const& json)
{
    auto const sum = sha256(json);
    return to_base64url(json + std::string(sum.begin(), sum.end()));
}

TEST(feed_cursor, reads_what_it_writes_and_nothing_else)
{
    feed_cursor value;
    value.domain = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    value.at.seq = sequence(9'223'372'036'854'775'901u);
    value.at.id = commit_id(std::string("c"));
    value.filter = filter_digest({3, 1, 3});
    EXPECT_EQ(filter_digest({1, 3}), value.filter);
    EXPECT_NE(filter_digest({13}), value.filter);
    EXPECT_EQ(filter_digest({}), "");
    auto const text = encode(value);
    auto const read = decode_feed_cursor(text);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, value);
    for (std::size_t i = 0; i != text.size(); ++i) {
        auto damaged = text;
        damaged[i] = damaged[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(decode_feed_cursor(damaged)) << i;
        EXPECT_FALSE(decode_feed_cursor(text.substr(0, i))) << i;
    }
    std::string const good =
        R"({"format":1,"kind":"feed","domain":"d","stream":"main","seq":1,"commit_id":"c","filter":""})";
    ASSERT_TRUE(decode_feed_cursor(with_checksum(good)));
    for (auto const& [from, to] :
         {std::pair("\"feed\"", "\"page\""), std::pair("\"format\":1", "\"format\":2"), std::pair("\"main\"", "\"x\""),
          std::pair("\"c\"", "null"), std::pair("\"seq\":1", "\"seq\":18446744073709551615")}) {
        auto text_of = good;
        text_of.replace(text_of.find(from), std::string_view(from).size(), to);
        auto const refused = decode_feed_cursor(with_checksum(text_of));
        ASSERT_FALSE(refused) << text_of;
        EXPECT_TRUE(refused.error() == errc::cursor_rejected);
        EXPECT_NE(refused.error().message().find("change cursor rejected:"), std::string::npos);
    }
    EXPECT_FALSE(decode_feed_cursor(std::string(max_cursor_length + 1, 'A')));
    EXPECT_FALSE(decode_feed_cursor(""));
}

TEST(feed, cursor_that_does_not_fit_is_rejected)
{
    small_graph graph;
    graph.grow(9);
    auto all = a_feed(graph, feed_start::beginning(), 4);
    auto const cursor = *decode_feed_cursor(graph.must(all.poll()).cursor);
    std::pair<char const*, std::function<void(feed_cursor&)>> const rows[] = {
        {"another graph", [](feed_cursor& c) { c.domain = "01ARZ3NDEKTSV4RRFFQ69G5FAV"; }},
        {"another life", [](feed_cursor& c) { c.at.stream = *stream_id::parse("r.01ARZ3NDEKTSV4RRFFQ69G5FAV"); }},
        {"another commit", [](feed_cursor& c) { c.at.id = commit_id(std::string("01ARZ3NDEKTSV4RRFFQ69G5FAV")); }},
        {"another seq", [](feed_cursor& c) { c.at.seq = sequence(5); }},
        {"beyond the end", [](feed_cursor& c) { c.at.seq = sequence(500); }},
        {"seq 0 with a commit", [](feed_cursor& c) { c.at.seq = sequence(0); }},
        {"another filter", [](feed_cursor& c) { c.filter = filter_digest({1}); }},
    };
    for (auto const& [name, change] : rows) {
        auto wrong = cursor;
        change(wrong);
        auto one = a_feed(graph, feed_start::at(encode(wrong)));
        auto const why = graph.must_fail(one.poll());
        EXPECT_TRUE(why == errc::cursor_rejected) << name << ": " << why.message();
    }
}

TEST(feed, next_record_with_another_parent_rejects_the_cursor)
{
    small_graph graph;
    graph.grow(9);
    auto all = a_feed(graph, feed_start::after(id_of(graph, 6)));
    graph.rewrite(7, [](record& r) {
        r.parent = commit_id(std::string("stranger"));
        r.carried.reset();
    });
    EXPECT_TRUE(graph.must_fail(all.poll()) == errc::cursor_rejected);
    // Inside a page the log itself is broken: what is whole is given first.
    auto longer = a_feed(graph, feed_start::after(id_of(graph, 4)));
    EXPECT_EQ(seqs(graph.must(longer.poll())), from_to(5, 6));
    EXPECT_TRUE(graph.must_fail(longer.poll()) == errc::cursor_rejected);
}

TEST(feed, hole_is_a_gap_never_the_end)
{
    small_graph graph;
    graph.grow(9);
    graph.remove(graph.record_at(6));
    auto all = a_feed(graph, feed_start::beginning());
    auto const page = graph.must(all.poll());
    EXPECT_EQ(seqs(page), from_to(1, 5));
    EXPECT_FALSE(page.caught_up);
    for (int i = 0; i != 2; ++i) {
        auto const why = graph.must_fail(all.poll());
        EXPECT_TRUE(why == errc::history_gap) << why.message();
        EXPECT_EQ(why.why()->key, graph.record_at(6).text());
    }
    for (auto const* hint : {"garbage", R"({"seq":5000,"checkpoint":5000})", R"({"seq":3,"checkpoint":0})"}) {
        graph.put(graph.hint_key(), hint);
        auto unknowing = a_feed(graph, feed_start::at(page.cursor));
        EXPECT_TRUE(graph.must(unknowing.poll()).caught_up) << hint;
    }
}

TEST(feed, below_the_floor_is_a_gap_and_the_cursor_stays)
{
    small_graph graph;
    graph.grow(23);
    auto early = a_feed(graph, feed_start::beginning(), 4);
    auto const cursor = graph.must(early.poll()).cursor;
    graph.raise_floor(10);
    for (std::uint64_t seq = 1; seq <= 10; ++seq) graph.remove(graph.record_at(seq));
    auto resumed = a_feed(graph, feed_start::at(cursor));
    for (int i = 0; i != 2; ++i) {
        auto const why = graph.must_fail(resumed.poll());
        EXPECT_TRUE(why == errc::pruned) << why.message();
        EXPECT_EQ(why.why()->facts[0], std::pair(std::string("floor"), std::string("10")));
        EXPECT_EQ(why.why()->facts[1], std::pair(std::string("first_missing"), std::string("5")));
    }
    graph.time.pass(std::chrono::minutes(31));
    EXPECT_TRUE(graph.must_fail(early.poll()) == errc::pruned) << "a handle that slept";
    auto from_start = a_feed(graph, feed_start::beginning());
    EXPECT_TRUE(graph.must_fail(from_start.poll()) == errc::pruned);
    reader main(*graph.store, "main", graph.time);
    auto at_floor = a_feed(graph, feed_start::after(graph.must(main.at(sequence(10))).at()));
    EXPECT_EQ(seqs(graph.must(at_floor.poll())), from_to(11, 23));
}

// A slot below the floor can be filled again by a stalled writer: what is there is no commit.
TEST(feed, void_record_is_never_told)
{
    small_graph graph;
    graph.grow(23);
    auto slept = a_feed(graph, feed_start::after(id_of(graph, 4)), 3);
    (void)graph.must(slept.poll());
    auto const void_record = std::string(graph.get(graph.record_at(8)).view());
    graph.raise_floor(10);
    for (std::uint64_t seq = 1; seq <= 10; ++seq) graph.remove(graph.record_at(seq));
    graph.put(graph.record_at(8), void_record);
    graph.time.pass(std::chrono::hours(2));
    EXPECT_TRUE(graph.must_fail(slept.poll()) == errc::pruned);
}

TEST(feed, deleted_branch_is_told_to_its_end)
{
    small_graph graph;
    graph.grow(1);
    auto all = a_feed(graph, feed_start::beginning());
    EXPECT_EQ(seqs(graph.must(all.poll())), from_to(1, 1));
    graph.grow(7);
    graph.rewrite(7, [](record& r) {
        r.carried.reset();
        r.pins.clear();
        r.origin.emplace();
        r.origin->kind = lineage::kind_type::retire;
    });
    graph.retire(7);
    graph.time.pass(std::chrono::minutes(40));
    EXPECT_EQ(seqs(graph.must(all.poll())), from_to(2, 6));
    EXPECT_TRUE(graph.must_fail(all.poll()) == errc::branch_retired);
}

// As deleting the branch leaves it: the last record ends it, and the metadata says so.
void end_at(small_graph& graph, std::uint64_t seq)
{
    graph.rewrite(seq, [](record& r) {
        r.carried.reset();
        r.pins.clear();
        r.origin.emplace();
        r.origin->kind = lineage::kind_type::retire;
    });
    graph.retire(seq);
}

TEST(feed, start_in_a_branch_deleted_since_is_told_the_rest)
{
    for (std::uint64_t const stood : {1, 4, 5, 9, 10, 11}) {
        small_graph graph;
        graph.grow(stood);
        auto before = a_feed(graph, feed_start::now());
        auto const cursor = graph.must(before.poll()).cursor;
        auto const at = graph.read().at();
        graph.grow(12);
        end_at(graph, 12);
        for (auto const& start : {feed_start::at(cursor), feed_start::after(at), feed_start::after(*at.id)}) {
            auto late = a_feed(graph, start, 4);
            std::vector<std::uint64_t> told;
            auto page = run(graph.time, late.poll());
            for (; page; page = run(graph.time, late.poll())) {
                ASSERT_FALSE(page->blocks.empty());
                EXPECT_FALSE(page->caught_up);
                for (auto const seq : seqs(*page)) told.push_back(seq);
            }
            EXPECT_TRUE(page.error() == errc::branch_retired) << page.error().message();
            EXPECT_EQ(told, stood == 11 ? std::vector<std::uint64_t>() : from_to(stood + 1, 11));
        }
    }
}

TEST(feed, commits_of_a_deleted_branch_that_cleanup_took_are_a_typed_gap)
{
    std::pair<std::string, std::string> const first("first_missing", "5");
    for (std::uint64_t const gone : {4, 5, 8, 11, 12}) {
        small_graph graph;
        graph.grow(4);
        auto asleep = a_feed(graph, feed_start::now());
        auto const cursor = graph.must(asleep.poll()).cursor;
        graph.grow(12);
        end_at(graph, 12);
        for (std::uint64_t seq = 1; seq <= gone; ++seq) graph.remove(graph.record_at(seq));
        graph.time.pass(std::chrono::hours(2));
        auto late = a_feed(graph, feed_start::at(cursor));
        for (auto* const each : {&asleep, &late}) {
            auto const page = run(graph.time, each->poll());
            SCOPED_TRACE("gone " + std::to_string(gone) + (each == &late ? " late" : " asleep"));
            if (gone == 4) {
                ASSERT_TRUE(page) << page.error().message();
                EXPECT_EQ(seqs(*page), from_to(5, 11));
            } else {
                ASSERT_TRUE(!page && page.error() == errc::pruned);
                EXPECT_EQ(std::ranges::count(page.error().why()->facts, first), 1);
            }
        }
    }
}

TEST(feed, retire_record_ends_it)
{
    small_graph graph;
    graph.grow(6);
    auto all = a_feed(graph, feed_start::beginning());
    graph.rewrite(6, [](record& r) {
        r.carried.reset();
        r.pins.clear();
        r.origin.emplace();
        r.origin->kind = lineage::kind_type::retire;
    });
    EXPECT_EQ(seqs(graph.must(all.poll())), from_to(1, 5)) << "what came before it is told";
    EXPECT_TRUE(graph.must_fail(all.poll()) == errc::branch_retired);
    EXPECT_TRUE(graph.must_fail(all.poll()) == errc::branch_retired);
    graph.retire(6);
    auto late = a_feed(graph, feed_start::beginning());
    EXPECT_TRUE(graph.must_fail(late.poll()) == errc::branch_retired);
}

TEST(feed, fault_at_any_call_loses_and_repeats_nothing)
{
    for (auto const what :
         {fault::refused, fault::unavailable, fault::torn, fault::cancelled, fault::cancelled_after}) {
        for (std::uint64_t number = 1;; ++number) {
            SCOPED_TRACE("fault " + std::to_string(static_cast<int>(what)) + " at call " + std::to_string(number));
            small_graph graph;
            graph.grow(23);
            bool hit = false;
            auto const plan = [&](store_call const& call) {
                hit |= call.number == number;
                return call.number == number ? what : fault::none;
            };
            auto const faulty = make_faulty_store(*graph.store, graph.time, plan, std::chrono::seconds(1));
            feed all(*faulty, "main", graph.time, feed_start::beginning());
            std::vector<std::uint64_t> told;
            for (int polls = 0; polls != 6; ++polls) {
                try {
                    auto const page = run(graph.time, all.poll());
                    if (!page) continue;
                    for (auto const seq : seqs(*page)) told.push_back(seq);
                } catch (boost::system::system_error const& cancelled) {
                    EXPECT_EQ(cancelled.code(), boost::asio::error::operation_aborted);
                }
            }
            EXPECT_EQ(told, from_to(1, 23));
            if (!hit) break;
        }
    }
}

}  // namespace
}  // namespace headwater::test
