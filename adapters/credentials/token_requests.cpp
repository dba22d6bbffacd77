// Forms, JSON and XML of the services that hand out credentials.
#include "adapters/credentials/token_requests.hpp"

#include "adapters/credentials/settings.hpp"
#include "adapters/http/date.hpp"
#include "adapters/http/encoding.hpp"
#include "adapters/xml/xml.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

namespace headwater::credentials {

namespace {

constexpr std::string_view storage_scope = "https://storage.azure.com/.default";
constexpr std::string_view storage_resource = "https://storage.azure.com/";
constexpr std::string_view ec2_role_path = "/latest/meta-data/iam/security-credentials/";
constexpr std::size_t longest_code = 64;

using form_field = std::pair<std::string_view, std::string_view>;

/// Fields without a value are left out.
std::string form_text(std::initializer_list<form_field> fields)
{
    std::string out;
    for (auto const& [name, value] : fields) {
        if (value.empty()) continue;
        if (!out.empty()) out += '&';
        out += name;
        out += '=';
        out += http::percent_encode(value);
    }
    return out;
}

http::request token_request(char const* method, std::string target)
{
    http::request out;
    out.method = method;
    out.target = std::move(target);
    out.max_body = max_token_answer;
    return out;
}

http::request form_request(std::string target, std::string form)
{
    auto out = token_request("POST", std::move(target));
    out.fields.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    out.body = bytes(std::move(form));
    return out;
}

/// Of a service whose address has no path of its own.
std::string root_of(std::string_view base_path) { return base_path.empty() ? "/" : std::string(base_path); }

// --- answers ---------------------------------------------------------------------------------------------------------

/// The members of a JSON object that are texts, numbers or truths, as text.
using json_texts = std::map<std::string, std::string, std::less<>>;

std::optional<json_texts> read_json(std::string_view text)
{
    auto const read = nlohmann::json::parse(text, nullptr, false);
    if (!read.is_object()) return std::nullopt;
    json_texts out;
    for (auto const& [name, value] : read.items()) {
        if (value.is_string()) out.emplace(name, value.get<std::string>());
        if (value.is_number()) out.emplace(name, value.dump());
    }
    return out;
}

std::string json_text(json_texts const& in, std::initializer_list<std::string_view> names)
{
    for (auto const name : names) {
        if (auto const found = in.find(name); found != in.end()) return found->second;
    }
    return {};
}

/// A service's code is a short word; anything else might be part of a secret.
std::string code_text(std::string_view text)
{
    text = text.substr(0, std::min(text.find(':'), text.size()));
    bool const word =
        text.size() <= longest_code && std::ranges::all_of(text, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
        });
    return word ? std::string(text) : std::string();
}

std::string code_of(std::string_view body)
{
    if (auto const json = read_json(body)) {
        auto const code = code_text(json_text(*json, {"error", "code", "Code"}));
        auto const more = code_text(json_text(*json, {"error_description"}));  // AADSTS7000215: …
        return more.empty() ? code : code + ' ' + more;
    }
    auto const document = xml::parse(body);
    if (!document) return {};
    auto const* const found = document->name == "Error" ? &*document : document->child("Error");
    return found ? code_text(found->text_of("Code")) : std::string();
}

error refusal_of(http::response const& answer, std::string_view from)
{
    diagnostics why("no credentials from " + std::string(from) + ": it answered " + std::to_string(answer.status));
    why.status = answer.status;
    why.service_code = code_of(answer.body);
    // STS says these with a 400.
    constexpr std::array<std::string_view, 4> passing{"Throttling", "ThrottlingException", "RequestLimitExceeded",
                                                      "IDPCommunicationError"};
    bool const passes = answer.status >= 500 || answer.status == 429 || answer.status == 408
                        || std::ranges::find(passing, why.service_code) != passing.end();
    return {passes ? errc::unavailable : errc::access_denied, std::move(why)};
}

error no_credentials_in(std::string_view from)
{
    return {errc::protocol, "what " + std::string(from) + " answered has no usable credentials in it"};
}

result<leased<aws_credentials>> checked_keys(aws_credentials keys, std::string_view ends, std::string_view from)
{
    bool const good = is_visible_ascii(keys.access_key_id) && is_visible_ascii(keys.secret_access_key)
                      && (keys.session_token.empty() || is_visible_ascii(keys.session_token));
    auto const until = http::parse_iso_date(ends);
    if (!good || (!ends.empty() && !until)) return no_credentials_in(from);
    return leased<aws_credentials>(std::move(keys), until);
}

result<leased<aws_credentials>> read_key_document(std::string_view body, std::string_view from)
{
    auto const json = read_json(body);
    if (!json) return no_credentials_in(from);
    aws_credentials keys{json_text(*json, {"AccessKeyId"}), json_text(*json, {"SecretAccessKey"}),
                         json_text(*json, {"Token", "SessionToken"})};
    return checked_keys(std::move(keys), json_text(*json, {"Expiration"}), from);
}

std::optional<std::chrono::seconds> parse_seconds(std::string_view text)
{
    constexpr std::int64_t most = 1ll << 40;
    std::int64_t value = 0;
    auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc() || end != text.data() + text.size() || value < 0 || value > most) return std::nullopt;
    return std::chrono::seconds(value);
}

}  // namespace

