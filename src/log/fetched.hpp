// fetched: the objects of one read operation. Several are asked for at once, each at most once, and decoded on demand.
// Stands between the reader's plan and the store; counts what it asks.
#pragma once

#include "src/log/fold.hpp"

#include <headwater/cost.hpp>
#include <headwater/object_store.hpp>
#include <headwater/record.hpp>
#include <headwater/stores.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headwater {

/// One object to ask for.
struct wanted_object {
    wanted_object(object_key at, std::size_t cap, cost_kind counted_as = cost_kind::work)
        : key(std::move(at)), max_bytes(cap), kind(counted_as)
    {
    }

    object_key key;
    std::size_t max_bytes;
    cost_kind kind;
};

class fetched {
public:
    using follow_up = std::function<std::vector<wanted_object>(fetched const&)>;

    explicit fetched(object_store& store);

    /// Asks for all of them at once, but for those that are here already.
    boost::asio::awaitable<void> fetch(std::vector<wanted_object> wanted);
    /// With each answer from now on, what `plan` makes of those that are here is asked for at once, whatever else the
    /// round still waits for. An empty plan ends that.
    void follow(follow_up plan) { plan_ = std::move(plan); }
    /// Forgets an answer, so that the next `fetch` asks again.
    void forget(object_key const& key)
    {
        asked_.erase(key);
        objects_.erase(key);
    }

    bool has(object_key const& key) const { return objects_.contains(key); }
    /// The answer for a key that was fetched; `corrupt`: it is larger than it may be.
    result<object> const& get(object_key const& key) const { return objects_.at(key); }

    /// That no state at `seq` can be had in this read, and why.
    void give_up(sequence seq, error why) { given_up_.insert_or_assign(seq, std::move(why)); }
    error const* given_up(sequence seq) const
    {
        auto const at = given_up_.find(seq);
        return at == given_up_.end() ? nullptr : &at->second;
    }

    /// The latest `Date` that any answer carried; "absent" and other refusals are answers too.
    std::optional<time_ms> latest_date() const noexcept { return latest_date_; }
    template <class T>
    void note_date_of(result<T> const& answer) noexcept
    {
        if (answer) {
            note_date(answer->info.date);
        } else if (answer.error().why()) {
            note_date(answer.error().why()->date);
        }
    }

    /// The store, counted as work.
    object_store& store() noexcept { return *work_; }
    cost const& spent() const noexcept { return meter_->total(); }

private:
    task<void> ask(object_store& through, object_key key, get_options how);
    void note_date(std::optional<time_ms> date) noexcept;

    std::shared_ptr<meter> meter_;
    std::unique_ptr<object_store> work_;
    std::unique_ptr<object_store> open_;
    std::map<object_key, result<object>> objects_;
    std::set<object_key> asked_;
    follow_up plan_;
    std::map<sequence, error> given_up_;
    std::optional<time_ms> latest_date_;
};

}  // namespace headwater
