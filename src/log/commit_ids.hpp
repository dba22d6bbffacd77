// commit_ids: an id is an address (FORMAT section 3): a ULID of created_at, 40 bits of seq and 40 random bits; and the
// plain ULIDs that lives and graphs are named by. Pure.
#pragma once

#include <headwater/names.hpp>
#include <headwater/random.hpp>
#include <headwater/ulid.hpp>

#include <cstdint>

namespace headwater {

ulid make_ulid(std::uint64_t now_ms, random& chance);
commit_id make_commit_id(std::uint64_t created_at_ms, sequence seq, random& chance);
/// The seq, modulo 2^40, that an id of ours names.
sequence sequence_in(ulid const& id) noexcept;

}  // namespace headwater
