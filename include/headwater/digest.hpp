// set_digest: a sum of SHA-256 hashes modulo 2^256, so that a set's digest follows its changes in O(touched).
#pragma once

#include <headwater/export.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

/// The digest of a set of byte strings (FORMAT section 3, state_digest). The empty set's is zero.
class HEADWATER_EXPORT set_digest {
public:
    /// Adds the SHA-256 of `element`, read as one big-endian number.
    void add(std::string_view element) noexcept;
    /// Takes the SHA-256 of `element` off again.
    void subtract(std::string_view element) noexcept;
    /// Adds or takes off another set's digest.
    void add(set_digest const& other) noexcept;
    void subtract(set_digest const& other) noexcept;

    /// 64 lower-case hex digits, and back; anything else is nothing.
    std::string hex() const;
    static std::optional<set_digest> parse(std::string_view hex) noexcept;

    friend bool operator==(set_digest const&, set_digest const&) = default;

private:
    std::array<std::uint64_t, 4> limbs_{};  ///< Least significant first.
};

/// SHA-256 of `content` as 64 lower-case hex digits.
HEADWATER_EXPORT std::string sha256_hex(std::string_view content);

}  // namespace headwater
