// URLs that read one blob for whoever has them: a service SAS for one blob, made with the account key.
// https://learn.microsoft.com/rest/api/storageservices/create-service-sas
#include "adapters/azure/azure_request.hpp"
#include "adapters/azure/shared_key.hpp"
#include "adapters/http/date.hpp"
#include "adapters/http/encoding.hpp"

#include <utility>

namespace headwater {

namespace {

/// The version whose string-to-sign is written here, whatever version requests are sent with.
constexpr std::string_view sas_version = "2021-12-02";

/// What a SAS says; the order is that of the string to sign.
std::string sas_text(std::string_view expires, std::string_view resource, std::string_view protocol)
{
    std::string out = "r\n\n";  // Permission to read, from now on.
    out.append(expires).append("\n").append(resource).append("\n\n\n").append(protocol).append("\n");
    out.append(sas_version).append("\nb\n\n\n\n\n\n\n");  // One blob: no snapshot, scope or overridden header fields.
    return out;
}

}  // namespace

result<std::string> presign_azure_get(azure_options const& options, azure_credentials const& credentials,
                                      object_key const& key, time_ms now, std::chrono::seconds valid)
{
    if (valid.count() < 1 || valid > longest_presigned) {
        return error(errc::invalid_argument, "a presigned URL is good for 1 second to 7 days");
    }
    if (credentials.account_key.empty()) {
        return error(errc::unsupported, "only the account key can sign a URL for one blob: set it, or hand out a SAS");
    }
    auto const at = azure::locate(options);
    if (!at) return at.error();
    auto const plain = azure::get_blob(*at, key, get_options());
    if (!plain) return plain.error();
    auto const signer = azure::shared_key::make(credentials.account_key);
    if (!signer) return signer.error();

    auto const expires = http::format_iso_date(now + valid);
    std::string const protocol = at->where.tls ? "https" : "https,http";
    auto const resource = "/blob/" + at->account + '/' + options.container + '/' + at->prefix + key.text();
    auto const signature = signer->sign(sas_text(expires, resource, protocol));
    return (at->where.tls ? "https://" : "http://") + at->where.authority + plain->target
           + "?sv=" + std::string(sas_version) + "&sr=b&sp=r&se=" + http::percent_encode(expires)
           + "&spr=" + http::percent_encode(protocol) + "&sig=" + http::percent_encode(signature);
}

}  // namespace headwater
