// Calls, judgement, and the cleaning up.
#include "src/conformance/trial.hpp"

#include "src/base/together.hpp"
#include "src/store/clearing.hpp"

#include <headwater/stores.hpp>

#include <span>
#include <utility>

namespace headwater::conformance {

namespace {

/// How many writes are under way at once, where they are many.
constexpr std::size_t writes_at_once = 32;

std::string first_difference(key_list const& found, key_list const& expected)
{
    auto const [here, there] = std::ranges::mismatch(found, expected);
    if (there == expected.end()) return "the first that should not be there is " + *here;
    if (here == found.end()) return "the first that is missing is " + *there;
    return *here + " stands where " + *there + " should";
}

// An update that the store does not know, a listing that the credentials do not allow: the store says so itself, and
// those who need it ask for the capability.
bool is_disclaimed(error const& what)
{
    auto const* const why = what.why();
    if (!why) return false;
    return (what == errc::unsupported && why->operation == "put_if_match")
           || (what == errc::access_denied && why->operation == "list");
}

}  // namespace

trial::trial(conformance_subject& on, std::string prefix)
    : on_(on), prefix_(std::move(prefix)), main_(make_prefixed_store(on.store, prefix_))
{
}

object_store& trial::another()
{
    auto& below = on_.connect ? on_.connect() : on_.store;
    return *others_.emplace_back(make_prefixed_store(below, prefix_));
}

task<put_answer> trial::put(std::string_view key, std::string_view content)
{
    written_.emplace(key);
    return main_->put(object_key(key), bytes(content));
}

task<create_answer> trial::create(object_store& through, std::string_view key, std::string_view content)
{
    written_.emplace(key);
    return through.put_if_absent(object_key(key), bytes(content));
}

task<update_answer> trial::update(object_store& through, std::string_view key, std::string_view content,
                                  etag const& expected)
{
    written_.emplace(key);
    return through.put_if_match(object_key(key), bytes(content), expected);
}

awaitable<void> trial::fill(key_list const& keys)
{
    for (std::size_t at = 0; at < keys.size(); at += writes_at_once) {
        std::vector<task<put_answer>> writes;
        for (auto const& key : std::span(keys).subspan(at, std::min(writes_at_once, keys.size() - at))) {
            writes.push_back(put(key, key));
        }
        auto const written = co_await together(std::move(writes));
        for (auto const& each : written) ok(each, "put");
    }
}

awaitable<whole_listing> trial::list_all(std::string_view prefix, list_options options)
{
    whole_listing whole;
    std::string continuation;
    while (whole.pages < max_pages) {
        options.continuation = continuation;
        std::string const below(prefix);
        auto const page = co_await main_->list(below, options);
        if (!ok(page, "list")) break;
        ++whole.pages;
        holds(page->objects.size() + page->common_prefixes.size() <= options.max_keys,
              "a page has more rows than max_keys");
        for (auto const& found : page->objects) whole.keys.push_back(found.key.text());
        for (auto const& group : page->common_prefixes) whole.prefixes.push_back(group);
        if (!page->next) break;
        if (!holds(*page->next != continuation, "a page is followed by itself")) break;
        continuation = *page->next;
    }
    holds(whole.pages < max_pages, "the listing has no end");
    co_return whole;
}

bool trial::same(key_list const& found, key_list const& expected, std::string_view what)
{
    if (found == expected) return true;
    return fail(std::string(what) + " gave " + std::to_string(found.size()) + " keys, not the "
                + std::to_string(expected.size()) + " expected: " + first_difference(found, expected));
}

awaitable<void> trial::has_content(std::string_view key, std::string_view content)
{
    auto const answer = co_await get(key);
    if (!ok(answer, "get")) co_return;
    auto const view = answer->content.view();
    constexpr std::size_t shown = 40;
    holds(view == content, "get of " + std::string(key) + " gave " + std::string(view.substr(0, shown)) + ", not "
                               + std::string(content.substr(0, shown)));
}

void trial::differs(std::string what)
{
    if (difference_.empty()) difference_ = std::move(what);
}

void trial::disclaim(std::string why)
{
    if (disclaimed_.empty()) disclaimed_ = std::move(why);
}

bool trial::fail(std::string what)
{
    if (!disclaimed_.empty()) return false;
    if (faults_++ == 0) {
        first_fault_ = std::move(what);
        at_first_fault_ = last_;
    }
    return false;
}

bool trial::fail(std::string_view what, error const& with)
{
    auto said = brief(with);
    if (is_disclaimed(with)) {
        disclaim(std::move(said));
        return false;
    }
    return fail(std::string(what) + ": " + said);
}

check_result trial::verdict() const
{
    check_result out;
    auto const& seen = faults_ > 0 ? at_first_fault_ : last_;
    out.status = seen.status;
    out.request_id = seen.request_id;
    if (faults_ > 0) {
        out.outcome = check_outcome::failed;
        out.message = first_fault_;
        if (faults_ > 1) out.message += " (and " + std::to_string(faults_ - 1) + " more)";
    } else if (!disclaimed_.empty()) {
        out.outcome = check_outcome::not_applicable;
        out.message = disclaimed_;
    } else if (!difference_.empty()) {
        out.outcome = check_outcome::differs;
        out.message = difference_;
    }
    return out;
}

awaitable<std::size_t> trial::clean()
{
    key_list const keys(written_.begin(), written_.end());
    written_.clear();
    co_return co_await clear(*main_, keys);
}

std::string brief(error const& what)
{
    std::string out = what.code().message();
    if (what.why() && !what.why()->detail.empty()) out += ": " + what.why()->detail;
    return out;
}

key_list sorted(key_list of)
{
    std::ranges::sort(of);
    return of;
}

key_list numbered(std::string_view prefix, std::size_t count)
{
    constexpr std::size_t width = 5;
    key_list keys;
    for (std::size_t at = 0; at < count; ++at) {
        auto digits = std::to_string(at);
        keys.push_back(std::string(prefix) + std::string(width - digits.size(), '0') + digits);
    }
    return keys;
}

}  // namespace headwater::conformance
