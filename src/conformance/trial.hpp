// trial: one check under way. It makes the calls, remembers what they wrote, and keeps the first thing that was wrong.
// Calls take texts, so that no owning parameter is made inside a co_await expression.
#pragma once

#include <headwater/conformance.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::conformance {

using boost::asio::awaitable;
using key_list = std::vector<std::string>;

/// All pages of a listing, in the order in which they came.
struct whole_listing {
    whole_listing() = default;

    key_list keys;
    key_list prefixes;
    std::size_t pages = 0;
};

class trial {
public:
    /// The most pages of one listing.
    static constexpr std::size_t max_pages = 1000;

    trial(conformance_subject& on, std::string prefix);

    /// The store, below the check's own prefix, which is empty at first.
    object_store& store() noexcept { return *main_; }
    /// Another store over the same objects, below the same prefix.
    object_store& another();
    std::uint32_t race_rounds() const noexcept { return on_.race_rounds; }

    task<object> get(std::string_view key, get_options options = {}) { return main_->get(object_key(key), options); }
    task<object_meta> head(std::string_view key) { return main_->head(object_key(key)); }
    task<put_answer> put(std::string_view key, std::string_view content);
    task<create_answer> create(std::string_view key, std::string_view content) { return create(*main_, key, content); }
    task<create_answer> create(object_store& through, std::string_view key, std::string_view content);
    task<update_answer> update(std::string_view key, std::string_view content, etag const& expected)
    {
        return update(*main_, key, content, expected);
    }
    task<update_answer> update(object_store& through, std::string_view key, std::string_view content,
                               etag const& expected);
    task<remove_answer> remove(std::string_view key) { return main_->remove(object_key(key)); }
    /// Puts each key with itself as content, some at once.
    awaitable<void> fill(key_list const& keys);
    awaitable<whole_listing> list_all(std::string_view prefix, list_options options);

    // What is expected; each answers whether it holds, and a reason is kept where not.

    template <class T>
    bool ok(result<T> const& answer, std::string_view what)
    {
        see(answer);
        return answer || fail(what, answer.error());
    }

    template <class T>
    bool fails_with(result<T> const& answer, errc code, std::string_view what)
    {
        see(answer);
        if (answer) return fail(std::string(what) + " was answered with success, not " + std::string(to_string(code)));
        return answer.error() == code || fail(what, answer.error());
    }

    bool holds(bool condition, std::string_view what) { return condition || fail(std::string(what)); }
    /// Of the answer whose status and request id are to be shown if it does not hold.
    template <class T>
    bool holds(result<T> const& answer, bool condition, std::string_view what)
    {
        see(answer);
        return holds(condition, what);
    }
    bool same(key_list const& found, key_list const& expected, std::string_view what);
    awaitable<void> has_content(std::string_view key, std::string_view content);

    /// The store does here as it may, and not as Amazon's S3.
    void differs(std::string what);
    /// The store says that it cannot do this: nothing that is wrong from here on counts.
    void disclaim(std::string why);

    /// What came of the check so far.
    check_result verdict() const;
    /// Removes what was written; how many objects could not be.
    awaitable<std::size_t> clean();

private:
    struct sighting {
        int status = 0;
        std::string request_id;
    };

    template <class T>
    void see(result<T> const& answer)
    {
        if (answer)
            last_ = {answer->info.status, answer->info.request_id};
        else if (auto const* const why = answer.error().why())
            last_ = {why->status, why->request_id};
        else
            last_ = {};
    }

    /// Always false.
    bool fail(std::string what);
    bool fail(std::string_view what, error const& with);

    conformance_subject& on_;
    std::string const prefix_;
    std::unique_ptr<object_store> main_;
    std::vector<std::unique_ptr<object_store>> others_;
    std::set<std::string> written_;
    sighting last_;
    sighting at_first_fault_;
    std::size_t faults_ = 0;
    std::string first_fault_;
    std::string difference_;
    std::string disclaimed_;
};

/// What went wrong, without where: the result says that.
std::string brief(error const& what);
key_list sorted(key_list of);
/// `prefix00000` and so on.
key_list numbered(std::string_view prefix, std::size_t count);

// The checks of each theme, in its own file.
std::vector<conformance_check> reading_checks();
std::vector<conformance_check> creating_checks();
std::vector<conformance_check> updating_checks();
std::vector<conformance_check> racing_checks();
std::vector<conformance_check> listing_checks();
std::vector<conformance_check> key_checks();
std::vector<conformance_check> removing_checks();
std::vector<conformance_check> vendor_checks();

}  // namespace headwater::conformance
