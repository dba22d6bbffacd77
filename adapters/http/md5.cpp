// MD5 by OpenSSL.
#include "adapters/http/md5.hpp"

#include "adapters/http/encoding.hpp"

#include <openssl/evp.h>

#include <array>

namespace headwater::http {

std::string md5_base64(std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_md5(), nullptr) != 1) return {};
    return base64({reinterpret_cast<char const*>(digest.data()), length});
}

}  // namespace headwater::http
