// What a merge commits: each way in which a table can have changed, on neither side, one, the other, or both.
#include "src/log/adoption.hpp"
#include "src/log/fold.hpp"
#include "tests/support/builders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace headwater::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A state by the intents that led to it.
class line_of_commits {
public:
    line_of_commits& commit(intent const& wanted)
    {
        state_header next;
        next.seq = value_.header().seq.next();
        next.created_at = next.seq.value();
        next.head_commit_id = commit_id("c" + std::to_string(next.seq.value()));
        next.schema = wanted.schema ? wanted.schema : value_.header().schema;
        auto const done = value_.apply(wanted, next);
        if (!done) throw failure(done.error());
        return *this;
    }
    snapshot now() const { return {stream_id(), std::make_shared<state const>(value_), false, cost()}; }
    std::vector<tombstone> used() const { return value_.recent(); }
    state content() const { return value_; }

private:
    state value_;
};

// Table 1 is node:A at version 1, table 2 node:B.
line_of_commits base_line()
{
    line_of_commits out;
    out.commit(a_first_version(table(1), "node:A")).commit(a_first_version(table(2), "node:B"));
    return out;
}

using change = std::function<void(line_of_commits&)>;

void changes_nothing(line_of_commits&) {}
change pins(std::uint64_t version)
{
    return [=](line_of_commits& to) {
        intent out;
        out.pins.push_back(a_pin(table(1), "node:A", version));
        to.commit(out);
    };
}
change renames(char const* key)
{
    return [=](line_of_commits& to) {
        intent out;
        out.renames.push_back(a_rename(table(1), "node:A", key));
        to.commit(out);
    };
}
void drops(line_of_commits& to)
{
    intent out;
    out.tombstones.push_back(a_drop(table(1), "node:A"));
    to.commit(out);
}
change registers(std::uint64_t id, char const* key)
{
    return [=](line_of_commits& to) { to.commit(a_first_version(table(id), key)); };
}
// Dropped, and its stable id lives again.
change recreates(std::uint64_t incarnation)
{
    return [=](line_of_commits& to) {
        drops(to);
        to.commit(a_first_version(table(1, incarnation), "node:A"));
    };
}

struct merged {
    adoption what;
    snapshot source;
    snapshot target;
    snapshot after;  // The target with what was adopted, if nothing conflicts.
};

merged merge_of(change const& on_source, change const& on_target, merge_resolver const& resolve = {})
{
    auto source = base_line();
    on_source(source);
    auto target = base_line();
    on_target(target);
    merged out;
    out.source = source.now();
    out.target = target.now();
    out.what = adopt(base_line().now(), out.source, out.target, target.used(), resolve);
    if (out.what.conflicts.empty()) out.after = target.commit(out.what.changes).now();
    return out;
}

// Every head in words, without which commit made it so.
std::vector<std::string> words_of(snapshot const& of)
{
    std::vector<std::string> out;
    for (auto const& each : of.heads()) {
        auto const version = each.version ? std::to_string(each.version->target_version) : "-";
        out.push_back(std::to_string(each.table.stable_table_id) + '/' + std::to_string(each.table.incarnation) + ' '
                      + each.table_key + ' ' + version);
    }
    return out;
}

std::vector<std::string> conflicts(merged const& of)
{
    std::vector<std::string> out;
    for (auto const& each : of.what.conflicts)
        out.push_back(std::to_string(each.stable_table_id) + ' ' + each.table_key);
    return out;
}

struct named_change {
    char const* name;
    change does;
};

std::vector<named_change> const every_change = {
    {"pin", pins(2)},
    {"another pin", pins(3)},
    {"rename", renames("node:Z")},
    {"drop", drops},
    {"re-create", recreates(2)},
    {"re-create as another incarnation", recreates(3)},
    {"register another table", registers(3, "node:C")},
};

bool touches_table_1(named_change const& which) { return std::string_view(which.name) != "register another table"; }

TEST(adoption, what_only_the_source_changed_is_adopted)
{
    for (auto const& each : every_change) {
        auto const done = merge_of(each.does, changes_nothing);
        EXPECT_THAT(conflicts(done), IsEmpty()) << each.name;
        EXPECT_EQ(words_of(done.after), words_of(done.source)) << each.name;
    }
}

TEST(adoption, what_only_the_target_changed_stays)
{
    for (auto const& each : every_change) {
        auto const done = merge_of(changes_nothing, each.does);
        EXPECT_EQ(done.what.changes, intent()) << each.name;
        EXPECT_THAT(conflicts(done), IsEmpty()) << each.name;
    }
}

TEST(adoption, neither_changed_anything)
{
    auto const done = merge_of(changes_nothing, changes_nothing);
    EXPECT_EQ(done.what.changes, intent());
    EXPECT_THAT(conflicts(done), IsEmpty());
}

