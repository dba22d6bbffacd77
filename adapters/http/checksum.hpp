// Checksums as S3 and Azure spell them in header fields: they tell damage on the way and protect from nobody. Pure.
#pragma once

#include <string>
#include <string_view>

namespace headwater::http {

enum class sum { md5, sha1, sha256, crc32, crc32c, crc64 };  ///< `crc64` is CRC-64/NVME, which both services have.

/// The sum in base64, a CRC in network order; empty where the crypto library forbids it (MD5 under FIPS).
std::string sum_base64(sum which, std::string_view bytes);

/// The CRC-64 in base64 as Azure orders its bytes: the lowest first.
std::string crc64_low_first(std::string_view bytes);

inline std::string md5_base64(std::string_view bytes) { return sum_base64(sum::md5, bytes); }

}  // namespace headwater::http
