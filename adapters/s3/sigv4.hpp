// AWS Signature Version 4 as S3 wants it. Stands between the request builders and the transport. Pure, but for its
// cached key. The target is signed as it stands, so the bytes on the wire are the bytes signed: builders encode once.
#pragma once

#include "adapters/http/message.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/clock.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace headwater::s3 {

/// Whether a signature covers the body.
enum class payload {
    hashed,         ///< `x-amz-content-sha256` is the body's SHA-256.
    unsigned_body,  ///< `UNSIGNED-PAYLOAD`, for TLS alone.
};

/// Signs requests of one access key. Threads: one at a time.
class signer {
public:
    signer(aws_credentials credentials, std::string region);
    ~signer();

    /// A copy of `what` with `x-amz-date`, `x-amz-content-sha256`, `x-amz-security-token` and `Authorization`.
    /// `authority` is the `Host` field that the transport will send. The query of `what` must be in canonical order.
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    http::request sign(http::request const& what, std::string_view authority, time_ms when, payload body);

    std::string const& region() const noexcept { return region_; }
    void set_region(std::string region);

private:
    class hasher;

    void derive_key(std::string_view day);

    aws_credentials credentials_;
    std::string region_;
    std::string day_;  ///< Of the derived key; empty: none is derived.
    std::unique_ptr<hasher> hash_;
};

}  // namespace headwater::s3
