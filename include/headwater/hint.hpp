// hint: `latest.json`, where the newest record was seen. May be missing, stale, ahead or garbage; never authority.
#pragma once

#include <headwater/bytes.hpp>
#include <headwater/export.hpp>
#include <headwater/names.hpp>

#include <optional>
#include <string_view>

namespace headwater {

/// One hint. A checkpoint of 0 means that none is known.
struct hint {
    sequence seq;
    sequence checkpoint;

    friend bool operator==(hint const&, hint const&) = default;
};

/// `{"seq":N,"checkpoint":C}`
HEADWATER_EXPORT bytes encode(hint const& value);
/// Nothing if `json` is not an object with a u64 seq, for whatever reason. A checkpoint above seq reads as 0.
HEADWATER_EXPORT std::optional<hint> decode_hint(std::string_view json) noexcept;

}  // namespace headwater
