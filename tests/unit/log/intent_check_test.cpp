// Names that a commit may not bring in, and what a publisher says of them before anything is sent.
#include "src/log/intent_check.hpp"
#include "tests/support/builders.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace headwater {
namespace {

using namespace headwater::test;

struct name_row {
    char const* path;  // Of the name that is empty; none: all is well.
    std::function<void(intent&)> empties;
};

intent named_intent()
{
    intent out;
    out.registrations = {a_registration(table(1), "node:A"), a_registration(table(2), "node:B")};
    out.renames = {a_rename(table(3), "node:C", "node:D")};
    out.pins = {a_pin(table(1), "node:A", 1)};
    out.idempotency_key = "once";
    return out;
}

name_row const name_rows[] = {
    {"", [](intent&) {}},
    {"", [](intent& i) { i.pins[0].version.table_branch = "review"; }},
    {"", [](intent& i) { i.actor = ""; }},
    {"$.registrations[0].table_key", [](intent& i) { i.registrations[0].table_key.clear(); }},
    {"$.registrations[1].location", [](intent& i) { i.registrations[1].location.clear(); }},
    {"$.renames[0].to", [](intent& i) { i.renames[0].to.clear(); }},
    {"$.pins[0].table_branch", [](intent& i) { i.pins[0].version.table_branch = ""; }},
};

TEST(intent_names, empty_ones_are_refused_with_their_path)
{
    for (auto const& row : name_rows) {
        auto wanted = named_intent();
        row.empties(wanted);
        auto const checked = check_names(wanted);
        std::string const path(row.path);
        ASSERT_EQ(checked.has_value(), path.empty()) << path;
        if (checked) continue;
        EXPECT_EQ(checked.error(), errc::invalid_argument);
        EXPECT_EQ(checked.error().why()->detail, path + ": must not be empty");
    }
}

TEST(intent_names, empty_idempotency_key_is_nobodys)
{
    auto wanted = named_intent();
    EXPECT_TRUE(check_idempotency_key(wanted));
    wanted.idempotency_key = "";
    EXPECT_EQ(check_idempotency_key(wanted).error(), errc::invalid_argument);
    wanted.idempotency_key.reset();
    EXPECT_TRUE(check_idempotency_key(wanted));
}

TEST(intent_names, publisher_refuses_them_before_it_writes)
{
    small_graph graph;
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const refusal = [&](std::function<void(intent&)> const& empties) {
        publisher::plan const careless = [&](snapshot const&) -> result<intent> {
            auto wanted = named_intent();
            empties(wanted);
            return wanted;
        };
        return graph.must_fail(writer.publish(careless));
    };
    for (auto const& row : name_rows) {
        if (*row.path == '\0') continue;
        EXPECT_EQ(refusal(row.empties), errc::invalid_argument) << row.path;
    }
    EXPECT_EQ(refusal([](intent& wanted) { wanted.idempotency_key = ""; }), errc::invalid_argument);
    EXPECT_EQ(graph.read().seq(), sequence());
}

}  // namespace
}  // namespace headwater