http::request assume_role(std::string_view base_path, role const& what)
{
    return form_request(root_of(base_path), form_text({{"Action", "AssumeRole"},
                                                       {"Version", "2011-06-15"},
                                                       {"RoleArn", what.arn},
                                                       {"RoleSessionName", what.session},
                                                       {"ExternalId", what.external_id},
                                                       {"DurationSeconds", what.duration}}));
}

http::request assume_role_with(std::string_view base_path, std::string_view web_identity, role const& what)
{
    return form_request(root_of(base_path), form_text({{"Action", "AssumeRoleWithWebIdentity"},
                                                       {"Version", "2011-06-15"},
                                                       {"RoleArn", what.arn},
                                                       {"RoleSessionName", what.session},
                                                       {"WebIdentityToken", web_identity},
                                                       {"DurationSeconds", what.duration}}));
}

http::request ec2_session()
{
    auto out = token_request("PUT", "/latest/api/token");
    out.fields.emplace_back("X-aws-ec2-metadata-token-ttl-seconds", "21600");
    return out;
}

http::request ec2_role_name(std::string const& session) { return ec2_role(session, ""); }

http::request ec2_role(std::string const& session, std::string_view name)
{
    auto out = token_request("GET", std::string(ec2_role_path) + http::percent_encode(name));
    out.fields.emplace_back("X-aws-ec2-metadata-token", session);
    return out;
}

http::request container_role(std::string target, std::string const& authorization)
{
    auto out = token_request("GET", std::move(target));
    if (!authorization.empty()) out.fields.emplace_back("Authorization", authorization);
    return out;
}

http::request entra_token(std::string_view base_path, std::string_view tenant, std::string_view client,
                          std::string_view secret, std::string_view assertion)
{
    std::string_view const kind = assertion.empty() ? "" : "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    auto target = std::string(base_path) + '/' + http::percent_encode(tenant) + "/oauth2/v2.0/token";
    return form_request(std::move(target), form_text({{"grant_type", "client_credentials"},
                                                      {"client_id", client},
                                                      {"scope", storage_scope},
                                                      {"client_secret", secret},
                                                      {"client_assertion_type", kind},
                                                      {"client_assertion", assertion}}));
}

http::request vm_identity(std::string_view client)
{
    auto const query =
        form_text({{"api-version", "2018-02-01"}, {"resource", storage_resource}, {"client_id", client}});
    auto out = token_request("GET", "/metadata/identity/oauth2/token?" + query);
    out.fields.emplace_back("Metadata", "true");
    return out;
}

http::request app_service_identity(std::string_view path, std::string_view client, std::string const& header)
{
    auto const query =
        form_text({{"api-version", "2019-08-01"}, {"resource", storage_resource}, {"client_id", client}});
    auto out = token_request("GET", std::string(path) + '?' + query);
    out.fields.emplace_back("X-IDENTITY-HEADER", header);
    return out;
}

result<leased<aws_credentials>> read_sts(http::response const& answer, std::string_view from)
{
    if (answer.status != 200) return refusal_of(answer, from);
    auto const document = xml::parse(answer.body);
    if (!document || document->children.empty()) return no_credentials_in(from);
    auto const* keys = document->children.front().child("Credentials");
    for (auto const& each : document->children) {
        if (auto const* const found = each.child("Credentials")) keys = found;
    }
    if (!keys) return no_credentials_in(from);
    aws_credentials found{std::string(keys->text_of("AccessKeyId")), std::string(keys->text_of("SecretAccessKey")),
                          std::string(keys->text_of("SessionToken"))};
    return checked_keys(std::move(found), keys->text_of("Expiration"), from);
}

result<std::string> read_text(http::response const& answer, std::string_view from)
{
    if (answer.status != 200) return refusal_of(answer, from);
    std::string_view text = answer.body;
    text = text.substr(0, text.find_first_of("\r\n"));
    if (!is_visible_ascii(text)) return no_credentials_in(from);
    return std::string(text);
}

result<leased<aws_credentials>> read_role(http::response const& answer, std::string_view from)
{
    if (answer.status != 200) return refusal_of(answer, from);
    return read_key_document(answer.body, from);
}

result<leased<aws_credentials>> read_process(std::string_view printed)
{
    return read_key_document(printed, "the profile's credential_process");
}

result<leased<azure_credentials>> read_token(http::response const& answer, std::string_view from, time_ms now)
{
    if (answer.status != 200) return refusal_of(answer, from);
    auto const json = read_json(answer.body);
    if (!json) return no_credentials_in(from);
    azure_credentials found;
    found.bearer_token = json_text(*json, {"access_token"});
    auto const length = parse_seconds(json_text(*json, {"expires_in"}));
    auto const end = parse_seconds(json_text(*json, {"expires_on"}));
    if (!is_visible_ascii(found.bearer_token) || (!length && !end)) return no_credentials_in(from);
    return leased<azure_credentials>(std::move(found), length ? now + *length : time_ms(*end));
}

}  // namespace headwater::credentials