TEST(adoption, what_both_changed_is_a_conflict_unless_they_made_the_same_of_it)
{
    for (auto const& left : every_change) {
        for (auto const& right : every_change) {
            auto const trace = std::string(left.name) + " and " + right.name;
            auto const done = merge_of(left.does, right.does);
            bool const one_table = touches_table_1(left) == touches_table_1(right);
            bool const alike = &left == &right;
            if (!one_table || alike) {
                EXPECT_THAT(conflicts(done), IsEmpty()) << trace;
                if (alike) EXPECT_EQ(done.what.changes, intent()) << trace;
                continue;
            }
            ASSERT_EQ(done.what.conflicts.size(), 1u) << trace;
            EXPECT_EQ(done.what.conflicts[0].stable_table_id, touches_table_1(left) ? 1u : 3u) << trace;
            EXPECT_EQ(done.what.conflicts[0].why, merge_question::why_type::both_changed) << trace;
        }
    }
}

// Everything counts that a reader can see of a head, and nothing but that.
TEST(adoption, heads_that_differ_in_anything_are_not_alike)
{
    using edit = std::function<void(pin_change&)>;
    std::vector<edit> const edits = {[](pin_change& to) { to.version.target_version = 9; },
                                     [](pin_change& to) { to.version.staged_version = 9; },
                                     [](pin_change& to) { to.version.transaction_uuid = "u"; },
                                     [](pin_change& to) { to.version.entity_count = 9; },
                                     [](pin_change& to) { to.version.table_branch = "wip"; },
                                     [](pin_change& to) { to.schema_hash = "sha256:9"; },
                                     [](pin_change& to) { to.version.metadata = "{}"; },
                                     [](pin_change& to) {
                                         to.unknown.push_back({"colour", "1"});
                                     }};
    auto const edited = [](std::vector<edit> const& by, int commits) -> change {
        return [=](line_of_commits& to) {
            for (int i = 1; i <= commits; ++i) {
                intent out;
                out.pins.push_back(a_pin(table(1), "node:A", 2));
                for (auto const& each : by) each(out.pins.back());
                to.commit(out);
            }
        };
    };
    for (std::size_t i = 0; i != edits.size(); ++i) {
        EXPECT_THAT(conflicts(merge_of(edited({edits[i]}, 1), edited({}, 1))), ElementsAre("1 node:A")) << i;
    }
    EXPECT_THAT(conflicts(merge_of(edited(edits, 1), edited(edits, 2))), IsEmpty()) << "other commits made it";
}

// An identity that began and ended on the source: the target never had it, so there is nothing to drop, and no record
// can begin and end one.
TEST(adoption, what_lived_on_the_source_alone_leaves_nothing)
{
    change const comes_and_goes = [](line_of_commits& to) {
        registers(3, "node:C")(to);
        intent out;
        out.tombstones.push_back(a_drop(table(3), "node:C"));
        to.commit(out);
    };
    auto const done = merge_of(comes_and_goes, pins(2));
    EXPECT_THAT(conflicts(done), IsEmpty());
    EXPECT_EQ(done.what.changes, intent());
    // Of a stable id with several lives the target's is dropped, and the last of the source registered.
    auto const lives = merge_of(
        [](line_of_commits& to) {
            recreates(2)(to);
            intent out;
            out.tombstones.push_back(a_drop(table(1, 2), "node:A"));
            to.commit(out);
            to.commit(a_first_version(table(1, 3), "node:A"));
        },
        changes_nothing);
    ASSERT_THAT(lives.what.changes.tombstones, ElementsAre(a_drop(table(1), "node:A")));
    EXPECT_THAT(words_of(lives.after), ElementsAre("1/3 node:A 1", "2/1 node:B 1"));
    // What the target had from the source before is dropped there.
    auto source = base_line();
    registers(3, "node:C")(source);
    auto const base = source.now();
    intent out;
    out.tombstones.push_back(a_drop(table(3), "node:C"));
    source.commit(out);
    EXPECT_THAT(adopt(base, source.now(), base, {}, {}).changes.tombstones, ElementsAre(a_drop(table(3), "node:C")));
}

TEST(adoption, changes_of_different_tables_come_together)
{
    auto const done = merge_of(registers(3, "node:C"), pins(5));
    EXPECT_THAT(words_of(done.after), ElementsAre("1/1 node:A 5", "2/1 node:B 1", "3/1 node:C 1"));
}

TEST(adoption, a_key_can_pass_from_one_table_to_another)
{
    auto const done = merge_of(
        [](line_of_commits& to) {
            renames("node:Z")(to);
            registers(3, "node:A")(to);
        },
        changes_nothing);
    EXPECT_THAT(words_of(done.after), ElementsAre("1/1 node:Z 1", "2/1 node:B 1", "3/1 node:A 1"));
}

