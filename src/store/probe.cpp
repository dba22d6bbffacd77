// The stages, one after the other: each leaves what it has learned in the proof.
#include <headwater/probe.hpp>

#include "src/base/together.hpp"
#include "src/store/clearing.hpp"

#include <headwater/stores.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace headwater {

namespace {

using boost::asio::awaitable;

constexpr std::size_t probe_racers = 8;
constexpr std::uint32_t probe_page = 3;  // Fewer than the probe's keys, so that a second page must follow.
constexpr std::size_t max_probe_pages = 16;
constexpr unsigned max_probe_updates = 3;  // More than one only where answers are lost.

// In an order that only bytes explain, and without a slash, so that no empty folder stays where keys are files.
constexpr std::string_view probe_subject = "a.b";
constexpr std::string_view probe_race = "a-b";
constexpr std::string_view probe_others[] = {"B", "a0", "ü"};
constexpr std::string_view probe_keys_in_order[] = {"B", "a-b", "a.b", "a0", "ü"};

std::string probe_prefix(random& chance)
{
    char unique[17];
    std::snprintf(unique, sizeof unique, "%016llx", static_cast<unsigned long long>(chance.next()));
    return "headwater-probe-" + std::string(unique) + '-';
}

template <class T>
probe_finding found_in(result<T> const& answer, std::string what)
{
    if (answer) return {std::move(what), answer->info.status, answer->info.request_id};
    auto const* const why = answer.error().why();
    what += ": " + answer.error().code().message();
    if (why && !why->detail.empty()) what += ": " + why->detail;
    return why ? probe_finding(std::move(what), why->status, why->request_id) : probe_finding(std::move(what), 0, {});
}

error refuse(store_proof const& proof, std::string const& address, std::string_view consequence)
{
    auto const first = proof.findings.empty() ? probe_finding("nothing was proved", 0, "") : proof.findings.front();
    diagnostics why("probe", "", first.what + ". " + std::string(consequence));
    why.store = address;
    why.status = first.status;
    why.request_id = first.request_id;
    return {errc::unsupported, std::move(why)};
}

// How the store took `right`. After a request of which nothing is known it may have been that one which was applied.
etag_form form_seen(update_answer const& right, bool takes_bare)
{
    if (right.earlier_unknown) return etag_form::unknown;
    if (right.bare_etag) return etag_form::bare;
    return takes_bare ? etag_form::either : etag_form::as_given;
}

class probing {
public:
    probing(object_store& store, clock& time, probe_options options) : store_(store), time_(time), options_(options) {}

    /// The first error that proves nothing, if any; the proof is whole only without.
    awaitable<error> run()
    {
        auto failed = co_await create_twice();
        if (!failed.code()) failed = co_await race();
        if (!failed.code() && options_.updates) failed = co_await update();
        if (!failed.code() && options_.listing) failed = co_await list();
        co_return failed;
    }

    /// What cannot be removed is a finding, and no reason to forget the others.
    awaitable<void> clean()
    {
        auto const left = co_await clear(store_, written_);
        if (left == 0) co_return;
        auto said = std::to_string(left) + " objects named headwater-probe-… could not be removed";
        proof_.findings.emplace_back(std::move(said), 0, "");
    }

    store_proof& proof() noexcept { return proof_; }

private:
    task<create_answer> create(std::string_view key, std::string_view content)
    {
        remember(key);
        return store_.put_if_absent(object_key(key), bytes(content));
    }

    task<update_answer> replace(std::string_view content, etag const& expected)
    {
        return store_.put_if_match(object_key(probe_subject), bytes(content), expected);
    }

    task<object> get(std::string_view key)
    {
        get_options const whole;
        return store_.get(object_key(key), whole);
    }

    void remember(std::string_view key)
    {
        if (std::ranges::find(written_, key) == written_.end()) written_.emplace_back(key);
    }

    template <class T>
    void find(result<T> const& answer, std::string what)
    {
        proof_.findings.push_back(found_in(answer, std::move(what)));
    }

    // A create that the store does not know at all is a verdict too.
    template <class T>
    bool is_verdict(result<T> const& answer) const
    {
        return answer || answer.error() == errc::unsupported;
    }

    awaitable<error> create_twice();
    awaitable<error> race();
    awaitable<error> update();
    awaitable<error> list();

