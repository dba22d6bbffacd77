// One state, however it is reached: record by record, from any checkpoint, or by one leap over a carry.
#include "src/log/fold.hpp"
#include "tests/support/builders.hpp"

#include <headwater/random.hpp>

#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace headwater::test;

constexpr std::uint64_t interval = 10;

// A history made by the fold itself: each record is what a publisher with the newest boundary's checkpoint would write.
class history {
public:
    explicit history(std::uint64_t seed) : chance_(make_seeded_random(seed)) {}

    void grow(std::size_t count)
    {
        while (count-- != 0) step();
    }

    std::vector<record> records;
    std::vector<state> states{state()};  // By seq.

private:
    void step()
    {
        state next = states.back();
        record made;
        made.seq = next.header().seq.next();
        made.id = commit_id("commit-" + std::to_string(made.seq.value()));
        made.parent = next.header().head_commit_id;
        made.stream = "main";
        made.created_at = 1'000 + made.seq.value();
        made.carried = next.since_base();
        wish(next, made);
        state_header header;
        header.seq = made.seq;
        header.head_commit_id = made.id;
        header.created_at = made.created_at;
        auto const applied = next.apply(made);
        ASSERT_TRUE(applied) << applied.error().message();
        made.state_digest = next.digest();
        if (made.seq.value() % interval == 0) next.rebase(interval);
        records.push_back(made);
        states.push_back(std::move(next));
    }

    void wish(state const& now, record& made)
    {
        auto const& heads = now.table().heads();
        auto const choice = chance_->next() % 10;
        if (heads.size() < 3 || choice < 2) {
            auto const who = table(++last_id_);
            made.registrations = {a_registration(who, "node:T" + std::to_string(last_id_))};
            made.pins = {a_pin(who, made.registrations[0].table_key, 1)};
            return;
        }
        head const& one = heads[chance_->next() % heads.size()];
        if (choice == 2) {
            made.tombstones = {a_drop(one.table, one.table_key)};
        } else if (choice == 3) {
            made.renames = {a_rename(one.table, one.table_key, one.table_key + "'")};
        } else {
            made.pins = {a_pin(one.table, one.table_key, one.version ? one.version->target_version + 1 : 1)};
        }
    }

    std::unique_ptr<random> chance_;
    std::uint64_t last_id_ = 0;
};

state through_checkpoint(state const& from)
{
    auto const encoded = encode(from.to_checkpoint("main", interval));
    EXPECT_TRUE(encoded);
    auto decoded = decode_checkpoint(encoded->view(), stream_id(), from.header().seq);
    EXPECT_TRUE(decoded) << decoded.error().message();
    auto loaded = state::from(std::move(*decoded));
    EXPECT_TRUE(loaded) << loaded.error().message();
    return std::move(*loaded);
}

std::string checkpoint_bytes(state const& of)
{
    return std::string(encode(of.to_checkpoint("main", interval))->view());
}

TEST(fold, every_way_to_a_seq_gives_the_same_checkpoint_bytes)
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        history past(seed);
        past.grow(60);
        for (std::size_t seq = 1; seq < past.states.size(); ++seq) {
            auto const expected = checkpoint_bytes(past.states[seq]);
            std::size_t const base = (seq - 1) / interval * interval;
            state by_records = base == 0 ? state() : through_checkpoint(past.states[base]);
            state by_carry = by_records;
            for (std::size_t at = base; at != seq; ++at) ASSERT_TRUE(by_records.apply(past.records[at]));
            auto const leapt = by_carry.leap(past.records[seq - 1]);
            ASSERT_TRUE(leapt) << leapt.error().message();
            EXPECT_EQ(checkpoint_bytes(by_records), expected) << "records, seq " << seq;
            EXPECT_EQ(checkpoint_bytes(by_carry), expected) << "carry, seq " << seq;
            EXPECT_EQ(by_carry.since_base(), by_records.since_base()) << seq;
        }
    }
}

TEST(fold, newer_base_is_learnt_from_the_records_of_others)
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        history past(seed);
        past.grow(60);
        state follower;
        for (std::size_t seq = 1; seq < past.states.size(); ++seq) {
            record const& next = past.records[seq - 1];
            ASSERT_TRUE(follower.apply(next));
            follower.adopt_base(next, interval);
            EXPECT_EQ(follower.base(), next.carried->base);
            EXPECT_EQ(checkpoint_bytes(follower), checkpoint_bytes(past.states[seq])) << seq;
            if (seq + 1 < past.states.size() && follower.base() == past.records[seq].carried->base) {
                EXPECT_EQ(follower.since_base(), *past.records[seq].carried) << seq;
            }
        }
    }
}

TEST(fold, carry_that_names_more_than_changed_is_no_base)
{
    history past(4);
    past.grow(12);
    state follower;
    for (std::size_t seq = 1; seq <= 11; ++seq) ASSERT_TRUE(follower.apply(past.records[seq - 1]));
    record lying = past.records[11];
    head stranger;
    stranger.table = table(10'000);
    lying.carried->heads.push_back(stranger);
    ASSERT_TRUE(follower.apply(past.records[11]));
    follower.adopt_base(lying, interval);
    EXPECT_EQ(follower.base(), sequence(0));
}

TEST(fold, broken_chain_names_both_commits)
{
    history past(1);
    past.grow(3);
    state at_1 = past.states[1];
    auto const skipped = at_1.apply(past.records[2]);
    ASSERT_FALSE(skipped);
    EXPECT_TRUE(skipped.error() == errc::history_gap);
    EXPECT_NE(skipped.error().message().find("commit-2"), std::string::npos);
    EXPECT_NE(skipped.error().message().find("commit-1"), std::string::npos);
}

TEST(fold, checkpoint_with_a_changed_head_is_refused)
{
    history past(2);
    past.grow(10);
    auto lying = past.states[10].to_checkpoint("main", interval);
    ASSERT_FALSE(lying.heads.empty());
    lying.heads[0].location += "x";
    auto const loaded = state::from(std::move(lying));
    ASSERT_FALSE(loaded);
    EXPECT_TRUE(loaded.error() == errc::corrupt);
}

TEST(fold, carry_that_disagrees_with_its_digest_is_refused)
{
    history past(3);
    past.grow(9);
    record lying = past.records[8];
    ASSERT_FALSE(lying.carried->heads.empty());
    lying.carried->heads[0].location += "x";
    state from_nothing;
    auto const leapt = from_nothing.leap(lying);
    ASSERT_FALSE(leapt);
    EXPECT_TRUE(leapt.error() == errc::corrupt);
}

TEST(fold, tombstone_beats_a_larger_version_that_came_earlier)
{
    state now;
    record first;
    first.seq = sequence(1);
    first.id = commit_id(std::string("a"));
    first.registrations = {a_registration(table(1), "node:A")};
    first.pins = {a_pin(table(1), "node:A", 40)};
    ASSERT_TRUE(now.apply(first));
    record second;
    second.seq = sequence(2);
    second.id = commit_id(std::string("b"));
    second.parent = first.id;
    second.tombstones = {a_drop(table(1), "node:A")};
    second.registrations = {a_registration(table(1, 2), "node:A")};
    second.pins = {a_pin(table(1, 2), "node:A", 1)};
    ASSERT_TRUE(now.apply(second));
    ASSERT_NE(now.table().find(1), nullptr);
    EXPECT_EQ(now.table().find(1)->table, table(1, 2));
    EXPECT_EQ(now.table().find(1)->version->target_version, 1u);
    EXPECT_EQ(now.tombstone_count(), 1u);
}

}  // namespace
}  // namespace headwater
