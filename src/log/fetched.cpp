// One round of requests at a time.
#include "src/log/fetched.hpp"

#include "src/base/together.hpp"
#include "src/format/codec.hpp"

#include <algorithm>

namespace headwater {

fetched::fetched(object_store& store)
    : meter_(std::make_shared<meter>()),
      work_(make_metered_store(store, *meter_, cost_kind::work)),
      open_(make_metered_store(store, *meter_, cost_kind::open))
{
}

boost::asio::awaitable<void> fetched::fetch(std::vector<wanted_object> wanted)
{
    std::vector<task<void>> work;
    for (auto& each : wanted) {
        if (!asked_.insert(each.key).second) continue;
        auto& through = each.kind == cost_kind::open ? *open_ : *work_;
        get_options how;
        how.max_bytes = each.max_bytes;
        work.push_back(ask(through, std::move(each.key), how));
    }
    co_await together(std::move(work));
}

task<void> fetched::ask(object_store& through, object_key key, get_options how)
{
    auto answer = co_await through.get(key, how);
    note_date_of(answer);
    if (!answer) answer = of_stored(answer.error(), key, how.max_bytes);
    objects_.insert_or_assign(std::move(key), std::move(answer));
    if (!plan_) co_return result<void>();
    auto next = plan_(*this);
    co_await fetch(std::move(next));
    co_return result<void>();
}

void fetched::note_date(std::optional<time_ms> date) noexcept
{
    if (date) latest_date_ = std::max(latest_date_.value_or(*date), *date);
}

}  // namespace headwater
