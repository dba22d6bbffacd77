// What a branch's metadata says of its beginning and its end: every untrue word is told, and cleanup deletes nothing
// by it.
#include "src/upkeep/parent_check.hpp"
#include "tests/unit/log/branched_graph.hpp"

#include <headwater/cleanup.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace headwater::test {
namespace {

using kinds = std::vector<std::string>;
using change = std::function<void(stream_metadata&)>;

// main to 12; `p` from its 9 to 14; `kid` from p's 12.
class family : public branched_graph {
public:
    family()
    {
        grow(9);
        parent = create("p");
        grow(12);
        for (int i = 0; i != 3; ++i) (void)commit("p");
        kid = create("kid", "p");
        for (int i = 0; i != 2; ++i) (void)commit("p");
        (void)commit("kid");
    }
    void tell_otherwise(stream_metadata of, change const& by)
    {
        by(of);
        put_metadata(of);
    }

    stream_metadata parent;
    stream_metadata kid;
};

struct untrue {
    char const* name;
    change by;
};

untrue const beginnings[] = {
    {"a stream that is not there", [](stream_metadata& of) { of.parent->stream = "p.01ARZ3NDEKTSV4RRFFQ69G5FAV"; }},
    {"another stream", [](stream_metadata& of) { of.parent->stream = "main"; }},
    {"an earlier seq", [](stream_metadata& of) { of.parent->seq = sequence(11); }},
    {"a later seq", [](stream_metadata& of) { of.parent->seq = sequence(13); }},
    {"a seq past the end", [](stream_metadata& of) { of.parent->seq = sequence(1ull << 43); }},
    {"another commit",
     [](stream_metadata& of) { of.parent->id = commit_id(std::string("01ARZ3NDEKTSV4RRFFQ69G5FAV")); }},
};

TEST(parent_check, true_words_are_not_told)
{
    family graph;
    EXPECT_EQ(graph.findings(true), kinds());
    (void)graph.remove_branch("p");
    EXPECT_EQ(graph.findings(true), kinds());
    (void)graph.must(cleanup(*graph.store, graph.time, graph.keep(1, true), {}));
    EXPECT_EQ(graph.findings(true), kinds());
}

TEST(parent_check, untrue_beginning_is_told_and_nothing_is_deleted_by_it)
{
    for (bool const parent_ended : {false, true}) {
        for (auto const& each : beginnings) {
            SCOPED_TRACE(each.name);
            family graph;
            if (parent_ended) (void)graph.remove_branch("p");
            graph.tell_otherwise(graph.kid, each.by);
            auto const told = graph.findings();
            EXPECT_TRUE(std::ranges::find(told, "parent_wrong!") != told.end()) << parent_ended;
            auto const why = graph.must_fail(cleanup(*graph.store, graph.time, graph.keep(1, true), {}));
            EXPECT_TRUE(why == errc::corrupt) << why.message();
            EXPECT_EQ(why.why()->key, layout::metadata(*stream_id::parse(graph.kid.stream)).text());
            EXPECT_TRUE(graph.has(layout::record(*stream_id::parse(graph.parent.stream), sequence(12))));
        }
    }
}

TEST(parent_check, untrue_end_is_told)
{
    for (std::uint64_t const end : {12ull, 1'000ull, 1'000'000'000'000'000ull}) {
        family graph;
        auto const ended = graph.remove_branch("p");
        graph.tell_otherwise(ended, [&](stream_metadata& of) { of.retired->final_seq = sequence(end); });
        EXPECT_EQ(graph.findings(), kinds{"end_wrong!"}) << end;
    }
}

}  // namespace
}  // namespace headwater::test
