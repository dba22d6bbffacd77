// retirement: ends a life: its retire record, then its metadata. The one door to a record that no caller may publish.
#pragma once

#include "src/log/lives.hpp"
#include "src/log/open_stream.hpp"

#include <headwater/probe.hpp>
#include <headwater/random.hpp>
#include <headwater/task.hpp>

#include <optional>
#include <string>

namespace headwater {

struct retirement {
    /// Publishes the retire record as `by`, or finds that one is there, and records it in the metadata. Answers the
    /// life as it then is. With `expected`: on top of that commit or not at all (`conflict`). `proofs`, if not null, is
    /// asked for proof of updates first. Errors: a publisher's; `branch_not_found` if it had been recorded before.
    static task<life> end(open_stream of, random& chance, std::string by, std::optional<position> expected,
                          prover* proofs);
    /// The same where the newest state cannot be read: the record follows the newest one that stands, readable or not.
    /// Safe to run again after a stop anywhere. `unsupported` if a newer version wrote that one.
    static task<life> end_unread(open_stream of, random& chance, std::string by);
};

}  // namespace headwater
