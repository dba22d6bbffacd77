// Runs every check at every place, each on a part of the place of its own.
#include "tests/conformance/conformance.hpp"

#include "tests/support/run.hpp"
#include "tests/support/servers.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

namespace headwater {
namespace {

// One race per server is run at length; over TLS or with another signature it is the same server.
int race_rounds(test::place_kind kind)
{
    using enum test::place_kind;
    return kind == memory || kind == file || kind == s3_path || kind == azure_shared_key ? 200 : 20;
}

struct conformance_test : testing::TestWithParam<std::tuple<test::place_kind, conformance::check>> {};

TEST_P(conformance_test, holds)
{
    auto const& [kind, check] = GetParam();
    auto const place = test::open_or_skip(kind);
    if (!place) return;
    conformance::subject on{place->connect(), [&]() -> object_store& { return place->connect(); }, race_rounds(kind)};
    test::run(place->io(), check.run(on));
}

INSTANTIATE_TEST_SUITE_P(
    everywhere, conformance_test,
    testing::Combine(testing::ValuesIn(test::all_places()),
                     testing::ValuesIn(conformance::all_checks().begin(), conformance::all_checks().end())),
    [](auto const& one) { return test::to_string(std::get<0>(one.param)) + "_" + std::get<1>(one.param).name; });

}  // namespace
}  // namespace headwater
