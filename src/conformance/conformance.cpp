// The list of checks, and how each is run: below a prefix of its own, and cleaned up after.
#include <headwater/conformance.hpp>

#include "src/conformance/trial.hpp"

#include <cstdio>
#include <utility>

namespace headwater {

namespace {

std::string own_prefix(std::string_view check, random& chance)
{
    char unique[17];
    std::snprintf(unique, sizeof unique, "%016llx", static_cast<unsigned long long>(chance.next()));
    return "headwater-conform-" + std::string(unique) + '/' + std::string(check) + '/';
}

}  // namespace

std::string_view to_string(check_outcome outcome) noexcept
{
    switch (outcome) {
    case check_outcome::passed: return "passed";
    case check_outcome::failed: return "failed";
    case check_outcome::differs: return "differs";
    case check_outcome::not_applicable: return "not_applicable";
    }
    return "unknown";
}

std::vector<conformance_check> conformance_checks()
{
    using namespace conformance;
    std::vector<conformance_check> all;
    // Before the first update: an adapter remembers which spelling of an etag its store takes.
    for (auto const& theme : {reading_checks(), creating_checks(), vendor_checks(), updating_checks(), racing_checks(),
                              listing_checks(), key_checks(), removing_checks()}) {
        all.insert(all.end(), theme.begin(), theme.end());
    }
    return all;
}

boost::asio::awaitable<check_result> run_check(conformance_check check, conformance_subject& on)
{
    auto const prefix = own_prefix(check.name, on.chance);
    conformance::trial under_way(on, prefix);
    auto const begin = on.time.since_boot();
    co_await check.perform(under_way);
    auto out = under_way.verdict();
    out.took = std::chrono::duration_cast<std::chrono::milliseconds>(on.time.since_boot() - begin);
    out.check = check;
    out.prefix = prefix;
    if (!check.required && out.outcome == check_outcome::failed) out.outcome = check_outcome::differs;
    out.left_behind = co_await under_way.clean();
    co_return out;
}

}  // namespace headwater