    object_store& store_;
    clock& time_;
    probe_options const options_;
    store_proof proof_;
    etag current_;
    std::vector<std::string> written_;
};

awaitable<error> probing::create_twice()
{
    auto const sent = time_.now();
    auto const first = co_await create(probe_subject, "first");
    if (!is_verdict(first)) co_return first.error();
    if (!first) {
        find(first, "conditional creates are refused");
        co_return error();
    }
    if (first->info.date) proof_.clock_offset = least_clock_offset(*first->info.date, sent, time_.now());
    auto const second = co_await create(probe_subject, "second");
    if (!second) co_return second.error();
    auto const read = co_await get(probe_subject);
    if (!read) co_return read.error();
    current_ = read->tag;
    if (!first->created) {
        find(first, "the conditional create of a new key lost");
    } else if (second->created) {
        find(second, "If-None-Match is ignored: a second create of the same key succeeded");
    } else if (read->content.view() != "first") {
        find(read, "a conditional create that lost has replaced the object all the same");
    } else {
        proof_.create_once = true;
    }
    co_return error();
}

awaitable<error> probing::race()
{
    std::vector<task<create_answer>> starts;
    for (std::size_t at = 0; at < probe_racers; ++at) starts.push_back(create(probe_race, std::to_string(at)));
    auto const answers = co_await together(std::move(starts));
    std::vector<std::size_t> winners;
    for (std::size_t at = 0; at < answers.size(); ++at) {
        if (!is_verdict(answers[at])) co_return answers[at].error();
        if (answers[at] && answers[at]->created) winners.push_back(at);
    }
    if (winners.size() != 1) {
        auto const count = std::to_string(winners.size()) + " of " + std::to_string(probe_racers);
        find(answers.back(), count + " creates of one key at the same time won, not exactly one");
        co_return error();
    }
    auto const read = co_await get(probe_race);
    if (!read) co_return read.error();
    proof_.one_winner = read->content.view() == std::to_string(winners.front());
    if (!proof_.one_winner) find(read, "of creates at the same time one won, and another's bytes were stored");
    co_return error();
}

awaitable<error> probing::update()
{
    if (current_.empty()) {
        proof_.findings.emplace_back("objects have no etag, so that no update can be made under a condition", 0, "");
        co_return error();
    }
    auto right = co_await replace("right", current_);
    if (!right && right.error() == errc::precondition_failed) {
        find(right, "an update under the current etag is refused");
        co_return error();
    }
    if (!is_verdict(right)) co_return right.error();
    if (!right) {
        find(right, "updates under a condition are refused");
        co_return error();
    }
    for (unsigned turn = 0; right->earlier_unknown && turn != max_probe_updates; ++turn) {
        auto again = co_await replace("right again", right->tag);
        if (!again) co_return again.error();
        right = std::move(again);
    }
    auto const stale = co_await replace("stale", current_);
    if (!stale && !(stale.error() == errc::precondition_failed)) co_return stale.error();
    proof_.conditional_update = !stale;
    if (stale) find(stale, "If-Match is ignored: an update under an old etag succeeded");

    auto const& text = right->tag.text();
    bool const has_quotes = text.size() > 2 && text.front() == '"' && text.back() == '"';
    etag const spelled(has_quotes ? text.substr(1, text.size() - 2) : text);
    auto const bare = co_await replace("bare", spelled);
    if (!bare && !(bare.error() == errc::precondition_failed) && !(bare.error() == errc::invalid_argument)) {
        co_return bare.error();
    }
    if (proof_.conditional_update) proof_.if_match = form_seen(*right, bare && has_quotes);
    co_return error();
}

awaitable<error> probing::list()
{
    std::vector<task<put_answer>> writes;
    for (auto const key : probe_others) {
        remember(key);
        writes.push_back(store_.put(object_key(key), bytes(key)));
    }
    auto const written = co_await together(std::move(writes));
    for (auto const& each : written) {
        if (!each) co_return each.error();
    }
    std::vector<std::string> keys;
    std::string continuation;
    std::string const everything;
    for (std::size_t pages = 0; pages != max_probe_pages; ++pages) {  // Two, but for short or empty ones.
        list_options options;
        options.max_keys = probe_page;
        options.continuation = continuation;
        auto const page = co_await store_.list(everything, options);
        if (!page) {
            // Credentials without the permission are no fault of the store's.
            if (!(page.error() == errc::access_denied)) find(page, "listing does not work");
            co_return error();
        }
        for (auto const& each : page->objects) keys.push_back(each.key.text());
        if (!page->next) break;
        continuation = *page->next;
    }
    // An adapter that promises no order may keep it by chance.
    bool const in_order = std::ranges::equal(keys, probe_keys_in_order);
    proof_.ordered_listing = in_order && store_.capabilities().ordered_listing;
    std::ranges::sort(keys);
    proof_.list_allowed = std::ranges::equal(keys, probe_keys_in_order);
    if (!proof_.list_allowed) proof_.findings.emplace_back("a listing does not show what was just written", 0, "");
    if (proof_.list_allowed && !in_order && store_.capabilities().ordered_listing) {
        proof_.findings.emplace_back("listings come in no order, and the store is taken for one where they do: set "
                                     "HEADWATER_LISTING=unordered",
                                     0, "");
    }
    co_return error();
}

}  // namespace

std::string_view to_string(etag_form form) noexcept
{
    switch (form) {
    case etag_form::unknown: return "unknown";
    case etag_form::as_given: return "as_given";
    case etag_form::bare: return "bare";
    case etag_form::either: return "either";
    }
    return "unknown";
}

std::chrono::milliseconds least_clock_offset(time_ms date, time_ms sent, time_ms answered) noexcept
{
    using std::chrono::milliseconds;
    // The store read its clock somewhere between, and cut off what is less than a second.
    milliseconds const least = date - answered;
    milliseconds const most = date + milliseconds(999) - sent;
    if (least > milliseconds(0)) return least;
    return std::min(most, milliseconds(0));
}

task<store_proof> probe(object_store& store, clock& time, random& chance, probe_options options)
{
    meter counts;
    auto const counted = make_metered_store(store, counts);
    auto const own = make_prefixed_store(*counted, probe_prefix(chance));
    probing under_way(*own, time, options);
    auto const failed = co_await under_way.run();
    co_await under_way.clean();
    if (failed.code()) co_return failed;
    auto proof = std::move(under_way.proof());
    proof.spent = counts.total();
    co_return proof;
}

result<void> check_writable(store_proof const& proof, std::string const& address)
{
    if (proof.conditional_create()) return {};
    return refuse(proof, address, "No graph can be kept there: commits would be lost");
}

result<void> check_updatable(store_proof const& proof, std::string const& address)
{
    if (proof.conditional_create() && proof.conditional_update) return {};
    return refuse(proof, address, "Nothing that needs updates under a condition can be done there");
}

}  // namespace headwater
