// SharedKey, step by step as Microsoft describes it.
#include "adapters/azure/shared_key.hpp"

#include "adapters/http/date.hpp"
#include "adapters/http/encoding.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

namespace headwater::azure {

namespace {

constexpr std::size_t mac_bytes = 32;

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

std::string_view value_of(http::request const& what, std::string_view name)
{
    for (auto const& [label, value] : what.fields) {
        if (label == name) return value;
    }
    return {};
}

void append_standard(std::string& out, http::request const& what)
{
    static constexpr std::array<std::string_view, 11> names = {
        "content-encoding",  "content-language", "content-length", "content-md5",         "content-type", "date",
        "if-modified-since", "if-match",         "if-none-match",  "if-unmodified-since", "range"};
    out += what.method;
    out += '\n';
    for (auto const name : names) {
        // The transport adds the length, which is signed as nothing when it is zero (since version 2015-02-21).
        if (name == "content-length") {
            if (!what.body.empty()) out += std::to_string(what.body.size());
        } else {
            out += value_of(what, name);
        }
        out += '\n';
    }
}

void append_vendor(std::string& out, http::request const& what)
{
    std::vector<http::field const*> vendor;
    vendor.reserve(what.fields.size());
    for (auto const& field : what.fields) {
        if (field.first.starts_with("x-ms-")) vendor.push_back(&field);
    }
    std::ranges::sort(vendor, {}, [](http::field const* field) -> std::string_view { return field->first; });
    for (auto const* const field : vendor) {
        out += field->first;
        out += ':';
        out += field->second;
        out += '\n';
    }
}

// Parameters in the order of their names; equal names in the order of their values.
using pairs = std::vector<std::pair<std::string, std::string>>;

pairs query_of(std::string_view query)
{
    pairs out;
    while (!query.empty()) {
        auto const part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        auto const equals = part.find('=');
        auto const value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
        // Our own encoding decodes; what would not goes in as it is, and the service says no.
        out.emplace_back(lower(http::percent_decode(part.substr(0, equals)).value_or(std::string(part))),
                         http::percent_decode(value).value_or(std::string(value)));
    }
    std::ranges::sort(out);
    return out;
}

void append_resource(std::string& out, std::string_view target, std::string_view account)
{
    auto const mark = target.find('?');
    out += '/';
    out += account;
    out += target.substr(0, mark);
    if (mark == target.npos) return;
    std::string_view previous;
    auto const query = query_of(target.substr(mark + 1));
    for (auto const& [name, value] : query) {
        out += name == previous ? "," : "\n" + name + ":";
        out += value;
        previous = name;
    }
}

std::optional<std::string> decode_base64(std::string_view text)
{
    if (text.empty() || text.size() % 4 != 0) return {};
    auto const padding = text.size() - std::min(text.find_last_not_of('='), text.size() - 1) - 1;
    auto const digits = text.substr(0, text.size() - padding);
    bool const clean = std::ranges::all_of(digits, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    });
    if (!clean || padding > 2) return {};
    std::string out(text.size() / 4 * 3, '\0');
    auto* const to = reinterpret_cast<unsigned char*>(out.data());
    auto const* const from = reinterpret_cast<unsigned char const*>(text.data());
    if (EVP_DecodeBlock(to, from, static_cast<int>(text.size())) < 0) return {};
    out.resize(out.size() - padding);
    return out;
}

error unusable(std::string detail) { return {errc::configuration, std::move(detail)}; }

// The token as it goes into the query; nothing if it is none.
std::optional<std::string> sas_query(std::string_view token)
{
    if (token.starts_with('?')) token.remove_prefix(1);
    bool const is_query = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
    bool const is_signed = token.starts_with("sig=") || token.find("&sig=") != token.npos;
    if (!is_query || !is_signed) return {};
    return std::string(token);
}

}  // namespace

std::string string_to_sign(http::request const& what, std::string_view account)
{
    std::string out;
    out.reserve(256 + what.target.size());
    append_standard(out, what);
    append_vendor(out, what);
    append_resource(out, what.target, account);
    return out;
}

struct shared_key::mac {
    mac() : context(EVP_MAC_CTX_new(algorithm)) {}
    mac(mac const&) = delete;
    mac& operator=(mac const&) = delete;
    ~mac()
    {
        EVP_MAC_CTX_free(context);
        EVP_MAC_free(algorithm);
    }

    EVP_MAC* algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    EVP_MAC_CTX* context;
};

result<shared_key> shared_key::make(std::string_view base64_key)
{
    auto const key = decode_base64(base64_key);
    if (!key) return unusable("the account key is not base64");
    auto keyed = std::make_shared<mac>();
    auto digest = std::to_array("SHA256");
    std::array const parameters = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
                                   OSSL_PARAM_construct_end()};
    auto const* const bytes = reinterpret_cast<unsigned char const*>(key->data());
    if (!keyed->context || EVP_MAC_init(keyed->context, bytes, key->size(), parameters.data()) != 1) {
        return unusable("the crypto library has no HMAC-SHA256");
    }
    return shared_key(std::move(keyed));
}

std::string shared_key::sign(std::string_view text) const
{
    std::array<unsigned char, mac_bytes> out{};
    std::size_t length = 0;
    auto* const context = keyed_->context;
    // Without a key it begins again with the one it has.
    bool const done = EVP_MAC_init(context, nullptr, 0, nullptr) == 1
                      && EVP_MAC_update(context, reinterpret_cast<unsigned char const*>(text.data()), text.size()) == 1
                      && EVP_MAC_final(context, out.data(), &length, out.size()) == 1;
    assert(done && length == out.size());
    return http::base64({reinterpret_cast<char const*>(out.data()), done ? out.size() : 0});
}

result<authority> authority::make(std::string account, azure_credentials const& given)
{
    auto const set = int(!given.account_key.empty()) + int(!given.sas_token.empty()) + int(!given.bearer_token.empty());
    if (set != 1) return unusable("exactly one of the account key, the SAS token and the bearer token must be set");
    if (!given.bearer_token.empty()) {
        auto const& token = given.bearer_token;
        if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; })) {
            return unusable("the bearer token has a character that none has");
        }
        return authority(std::move(account), bearer{"Bearer " + token});
    }
    if (!given.sas_token.empty()) {
        auto query = sas_query(given.sas_token);
        if (!query) return unusable("the SAS token is no query with a sig parameter");
        return authority(std::move(account), std::move(*query));
    }
    auto key = shared_key::make(given.account_key);
    if (!key) return key.error();
    return authority(std::move(account), std::move(*key));
}

std::string const& authority::date_of(time_ms now)
{
    auto const second = std::chrono::floor<std::chrono::seconds>(now);
    if (date_.empty() || second != second_) date_ = http::format_http_date(now);
    second_ = second;
    return date_;
}

http::request authority::authorize(http::request const& plain, time_ms now)
{
    auto out = plain;
    if (auto const* query = std::get_if<std::string>(&secret_)) {
        out.target += (out.target.find('?') == std::string::npos ? "?" : "&") + *query;
        return out;
    }
    if (auto const* const token = std::get_if<bearer>(&secret_)) {
        out.fields.emplace_back("authorization", token->field);
        return out;
    }
    out.fields.reserve(out.fields.size() + 2);
    out.fields.emplace_back("x-ms-date", date_of(now));
    auto const signature = std::get<shared_key>(secret_).sign(string_to_sign(out, account_));
    out.fields.emplace_back("authorization", "SharedKey " + account_ + ":" + signature);
    return out;
}

}  // namespace headwater::azure
