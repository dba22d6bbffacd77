// The README's example, compiled and run; the test fails when the README shows other code than this.
#include "tests/examples/readme.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>

#include <gtest/gtest.h>

namespace {

/// What an embedding program keeps of a graph.
class model {
public:
    void load(std::span<headwater::head const> heads)
    {
        ++loads_;
        tables_.assign(heads.begin(), heads.end());
    }
    bool wants_more() const { return loads_ < 3; }
    std::vector<headwater::head> const& tables() const { return tables_; }

private:
    int loads_ = 0;
    std::vector<headwater::head> tables_;
};

// README begins
boost::asio::awaitable<void> follow(headwater::object_store& store, model& tables)
{
    headwater::reader main(store, "main");
    auto now = co_await main.current();  // Two rounds of requests, whatever the depth.
    if (!now) throw headwater::failure(now.error());
    tables.load(now->heads());
    while (tables.wants_more()) {
        now = co_await main.current();  // One request while nothing is new.
        if (!now) throw headwater::failure(now.error());
        tables.load(now->heads());
    }
}
// README ends

TEST(example, follow_loads_what_was_committed)
{
    using namespace headwater;
    auto const time = make_system_clock();
    auto const chance = make_system_random();
    auto const store = make_memory_store(*time);
    init_options const as_usual;
    ASSERT_TRUE(test::run(init_graph(*store, *time, *chance, as_usual)));
    publisher writer(*store, "main", *time, *chance);
    publisher::plan const wish = [](snapshot const&) {
        return decode_intent(R"({"pins":[],"registrations":[{"stable_table_id":1,"incarnation":1,
            "table_key":"node:Person","location":"nodes/1-1"}]})");
    };
    ASSERT_TRUE(test::run(writer.publish(wish)));
    model tables;
    test::run(follow(*store, tables));
    ASSERT_EQ(tables.tables().size(), 1u);
    EXPECT_EQ(tables.tables()[0].table_key, "node:Person");
}

TEST(example, readme_shows_this_very_code) { headwater::test::expect_in_readme("tests/examples/follow_test.cpp"); }

}  // namespace
