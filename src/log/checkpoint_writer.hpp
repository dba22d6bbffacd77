// checkpoint_writer: writes a state's checkpoint and, before it, the tombstone set that it names. Used by publishers,
// by a branch's creation, and by repair; what they write is byte-identical.
#pragma once

#include "src/log/authority.hpp"
#include "src/log/fetched.hpp"
#include "src/log/fold.hpp"

#include <headwater/names.hpp>
#include <headwater/task.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headwater {

using tombstone_set = std::shared_ptr<std::vector<tombstone> const>;

class checkpoint_writer {
public:
    /// The set object of that name, or the empty set; the last one is kept, since most commits share it. `history_gap`
    /// if it is missing.
    task<tombstone_set> read_set(fetched& from, std::optional<std::string> digest);
    /// Creates the checkpoint of `content` in `stream`. An object that is there already is the same, and stays.
    task<void> write(fetched& through, state const& content, stream_id const& stream, std::uint64_t interval,
                     clock const& time);

private:
    task<void> write_set(fetched& through, state const& content, std::vector<tombstone> beyond);

    std::optional<std::string> kept_digest_;
    tombstone_set kept_;
};

}  // namespace headwater
