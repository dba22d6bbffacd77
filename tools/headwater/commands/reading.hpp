// reading: what the verbs that look at past states share.
#pragma once

#include "tools/headwater/session.hpp"

#include <headwater/reader.hpp>
#include <headwater/task.hpp>

#include <optional>
#include <string>

namespace headwater::cli {

/// The state at a point; nothing: the newest.
task<snapshot> read_at(reader& from, std::optional<point> at);
/// What `--at` or a positional argument says.
result<std::optional<point>> parse_optional_point(std::optional<std::string> const& text);

}  // namespace headwater::cli
