// Making a graph: what stands there already decides.
#include "tests/support/lying_store.hpp"
#include "tests/unit/upkeep/kept_graph.hpp"

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

error init_through(small_graph& graph, object_store& store, bool proven)
{
    init_options how;
    how.checkpoint_interval = 7;
    how.proven = proven;
    auto const made = run(graph.time, init_graph(store, graph.time, *graph.chance, how));
    return made ? error() : made.error();
}

TEST(init, over_a_graph_that_lost_its_marker_is_refused)
{
    struct {
        char const* what;
        std::function<void(kept_graph&)> lose;
        lie store;
    } const cases[] = {
        {"the marker alone", [](kept_graph&) {}, lie::none},
        {"the hint too", [](kept_graph& g) { g.remove(g.hint_key()); }, lie::none},
        {"a store that refuses to list", [](kept_graph&) {}, lie::refuses_listings},
    };
    for (auto const& each : cases) {
        for (bool const proven : {false, true}) {
            SCOPED_TRACE(std::string(each.what) + (proven ? ", proven" : ""));
            kept_graph graph;
            graph.grow(7);
            graph.remove(layout::format());
            each.lose(graph);
            lying_store through(*graph.store, each.store);
            auto const why = init_through(graph, through, proven);
            EXPECT_TRUE(why == errc::corrupt) << why.message();
            EXPECT_EQ(why.why() ? why.why()->key : "", layout::format().text());
            EXPECT_FALSE(graph.has(layout::format()));
        }
    }
}

TEST(init, over_records_without_any_metadata_is_refused_where_the_place_is_listed)
{
    kept_graph graph;
    graph.grow(7);
    graph.remove(layout::format());
    graph.remove(layout::metadata(stream_id()));
    EXPECT_TRUE(init_through(graph, *graph.store, false) == errc::corrupt);
    EXPECT_FALSE(graph.has(layout::metadata(stream_id())));
}

TEST(init, that_was_stopped_is_completed_by_the_next)
{
    for (lie const how : {lie::none, lie::refuses_listings}) {
        for (bool const proven : {false, true}) {
            kept_graph graph;
            graph.remove(layout::format());
            lying_store through(*graph.store, how);
            EXPECT_FALSE(init_through(graph, through, proven).code());
            EXPECT_TRUE(graph.has(layout::format()));
            EXPECT_TRUE(init_through(graph, through, proven) == errc::already_exists);
        }
    }
}

}  // namespace
}  // namespace headwater::test
