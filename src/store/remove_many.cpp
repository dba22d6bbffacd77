// remove_many for stores that know no batch: one request for each key, a few of them at once.
#include "src/base/together.hpp"
#include "src/store/attempts.hpp"

#include <algorithm>

namespace headwater {

namespace {

/// What those who remove share: each takes the next key that nobody has.
struct removal {
    object_store& from;
    std::vector<object_key> const& keys;
    std::size_t next = 0;
    remove_many_answer whole;
};

task<void> remove_in_turn(removal& shared)
{
    while (shared.next < shared.keys.size()) {
        object_key const key = shared.keys[shared.next++];
        auto const gone = co_await shared.from.remove(key);
        auto const attempts = shared.whole.info.attempts + attempts_of(gone);
        if (gone) shared.whole.info = gone->info;
        shared.whole.info.attempts = attempts;
        if (!gone) {
            shared.whole.failed.emplace_back(key, gone.error());
        }
    }
    co_return result<void>();
}

}  // namespace

task<remove_many_answer> object_store::remove_many(std::vector<object_key> keys)
{
    if (keys.size() > max_remove_keys) {
        co_return error(errc::invalid_argument, "remove_many takes at most max_remove_keys (1000) keys");
    }
    removal shared{*this, keys, 0, {}};
    shared.whole.info.attempts = 0;
    std::vector<task<void>> all;
    while (all.size() < std::min(removals_at_once, keys.size())) all.push_back(remove_in_turn(shared));
    auto const ended = co_await together(std::move(all));
    (void)ended;
    co_return std::move(shared.whole);
}

}  // namespace headwater