TEST(adoption, two_identities_on_one_key_are_both_named)
{
    auto const done = merge_of(registers(3, "node:C"), registers(4, "node:C"));
    EXPECT_THAT(conflicts(done), ElementsAre("3 node:C", "4 node:C"));
    EXPECT_EQ(done.what.conflicts[0].why, merge_question::why_type::one_key);
    auto const renamed = merge_of(renames("node:C"), registers(4, "node:C"));
    EXPECT_THAT(conflicts(renamed), ElementsAre("1 node:C", "4 node:C"));
}

TEST(adoption, an_identity_that_the_target_has_ended_is_a_conflict)
{
    auto const target = [](line_of_commits& to) {
        registers(3, "node:C")(to);
        intent out;
        out.tombstones.push_back(a_drop(table(3), "node:C"));
        to.commit(out);
    };
    auto const done = merge_of(registers(3, "node:C"), target);
    EXPECT_THAT(conflicts(done), ElementsAre("3 node:C"));
    EXPECT_EQ(done.what.conflicts[0].why, merge_question::why_type::used_before);
}

TEST(adoption, resolver_decides_each_table)
{
    merge_resolver const source = [](merge_question const&) { return merge_answer::kind_type::take_source; };
    merge_resolver const target = [](merge_question const&) { return merge_answer::kind_type::keep_target; };
    for (auto const& left : every_change) {
        for (auto const& right : every_change) {
            if (!touches_table_1(left) || !touches_table_1(right)) continue;
            auto const trace = std::string(left.name) + " and " + right.name;
            auto const kept = merge_of(left.does, right.does, target);
            EXPECT_EQ(words_of(kept.after), words_of(kept.target)) << trace;
            auto const taken = merge_of(left.does, right.does, source);
            // What the target has dropped cannot be taken from the source again: an identity has one life.
            auto const* const wanted = taken.source.find(1);
            auto const* const there = taken.target.find(1);
            bool const ended = wanted && wanted->table.incarnation == 1 && (!there || there->table.incarnation != 1);
            if (ended) {
                EXPECT_EQ(taken.what.conflicts.size(), 1u) << trace;
            } else {
                EXPECT_EQ(words_of(taken.after), words_of(taken.source)) << trace;
            }
        }
    }
}

TEST(adoption, resolver_may_give_merged_data)
{
    merge_resolver const merged_data = [](merge_question const& asked) {
        merge_answer out(merge_answer::kind_type::take_pin);
        out.version = asked.target->version;
        out.version->target_version = 77;
        return out;
    };
    auto const done = merge_of(pins(2), pins(3), merged_data);
    EXPECT_THAT(words_of(done.after), ElementsAre("1/1 node:A 77", "2/1 node:B 1"));
}

schema_identity schema(char const* hash)
{
    schema_identity out;
    out.identity_domain = "d";
    out.content_hash = hash;
    return out;
}

change sets_schema(char const* hash)
{
    return [=](line_of_commits& to) {
        intent out;
        out.schema = schema(hash);
        to.commit(out);
    };
}

TEST(adoption, schema_is_adopted_kept_or_a_conflict)
{
    EXPECT_EQ(merge_of(sets_schema("a"), changes_nothing).what.changes.schema, schema("a"));
    EXPECT_FALSE(merge_of(changes_nothing, sets_schema("a")).what.changes.schema);
    EXPECT_FALSE(merge_of(sets_schema("a"), sets_schema("a")).what.changes.schema);
    auto const both = merge_of(sets_schema("a"), sets_schema("b"));
    ASSERT_EQ(both.what.conflicts.size(), 1u);
    EXPECT_EQ(both.what.conflicts[0].why, merge_question::why_type::schema_changed);
    EXPECT_EQ(conflicts_of(both.what.conflicts).why()->facts[0].second, "schema");
    merge_resolver const source = [](merge_question const&) { return merge_answer::kind_type::take_source; };
    EXPECT_EQ(merge_of(sets_schema("a"), sets_schema("b"), source).what.changes.schema, schema("a"));
}

TEST(adoption, location_and_pin_cannot_be_undone)
{
    auto const elsewhere = [](line_of_commits& to) {
        auto wanted = a_first_version(table(3), "node:C");
        wanted.registrations[0].location = "elsewhere";
        to.commit(wanted);
    };
    merge_resolver const source = [](merge_question const&) { return merge_answer::kind_type::take_source; };
    EXPECT_THAT(conflicts(merge_of(elsewhere, registers(3, "node:C"), source)), ElementsAre("3 node:C"));
    auto const unpinned = [](line_of_commits& to) {
        intent wanted;
        wanted.registrations.push_back(a_registration(table(3), "node:C"));
        to.commit(wanted);
    };
    EXPECT_THAT(conflicts(merge_of(unpinned, registers(3, "node:C"), source)), ElementsAre("3 node:C"));
    EXPECT_THAT(words_of(merge_of(unpinned, changes_nothing).after),
                ElementsAre("1/1 node:A 1", "2/1 node:B 1", "3/1 node:C -"));
}

}  // namespace
}  // namespace headwater::test
