// Makes SAS tokens, as an owner of the account key would hand them out. For tests of clients that hold only a token.
// https://learn.microsoft.com/rest/api/storageservices/create-account-sas and create-service-sas
#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace headwater::test {

/// Makes tokens for one account; each ends at `expires`, `2026-11-30T00:00:00Z`.
class sas_maker {
public:
    sas_maker(std::string account, std::string_view base64_key, std::string expires)
        : account_(std::move(account)), key_(decode(base64_key)), expires_(std::move(expires))
    {
    }

    /// For all containers, with `permissions` such as `rwdlc`.
    std::string for_account(std::string const& permissions) const
    {
        auto const text =
            lines({account_, permissions, "b", "sco", "", expires_, "", "https,http", version, ""}) + "\n";
        return query({{"ss", "b"}, {"srt", "sco"}}, permissions, text);
    }

    /// For one container.
    std::string for_container(std::string const& container, std::string const& permissions) const
    {
        auto const text = lines({permissions, "", expires_, "/blob/" + account_ + "/" + container, "", "", "https,http",
                                 version, "c", "", "", "", "", "", "", ""});
        return query({{"sr", "c"}}, permissions, text);
    }

private:
    using parameter = std::pair<std::string, std::string>;
    static constexpr auto version = "2021-12-02";

    static std::string lines(std::initializer_list<std::string> parts)
    {
        std::string out;
        for (auto const& part : parts) out += part + "\n";
        out.pop_back();
        return out;
    }

    static std::string decode(std::string_view base64)
    {
        std::string out(base64.size() / 4 * 3, '\0');
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<unsigned char const*>(base64.data()), static_cast<int>(base64.size()));
        for (auto rest = base64; rest.ends_with('='); rest.remove_suffix(1)) out.pop_back();
        return out;
    }

    // HMAC-SHA256 in base64, percent-encoded.
    std::string sign(std::string const& text) const
    {
        unsigned char mac[32];
        unsigned length = 0;
        HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
             reinterpret_cast<unsigned char const*>(text.data()), text.size(), mac, &length);
        unsigned char base64[64];
        EVP_EncodeBlock(base64, mac, static_cast<int>(length));
        return escape(reinterpret_cast<char const*>(base64));
    }

    static std::string escape(std::string_view text)
    {
        std::string out;
        for (char const c : text) {
            switch (c) {
            case '+': out += "%2B"; break;
            case '/': out += "%2F"; break;
            case '=': out += "%3D"; break;
            case ':': out += "%3A"; break;
            case ',': out += "%2C"; break;
            default: out += c;
            }
        }
        return out;
    }

    std::string query(std::initializer_list<parameter> scope, std::string const& permissions,
                      std::string const& text) const
    {
        std::string out = "sv=" + std::string(version);
        for (auto const& [name, value] : scope) out += "&" + name + "=" + value;
        out += "&sp=" + permissions + "&se=" + escape(expires_) + "&spr=" + escape("https,http");
        return out + "&sig=" + sign(text);
    }

    std::string account_;
    std::string key_;
    std::string expires_;
};

}  // namespace headwater::test
