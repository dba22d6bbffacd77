// One round of requests at a time.
#include "src/log/fetched.hpp"

#include "src/base/together.hpp"

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
    std::vector<object_key> keys;
    std::vector<task<object>> work;
    for (auto& each : wanted) {
        if (has(each.key)) continue;
        auto& through = each.kind == cost_kind::open ? *open_ : *work_;
        get_options how;
        how.max_bytes = each.max_bytes;
        keys.push_back(each.key);
        work.push_back(through.get(std::move(each.key), how));
    }
    auto answers = co_await together(std::move(work));
    for (std::size_t i = 0; i != keys.size(); ++i) {
        note_date_of(answers[i]);
        objects_.insert_or_assign(keys[i], std::move(answers[i]));
    }
}

void fetched::note_date(std::optional<time_ms> date) noexcept
{
    if (date) latest_date_ = std::max(latest_date_.value_or(*date), *date);
}

}  // namespace headwater
