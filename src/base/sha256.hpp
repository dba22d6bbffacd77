// SHA-256 (FIPS 180-4) of bytes in memory, so that the core links no crypto library. Uses the x86 SHA extensions where
// the processor has them; what it is for here is integrity, never secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headwater {

/// The 32 bytes of SHA-256 of `content`.
std::array<std::uint8_t, 32> sha256(std::string_view content) noexcept;

namespace sha256_detail {

/// Takes `count` blocks of 64 bytes into the state.
using compress_function = void (*)(std::array<std::uint32_t, 8>& state, unsigned char const* blocks,
                                   std::size_t count) noexcept;

void compress_portable(std::array<std::uint32_t, 8>& state, unsigned char const* blocks, std::size_t count) noexcept;
/// The one that uses the processor's SHA instructions; null if it has none.
compress_function compress_accelerated() noexcept;

std::array<std::uint8_t, 32> sha256_with(compress_function compress, std::string_view content) noexcept;

}  // namespace sha256_detail

}  // namespace headwater
