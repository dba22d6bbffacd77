// Five bytes of seq, then five of chance.
#include "src/log/commit_ids.hpp"

#include <span>

namespace headwater {

namespace {

constexpr std::size_t seq_bytes = 5;

}  // namespace

ulid make_ulid(std::uint64_t now_ms, random& chance)
{
    ulid id;
    id.time_ms = now_ms;
    chance.fill(std::as_writable_bytes(std::span(id.rest)));
    return id;
}

commit_id make_commit_id(std::uint64_t created_at_ms, sequence seq, random& chance)
{
    ulid id;
    id.time_ms = created_at_ms;
    for (std::size_t i = 0; i != seq_bytes; ++i) {
        id.rest[i] = static_cast<std::uint8_t>(seq.value() >> (8 * (seq_bytes - 1 - i)));
    }
    chance.fill(std::as_writable_bytes(std::span(id.rest).subspan(seq_bytes)));
    return commit_id(to_string(id));
}

sequence sequence_in(ulid const& id) noexcept
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i != seq_bytes; ++i) value = value << 8 | id.rest[i];
    return sequence(value);
}

}  // namespace headwater
