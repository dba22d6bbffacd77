// AWS Signature Version 4. Stands between the request builders and the transport. Pure, but for its cached key.
// The target is signed as it stands, so the bytes on the wire are the bytes signed: builders encode once.
#pragma once

#include "adapters/http/message.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/clock.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace headwater::credentials {

/// Whether a signature covers the body.
enum class payload {
    hashed,         ///< The body's SHA-256.
    unsigned_body,  ///< `UNSIGNED-PAYLOAD`, for TLS alone.
};

/// A signature's time that is further off than this may be why it was refused; AWS itself accepts 5 to 15 minutes.
inline constexpr std::chrono::minutes clock_tolerance{4};

/// Whether a request signed at `signed_at`, whose refusal is dated `answered`, may have been refused for its time.
inline bool is_skewed(time_ms signed_at, time_ms answered) noexcept
{
    return std::chrono::abs(answered - signed_at) > clock_tolerance;
}

/// Signs requests to one service in one region. Threads: one at a time.
class sigv4_signer {
public:
    explicit sigv4_signer(std::string region, std::string service = "s3");
    sigv4_signer(sigv4_signer&&) noexcept;
    sigv4_signer& operator=(sigv4_signer&&) noexcept;
    ~sigv4_signer();

    /// A copy of `what` with `x-amz-date`, `Authorization`, for S3 `x-amz-content-sha256`, and for temporary
    /// credentials `x-amz-security-token`. `authority` is the `Host` field that the transport will send. The query of
    /// `what` must be in canonical order.
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    http::request sign(http::request const& what, std::string_view authority, time_ms when, payload body,
                       aws_credentials const& who);

    /// `path` with a query that lets whoever sends it with `method` in, until `valid` after `when`. `path` is encoded
    /// and has no query of its own.
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    std::string presign(std::string_view method, std::string_view path, std::string_view authority, time_ms when,
                        std::chrono::seconds valid, aws_credentials const& who);

    std::string const& region() const noexcept { return region_; }
    void set_region(std::string region);

private:
    class hasher;

    void derive_key(std::string_view day, std::string_view secret);
    /// Under the key derived last.
    std::string signature(std::string_view date, std::string_view canonical);

    std::string region_;
    std::string service_;
    std::string day_;  ///< Of the derived key; empty: none is derived.
    std::string secret_;
    std::string scope_;  ///< `day/region/service/aws4_request`, of the derived key.
    std::unique_ptr<hasher> hash_;
};

}  // namespace headwater::credentials
