// Runs every check of conformance.hpp at every place, each on a part of the place of its own, and makes sure that it
// leaves nothing behind.
#include <headwater/conformance.hpp>

#include "tests/support/run.hpp"
#include "tests/support/servers.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <tuple>

namespace headwater {

static void PrintTo(conformance_check const& one, std::ostream* out) { *out << one.name; }

namespace {

// One race per server is run at length; over TLS or with another signature it is the same server.
std::uint32_t race_rounds(test::place_kind kind)
{
    using enum test::place_kind;
    return kind == memory || kind == file || kind == s3_path || kind == azure_shared_key ? 200 : 20;
}

std::size_t objects_in(test::place& place)
{
    auto& store = place.connect();
    std::string const everything;
    auto const page = test::run(place.io(), store.list(everything, list_options()));
    return page ? page->objects.size() : 0;
}

struct conformance_test : testing::TestWithParam<std::tuple<test::place_kind, conformance_check>> {};

TEST_P(conformance_test, holds)
{
    auto const& [kind, check] = GetParam();
    auto const place = test::open_or_skip(kind);
    if (!place) return;
    conformance_subject on(place->connect(), place->time(), place->chance());
    on.connect = [&]() -> object_store& { return place->connect(); };
    on.race_rounds = race_rounds(kind);
    auto const result = test::run(place->io(), run_check(check, on));
    EXPECT_TRUE(result.outcome != check_outcome::failed) << result.message;
    EXPECT_EQ(result.left_behind, 0u);
    EXPECT_EQ(objects_in(*place), 0u);
}

INSTANTIATE_TEST_SUITE_P(everywhere, conformance_test,
                         testing::Combine(testing::ValuesIn(test::all_places()),
                                          testing::ValuesIn(conformance_checks())),
                         [](auto const& one) {
                             return test::to_string(std::get<0>(one.param)) + "_"
                                    + std::string(std::get<1>(one.param).name);
                         });

}  // namespace
}  // namespace headwater
