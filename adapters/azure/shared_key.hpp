// Azure's SharedKey: the text that is signed, and the signature over it. Pure but for OpenSSL's state.
// Stands between azure_request, which builds what is signed here, and the transport, which sends it as it stands.
#pragma once

#include "adapters/http/message.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/clock.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace headwater::azure {

/// The text to sign for a request of `account`; its path and its query are taken as they go on the wire, the names of
/// its fields are in lower case.
/// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
std::string string_to_sign(http::request const& what, std::string_view account);

/// An account's key in a keyed MAC context, which is set up once: a signature then costs under a microsecond.
/// Threads: one at a time.
class shared_key {
public:
    /// `configuration` if the key is not base64; the message does not repeat it.
    static result<shared_key> make(std::string_view base64_key);

    /// HMAC-SHA256 of `text`, in base64.
    std::string sign(std::string_view text) const;

private:
    struct mac;
    explicit shared_key(std::shared_ptr<mac> keyed) : keyed_(std::move(keyed)) {}
    std::shared_ptr<mac> keyed_;
};

/// A token of Microsoft Entra, as its field has it.
struct bearer {
    std::string field{};
};

/// What lets requests in: a SharedKey, a SAS token in the query, or a bearer token. Threads: one at a time.
class authority {
public:
    /// `configuration` unless exactly one member of `given` is set and well-formed.
    static result<authority> make(std::string account, azure_credentials const& given);

    /// `plain`, ready to send at `now`. Each attempt asks afresh.
    http::request authorize(http::request const& plain, time_ms now);
    /// Whether the time matters: tokens have their own.
    bool signs_time() const noexcept { return std::holds_alternative<shared_key>(secret_); }

private:
    authority(std::string account, std::variant<shared_key, std::string, bearer> secret)
        : account_(std::move(account)), secret_(std::move(secret))
    {
    }

    std::string const& date_of(time_ms now);

    std::string account_;
    std::variant<shared_key, std::string, bearer> secret_;
    std::chrono::sys_seconds second_{};  ///< Of `date_`, which is spelled once a second.
    std::string date_;
};

}  // namespace headwater::azure
