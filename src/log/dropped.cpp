// One request, as long as no cleanup has been at work.
#include "src/log/dropped.hpp"

#include <algorithm>
#include <utility>

namespace headwater {

task<tombstone_set> read_base_set(fetched& from, open_stream& stream, checkpoint_writer& sets, snapshot& when)
{
    auto set = co_await sets.read_set(from, when.content().base_set());
    if (set || !(set.error() == errc::history_gap)) co_return set;
    auto again = co_await stream.renew(when);
    if (!again) co_return again.error();
    when = std::move(*again);
    co_return co_await sets.read_set(from, when.content().base_set());
}

task<std::vector<tombstone>> read_dropped(open_stream& stream, checkpoint_writer& sets, snapshot when)
{
    fetched from(stream.store());
    auto const set = co_await read_base_set(from, stream, sets, when);
    if (!set) co_return set.error();
    std::vector<tombstone> out = **set;
    auto const& recent = when.content().recent();
    out.insert(out.end(), recent.begin(), recent.end());
    std::ranges::sort(out, {}, &tombstone::table);
    co_return out;
}

}  // namespace headwater
