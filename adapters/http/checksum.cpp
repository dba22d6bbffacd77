// Digests by OpenSSL; the reflected CRCs by a table each.
#include "adapters/http/checksum.hpp"

#include "adapters/http/encoding.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace headwater::http {

namespace {

// https://reveng.sourceforge.io/crc-catalogue/all.htm, polynomials with their bits reversed.
constexpr std::uint32_t crc32_polynomial = 0xEDB88320;
constexpr std::uint32_t crc32c_polynomial = 0x82F63B78;
constexpr std::uint64_t crc64_polynomial = 0x9A6C9329AC4BC9B5;

template <class Word>
constexpr std::array<Word, 256> crc_table(Word polynomial)
{
    std::array<Word, 256> out{};
    for (std::size_t at = 0; at < out.size(); ++at) {
        auto word = static_cast<Word>(at);
        for (int bit = 0; bit < 8; ++bit) word = (word >> 1) ^ ((word & 1) != 0 ? polynomial : 0);
        out[at] = word;
    }
    return out;
}

template <auto polynomial>
auto crc_of(std::string_view bytes) noexcept
{
    static constexpr auto table = crc_table(polynomial);
    auto word = ~decltype(polynomial)(0);
    for (char const each : bytes) word = (word >> 8) ^ table[(word ^ static_cast<unsigned char>(each)) & 0xFF];
    return ~word;
}

template <class Word>
std::string low_first(Word word)
{
    std::string out;
    for (std::size_t at = 0; at < sizeof word; ++at) out += static_cast<char>((word >> (8 * at)) & 0xFF);
    return out;
}

template <class Word>
std::string high_first(Word word)
{
    auto out = low_first(word);
    std::ranges::reverse(out);
    return out;
}

std::string evp_sum(EVP_MD const* which, std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, which, nullptr) != 1) return {};
    return {reinterpret_cast<char const*>(digest.data()), length};
}

std::string raw_sum(sum which, std::string_view bytes)
{
    switch (which) {
    case sum::md5: return evp_sum(EVP_md5(), bytes);
    case sum::sha1: return evp_sum(EVP_sha1(), bytes);
    case sum::sha256: return evp_sum(EVP_sha256(), bytes);
    case sum::crc32: return high_first(crc_of<crc32_polynomial>(bytes));
    case sum::crc32c: return high_first(crc_of<crc32c_polynomial>(bytes));
    case sum::crc64: return high_first(crc_of<crc64_polynomial>(bytes));
    }
    return {};
}

}  // namespace

std::string sum_base64(sum which, std::string_view bytes) { return base64(raw_sum(which, bytes)); }

std::string crc64_low_first(std::string_view bytes) { return base64(low_first(crc_of<crc64_polynomial>(bytes))); }

}  // namespace headwater::http
