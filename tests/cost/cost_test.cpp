// The budget of requests and rounds, exact, on every kind of store: what a read and a commit ask, at any depth.
// The counter stands outside everything and is installed before the first open. Each budget has a control that grows.
#include "bench/support/history.hpp"
#include "src/format/object_layout.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/run.hpp"
#include "tests/support/servers.hpp"

#include <headwater/adapters/file.hpp>
#include <headwater/graph.hpp>
#include <headwater/probe.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>
#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <functional>

namespace headwater::test {
namespace {

using bench::history;
using bench::history_shape;

/// Made at the first call.
history const& long_history()
{
    static history const made(10'000, 8);
    return made;
}

/// A store with a counter in front, as a user would open it.
class counted_store {
public:
    explicit counted_store(object_store& inner) : store_(make_metered_store(inner, counts_)) {}

    object_store& operator*() { return *store_; }
    cost spent() const { return counts_.total(); }

private:
    meter counts_;
    std::unique_ptr<object_store> store_;
};

class cost_of : public ::testing::TestWithParam<place_kind> {
protected:
    void SetUp() override { place_ = open_or_skip(GetParam()); }

    bool closed() const { return place_ == nullptr; }
    object_store& store() { return place_->connect(); }

    template <class T>
    T must(task<T> work)
    {
        auto answer = run(place_->io(), std::move(work));
        if (!answer) throw failure(answer.error());
        return std::move(*answer);
    }

    void grow(object_store& to, std::uint64_t newest, history_shape shape = {})
    {
        // Ten thousand synced files take minutes; what is counted is read, not written.
        std::unique_ptr<object_store> unsynced;
        if (GetParam() == place_kind::file) {
            unsynced = make_file_store({.root = place_->prefix(), .durability = file_durability::none}, place_->time(),
                                       place_->chance());
        }
        run(place_->io(), long_history().place(unsynced ? *unsynced : to, grown_, newest, shape));
        grown_ = newest;
    }

    void put_hint(object_store& to, bytes content)
    {
        (void)must(to.put(layout::hint(stream_id()), std::move(content)));
    }

    /// A cold read of the newest state, counted outside and by the library itself.
    cost read_newest(object_store& inner, std::uint64_t newest)
    {
        counted_store counted(inner);
        reader main(*counted, "main", place_->time());
        auto const now = must(main.current());
        EXPECT_EQ(now.seq(), sequence(newest));
        EXPECT_EQ(now.heads().size(), std::min(newest, long_history().tables()));
        EXPECT_EQ(now.spent().requests + now.spent().open_requests, counted.spent().requests);
        EXPECT_EQ(now.spent().rounds, counted.spent().rounds);
        return now.spent();
    }

    std::unique_ptr<place> place_;

private:
    std::uint64_t grown_ = 0;
};

TEST_P(cost_of, cold_read_is_flat_at_every_depth)
{
    if (closed()) return;
    auto& inner = store();
    struct row {
        std::uint64_t depth, requests;
    };
    for (auto const& each : {row{10, 3}, row{49, 3}, row{50, 3}, row{51, 4}, row{99, 4}, row{100, 3}, row{999, 4},
                             row{1'000, 3}, row{9'999, 4}, row{10'000, 3}}) {
        grow(inner, each.depth);
        auto const spent = read_newest(inner, each.depth);
        EXPECT_EQ(spent.requests, each.requests) << each.depth;
        EXPECT_EQ(spent.open_requests, 2u) << each.depth;
        EXPECT_EQ(spent.rounds, 2u) << each.depth;
    }
}

TEST_P(cost_of, read_without_carry_is_bounded_by_the_interval)
{
    if (closed()) return;
    auto& inner = store();
    struct row {
        std::uint64_t depth, requests;
    };
    for (auto const& each :
         {row{10, 12}, row{49, 51}, row{99, 52}, row{100, 3}, row{1'000, 3}, row{9'999, 52}, row{10'000, 3}}) {
        grow(inner, each.depth, {.carry = false, .checkpoints = true});
        auto const spent = read_newest(inner, each.depth);
        EXPECT_EQ(spent.requests, each.requests) << each.depth;
        // Two, but where the marker, which says that every record is needed, comes after what the hint alone promises.
        EXPECT_LE(spent.rounds, 3u) << each.depth;
    }
}

// The control: with nothing but records, the same counter must grow with the depth, or "flat" would mean nothing.
TEST_P(cost_of, reader_without_checkpoints_and_carry_grows)
{
    if (closed()) return;
    auto& inner = store();
    bool const local = GetParam() < place_kind::s3_path;
    std::uint64_t const deep = local ? 10'000 : 1'000;
    grow(inner, 10, {.carry = false, .checkpoints = false});
    auto const shallow = read_newest(inner, 10);
    grow(inner, deep, {.carry = false, .checkpoints = false});
    auto const spent = read_newest(inner, deep);
    EXPECT_GE(spent.requests, shallow.requests + deep - 100);
}

TEST_P(cost_of, stale_hint_costs_what_it_is_stale_by)
{
    if (closed()) return;
    auto& inner = store();
    constexpr std::uint64_t newest = 999;
    grow(inner, newest);
    for (std::uint64_t stale : {0, 1, 2, 3}) {
        put_hint(inner, encode(history::true_hint(newest - stale)));
        auto const spent = read_newest(inner, newest);
        EXPECT_EQ(spent.requests, 4 + stale) << stale;
        EXPECT_EQ(spent.rounds, 2 + stale) << stale;
    }
    for (std::uint64_t stale : {4, 10, 100, 900}) {
        put_hint(inner, encode(history::true_hint(newest - stale)));
        auto const spent = read_newest(inner, newest);
        // What a fresh hint costs, the search, and one checkpoint more.
        auto const search = 2 * static_cast<std::uint64_t>(std::bit_width(stale) - 1) + 6;
        EXPECT_LE(spent.requests, 4 + search + 1) << stale;
    }
}

// Where names are in no order, the listing comes after the probes: a hole must not pass for the end.
TEST_P(cost_of, useless_hint_costs_one_listing_and_elsewhere_a_logarithm_more)
{
    if (closed()) return;
    auto& inner = store();
    constexpr std::uint64_t newest = 999;
    grow(inner, newest);
    auto const probes = inner.capabilities().ordered_listing ? 0 : 2 * (std::bit_width(newest) - 1) + 2;
    auto const allowed = 3 + static_cast<std::uint64_t>(probes) + 1;
    put_hint(inner, bytes("{\"seq\":"));
    EXPECT_LE(read_newest(inner, newest).requests, allowed);
    put_hint(inner, bytes("{\"seq\":5000,\"checkpoint\":5000}"));
    EXPECT_LE(read_newest(inner, newest).requests, allowed + 3) << "a hint ahead is looked at first";
    (void)must(inner.remove(layout::hint(stream_id())));
    EXPECT_LE(read_newest(inner, newest).requests, allowed);
}

TEST_P(cost_of, caught_up_poll_is_one_request)
{
    if (closed()) return;
    auto& inner = store();
    grow(inner, 120);
    reader main(inner, "main", place_->time());
    (void)must(main.current());
    auto const again = must(main.current());
    EXPECT_EQ(again.spent().requests, 1u);
    EXPECT_EQ(again.spent().rounds, 1u);
    EXPECT_EQ(again.spent().open_requests, 0u);
}

TEST_P(cost_of, time_travel_is_two_requests_in_one_round)
{
    if (closed()) return;
    auto& inner = store();
    grow(inner, 999);
    struct row {
        std::uint64_t seq, requests;
    };
    for (auto const& each : {row{1, 1}, row{49, 1}, row{50, 1}, row{437, 2}, row{400, 1}, row{999, 2}}) {
        reader main(inner, "main", place_->time());
        auto const then = must(main.at(sequence(each.seq)));
        EXPECT_EQ(then.seq(), sequence(each.seq));
        EXPECT_EQ(then.spent().requests, each.requests) << each.seq;
        EXPECT_EQ(then.spent().open_requests, 2u) << each.seq;
        EXPECT_EQ(then.spent().rounds, 1u) << each.seq;
    }
    reader main(inner, "main", place_->time());
    auto const by_id = must(main.at(long_history().id_at(437)));
    EXPECT_EQ(by_id.seq(), sequence(437));
    EXPECT_EQ(by_id.spent().requests, 2u);
}

TEST_P(cost_of, hundred_commits_are_two_hundred_and_two_writes_at_every_depth)
{
    if (closed()) return;
    auto& inner = store();
    for (std::uint64_t depth : {100, 1'000}) {
        grow(inner, depth);
        counted_store counted(inner);
        publisher writer(*counted, "main", place_->time(), place_->chance());
        (void)must(writer.current());
        cost const before = counted.spent();
        for (std::uint64_t i = 0; i != 100; ++i) {
            publisher::plan const wish = [](snapshot const& now) -> result<intent> {
                intent out;
                out.pins.push_back(a_pin(table(1), "edge:Table1", now.seq().value() + 1));
                return out;
            };
            auto const receipt = must(writer.publish(wish));
            EXPECT_EQ(receipt.spent.requests, 1u);
            EXPECT_EQ(receipt.spent.rounds, 1u);
            (void)must(writer.upkeep());
        }
        EXPECT_EQ(counted.spent().requests - before.requests, 202u) << depth;
        for (auto seq = depth + 1; seq <= depth + 100; ++seq) {
            (void)must(inner.remove(layout::record(stream_id(), sequence(seq))));
            if (seq % 50 == 0) (void)must(inner.remove(layout::checkpoint(stream_id(), sequence(seq))));
        }
    }
}

TEST_P(cost_of, proof_is_asked_for_once_by_who_is_given_a_prover)
{
    if (closed()) return;
    auto& inner = store();
    grow(inner, 120);
    prover proofs(place_->time(), place_->chance());
    std::uint64_t seq = 120;
    publisher::plan const wish = [&](snapshot const&) -> result<intent> {
        intent out;
        out.pins.push_back(a_pin(table(1), "edge:Table1", ++seq));
        return out;
    };
    for (auto const& expected : {cost{.requests = 15, .rounds = 7}, cost{.requests = 1, .rounds = 1}}) {
        publisher writer(inner, "main", place_->time(), place_->chance(), {.proofs = &proofs});
        (void)must(writer.current());
        auto const receipt = must(writer.publish(wish));
        EXPECT_EQ(receipt.spent.requests, expected.requests);
        EXPECT_EQ(receipt.spent.rounds, expected.rounds);
    }
}

TEST_P(cost_of, lost_publish_is_one_create_and_one_read)
{
    if (closed()) return;
    auto& inner = store();
    grow(inner, 120);
    counted_store counted(inner);
    publisher loser(*counted, "main", place_->time(), place_->chance());
    auto const base = must(loser.current());
    publisher winner(inner, "main", place_->time(), place_->chance());
    intent wanted;
    wanted.pins.push_back(a_pin(table(1), "edge:Table1", 1'000));
    publisher::plan const wish = [&](snapshot const&) -> result<intent> { return wanted; };
    auto const won = must(winner.publish(wish));

    cost const before = counted.spent();
    auto const lost = run(place_->io(), loser.publish_at(base, wanted));
    ASSERT_FALSE(lost);
    EXPECT_TRUE(lost.error() == errc::conflict);
    std::pair<std::string, std::string> const actual("actual", won.at.id->text());
    EXPECT_EQ(lost.error().why()->facts.at(1), actual);
    EXPECT_EQ(counted.spent().requests - before.requests, 2u);
    EXPECT_EQ(counted.spent().rounds - before.rounds, 2u);

    auto const next = must(loser.publish(wish));
    EXPECT_EQ(next.spent.requests, 1u) << "the winner was folded on: the next plan is one create";
    EXPECT_EQ(next.at.seq, sequence(122));
}

// One place of each kind: requests are counted above the connection, so TLS or another kind of key changes nothing.
constexpr place_kind places[] = {place_kind::memory, place_kind::memory_unordered, place_kind::file,
                                 place_kind::s3_path, place_kind::azure_shared_key};

TEST_P(cost_of, init_is_one_look_a_probe_of_14_and_two_creates)
{
    if (closed()) return;
    init_options options;
    counted_store first(store());
    (void)must(init_graph(*first, place_->time(), place_->chance(), options));
    EXPECT_EQ(first.spent().requests, 17u);
    EXPECT_EQ(first.spent().rounds, 9u);

    counted_store second(store());
    EXPECT_FALSE(run(place_->io(), init_graph(*second, place_->time(), place_->chance(), options)));
    EXPECT_EQ(second.spent().requests, 1u);

    // The control: a store that is known already, at another root.
    auto const root = make_prefixed_store(store(), "another/");
    counted_store known(*root);
    options.proven = true;
    (void)must(init_graph(*known, place_->time(), place_->chance(), options));
    EXPECT_EQ(known.spent().requests, 2u);
}

INSTANTIATE_TEST_SUITE_P(every_place, cost_of, ::testing::ValuesIn(places),
                         [](auto const& each) { return to_string(each.param); });

}  // namespace
}  // namespace headwater::test
