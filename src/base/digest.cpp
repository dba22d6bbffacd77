// Arithmetic modulo 2^256 over SHA-256 values, in four limbs.
#include <headwater/digest.hpp>

#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"
#include "src/base/uint128.hpp"

namespace headwater {

namespace {

using limbs = std::array<std::uint64_t, 4>;

/// 32 bytes, big-endian, as limbs, the least significant first.
limbs to_limbs(std::array<std::uint8_t, 32> const& number) noexcept
{
    limbs out{};
    for (std::size_t at = 0; at < number.size(); ++at) {
        auto& limb = out[3 - at / 8];
        limb = limb << 8 | number[at];
    }
    return out;
}

void add_to(limbs& sum, limbs const& other) noexcept
{
    uint128 carried = 0;
    for (std::size_t at = 0; at < sum.size(); ++at) {
        carried += static_cast<uint128>(sum[at]) + other[at];
        sum[at] = static_cast<std::uint64_t>(carried);
        carried >>= 64;
    }
}

/// Two's complement: what is added to take `number` off.
limbs negated(limbs number) noexcept
{
    for (auto& limb : number) limb = ~limb;
    add_to(number, {1, 0, 0, 0});
    return number;
}

}  // namespace

void set_digest::add(std::string_view element) noexcept { add_to(limbs_, to_limbs(sha256(element))); }

void set_digest::subtract(std::string_view element) noexcept { add_to(limbs_, negated(to_limbs(sha256(element)))); }

void set_digest::add(set_digest const& other) noexcept { add_to(limbs_, other.limbs_); }

void set_digest::subtract(set_digest const& other) noexcept { add_to(limbs_, negated(other.limbs_)); }

std::string set_digest::hex() const
{
    std::array<std::uint8_t, 32> number{};
    for (std::size_t at = 0; at < number.size(); ++at) {
        number[at] = static_cast<std::uint8_t>(limbs_[3 - at / 8] >> (56 - 8 * (at % 8)));
    }
    return to_hex(number);
}

std::optional<set_digest> set_digest::parse(std::string_view hex) noexcept
{
    if (hex.size() != 64) return {};
    set_digest out;
    for (std::size_t at = 0; at < hex.size(); ++at) {
        int const value = hex_value(hex[at]);
        if (value < 0) return {};
        auto& limb = out.limbs_[3 - at / 16];
        limb = limb << 4 | static_cast<std::uint64_t>(value);
    }
    return out;
}

std::string sha256_hex(std::string_view content) { return to_hex(sha256(content)); }

}  // namespace headwater
