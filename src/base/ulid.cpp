// ULIDs: 130 bits of text for 128 bits of id, so the first character is at most `7`.
#include <headwater/ulid.hpp>

#include "src/base/uint128.hpp"

#include <boost/assert.hpp>

namespace headwater {

namespace {

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t text_length = 26;

}  // namespace

std::optional<ulid> parse_ulid(std::string_view text) noexcept
{
    if (text.size() != text_length || text[0] > '7') return {};
    uint128 value = 0;
    for (char const digit : text) {
        auto const at = crockford.find(digit);
        if (at == crockford.npos) return {};
        value = value << 5 | at;
    }
    ulid id;
    for (std::size_t at = id.rest.size(); at-- > 0; value >>= 8) id.rest[at] = static_cast<std::uint8_t>(value);
    id.time_ms = static_cast<std::uint64_t>(value);
    return id;
}

std::string to_string(ulid const& id)
{
    BOOST_ASSERT_MSG(id.time_ms >> 48 == 0, "a ULID's time has 48 bits");
    uint128 value = id.time_ms;
    for (auto const byte : id.rest) value = value << 8 | byte;
    std::string text(text_length, '0');
    for (std::size_t at = text_length; at-- > 0; value >>= 5)
        text[at] = crockford[static_cast<std::size_t>(value & 31)];
    return text;
}

}  // namespace headwater
