// MD5, which S3 and Azure use to tell damage on the way; it protects from nobody. Pure.
#pragma once

#include <string>
#include <string_view>

namespace headwater::http {

/// The sum in base64, as `Content-MD5` has it; empty where the crypto library forbids MD5 (FIPS).
std::string md5_base64(std::string_view bytes);

}  // namespace headwater::http
