// URLs that read one object for whoever has them: the signature is in the query.
#include "adapters/credentials/sigv4.hpp"
#include "adapters/s3/s3_address.hpp"
#include "adapters/s3/s3_request.hpp"

#include <utility>

namespace headwater {

result<std::string> presign_s3_get(s3_options const& options, aws_credentials const& credentials, object_key const& key,
                                   time_ms now, std::chrono::seconds valid)
{
    if (valid.count() < 1 || valid > longest_presigned) {
        return error(errc::invalid_argument, "a presigned URL is good for 1 second to 7 days");
    }
    auto const at = s3::address_of(options);
    if (!at) return at.error();
    s3::location const where(at->base, options.prefix);
    if (auto const bad = s3::check_key(where, key.text())) return *bad;
    credentials::sigv4_signer signer(options.region);
    return (at->where.tls ? "https://" : "http://") + at->where.authority
           + signer.presign("GET", where.path(key.text()), at->where.authority, now, valid, credentials);
}

}  // namespace headwater
