// SHA-256 twice: portable, and with the x86 SHA extensions; which one is decided at run time.
#include "src/base/sha256.hpp"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace headwater {

namespace sha256_detail {

namespace {

constexpr std::size_t block_bytes = 64;

using state_type = std::array<std::uint32_t, 8>;

constexpr state_type initial_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

alignas(16) constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t load_big_endian(unsigned char const* from) noexcept
{
    return std::uint32_t{from[0]} << 24 | std::uint32_t{from[1]} << 16 | std::uint32_t{from[2]} << 8 | from[3];
}

template <class Number>
void store_big_endian(unsigned char* to, Number value) noexcept
{
    for (std::size_t at = sizeof value; at-- > 0; value >>= 8) to[at] = static_cast<unsigned char>(value);
}

void compress_block(state_type& state, unsigned char const* block) noexcept
{
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = load_big_endian(block + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
        auto const s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        auto const s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
        auto const sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        auto const t1 = h + sum1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
        auto const sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        auto const t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    state_type const mixed = {a, b, c, d, e, f, g, h};
    for (std::size_t at = 0; at < state.size(); ++at) state[at] += mixed[at];
}

#if defined(__x86_64__)

#define HEADWATER_SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

/// The instructions want the state as {a,b,e,f} and {c,d,g,h}, highest first.
HEADWATER_SHA_TARGET void compress_sha_ni(state_type& state, unsigned char const* blocks, std::size_t count) noexcept
{
    auto const* from = reinterpret_cast<__m128i const*>(state.data());
    auto* to = reinterpret_cast<__m128i*>(state.data());
    auto const* constants = reinterpret_cast<__m128i const*>(round_constants.data());
    __m128i const big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

    __m128i const badc = _mm_shuffle_epi32(_mm_loadu_si128(from), 0xB1);
    __m128i const efgh = _mm_shuffle_epi32(_mm_loadu_si128(from + 1), 0x1B);
    __m128i abef = _mm_alignr_epi8(badc, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, badc, 0xF0);

    for (; count > 0; --count, blocks += block_bytes) {
        __m128i const abef_before = abef;
        __m128i const cdgh_before = cdgh;
        __m128i w[4];
        for (int group = 0; group < 16; ++group) {
            __m128i& now = w[group % 4];
            if (group < 4) {
                now = _mm_loadu_si128(reinterpret_cast<__m128i const*>(blocks) + group);
                now = _mm_shuffle_epi8(now, big_endian);
            } else {  // The schedule: sixteen words ago, fifteen, seven, two.
                __m128i const& last = w[(group + 3) % 4];
                __m128i const seven_ago = _mm_alignr_epi8(last, w[(group + 2) % 4], 4);
                now = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(group + 1) % 4]), seven_ago);
                now = _mm_sha256msg2_epu32(now, last);
            }
            __m128i const input = _mm_add_epi32(now, _mm_load_si128(constants + group));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, input);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(input, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    __m128i const feba = _mm_shuffle_epi32(abef, 0x1B);
    __m128i const dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128(to, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(to + 1, _mm_alignr_epi8(dchg, feba, 8));
}

bool has_sha_instructions() noexcept
{
    constexpr unsigned sha_bit = 1u << 29;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & sha_bit) == 0) return false;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSSE3) != 0 && (c & bit_SSE4_1) != 0;
}

#endif

}  // namespace

void compress_portable(state_type& state, unsigned char const* blocks, std::size_t count) noexcept
{
    for (; count > 0; --count, blocks += block_bytes) compress_block(state, blocks);
}

compress_function compress_accelerated() noexcept
{
#if defined(__x86_64__)
    static bool const usable = has_sha_instructions();
    return usable ? compress_sha_ni : nullptr;
#else
    return nullptr;
#endif
}

std::array<std::uint8_t, 32> sha256_with(compress_function compress, std::string_view content) noexcept
{
    auto const* data = reinterpret_cast<unsigned char const*>(content.data());
    auto const whole = content.size() / block_bytes;
    auto const rest = content.size() % block_bytes;
    auto state = initial_state;
    if (whole > 0) compress(state, data, whole);

    // The end: the rest, a one bit, zeros, and the length in bits as the last eight bytes of a block.
    std::array<unsigned char, 2 * block_bytes> tail{};
    if (rest > 0) std::memcpy(tail.data(), data + whole * block_bytes, rest);
    tail[rest] = 0x80;
    std::size_t const blocks = rest + 9 > block_bytes ? 2 : 1;
    store_big_endian(tail.data() + blocks * block_bytes - 8, std::uint64_t{content.size()} * 8);
    compress(state, tail.data(), blocks);

    std::array<std::uint8_t, 32> digest;
    for (std::size_t at = 0; at < state.size(); ++at) store_big_endian(digest.data() + 4 * at, state[at]);
    return digest;
}

}  // namespace sha256_detail

std::array<std::uint8_t, 32> sha256(std::string_view content) noexcept
{
    auto const accelerated = sha256_detail::compress_accelerated();
    return sha256_detail::sha256_with(accelerated ? accelerated : sha256_detail::compress_portable, content);
}

}  // namespace headwater
