// The canonical request, the string to sign, and the key that is derived once a day and region.
// Digest and MAC are fetched once and the keyed context is kept: OpenSSL's one-shot calls cost three times as much.
#include "adapters/credentials/sigv4.hpp"

#include "adapters/http/date.hpp"
#include "adapters/http/encoding.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

namespace headwater::credentials {

namespace {

constexpr std::string_view sigv4_algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view scope_end = "aws4_request";
constexpr std::string_view unsigned_payload = "UNSIGNED-PAYLOAD";
constexpr std::string_view empty_body_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct release {
    void operator()(EVP_MD* it) const noexcept { EVP_MD_free(it); }
    void operator()(EVP_MD_CTX* it) const noexcept { EVP_MD_CTX_free(it); }
    void operator()(EVP_MAC* it) const noexcept { EVP_MAC_free(it); }
    void operator()(EVP_MAC_CTX* it) const noexcept { EVP_MAC_CTX_free(it); }
};

template <class T>
using owned = std::unique_ptr<T, release>;

/// OpenSSL fails here only without memory or without its default provider.
void require(bool good)
{
    if (!good) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Proxies and transports may add or change these on the way.
bool is_signed(std::string_view lower_name) noexcept
{
    constexpr std::array<std::string_view, 4> hop{"accept-encoding", "connection", "expect", "user-agent"};
    return std::find(hop.begin(), hop.end(), lower_name) == hop.end();
}

/// Appends `text` without spaces at the ends, and with each run of spaces as one.
void append_value(std::string& out, std::string_view text)
{
    if (text.find(' ') == text.npos && text.find('\t') == text.npos) {
        out += text;
        return;
    }
    auto const begin = out.size();
    for (char const c : text) {
        if (c != ' ' && c != '\t') {
            out += c;
        } else if (out.size() > begin && out.back() != ' ') {
            out += ' ';
        }
    }
    if (out.size() > begin && out.back() == ' ') out.pop_back();
}

/// The parts one after the other, in one allocation: every request has a dozen such texts.
std::string joined(std::initializer_list<std::string_view> parts)
{
    std::size_t length = 0;
    for (auto const part : parts) length += part.size();
    std::string out;
    out.reserve(length);
    for (auto const part : parts) out += part;
    return out;
}

struct canonical_fields {
    std::string lines;  ///< `name:value\n` each, sorted.
    std::string names;  ///< `name;name`.
};

canonical_fields canonicalise(std::vector<http::field> const& fields, std::string_view authority)
{
    std::size_t names = 4, lines = authority.size() + 6;
    for (auto const& [name, value] : fields) {
        names += name.size() + 1;
        lines += name.size() + value.size() + 2;
    }
    std::string labels;
    labels.reserve(names);
    std::vector<std::pair<std::string_view, std::string_view>> sorted;
    sorted.reserve(fields.size() + 1);
    sorted.emplace_back("host", authority);
    for (auto const& [name, value] : fields) {
        auto const begin = static_cast<std::ptrdiff_t>(labels.size());
        labels += name;
        std::transform(labels.begin() + begin, labels.end(), labels.begin() + begin, lower);
        std::string_view const label(labels.begin() + begin, labels.end());
        if (is_signed(label)) sorted.emplace_back(label, value);
    }
    std::sort(sorted.begin(), sorted.end());
    canonical_fields out;
    out.lines.reserve(lines);
    out.names.reserve(names);
    for (auto const& [name, value] : sorted) {
        if (!out.names.empty()) out.names += ';';
        out.names += name;
        out.lines += name;
        out.lines += ':';
        append_value(out.lines, value);
        out.lines += '\n';
    }
    return out;
}

std::string canonical_request(std::string_view method, std::string_view target, canonical_fields const& fields,
                              std::string_view body_hash)
{
    auto const path = target.substr(0, target.find('?'));
    auto const query = path.size() < target.size() ? target.substr(path.size() + 1) : std::string_view();
    return joined({method, "\n", path, "\n", query, "\n", fields.lines, "\n", fields.names, "\n", body_hash});
}

}  // namespace

class sigv4_signer::hasher {
public:
    using sum = std::array<char, 32>;

    hasher()
        : digest_(EVP_MD_fetch(nullptr, "SHA256", nullptr)),
          digest_context_(EVP_MD_CTX_new()),
          mac_(EVP_MAC_fetch(nullptr, "HMAC", nullptr))
    {
        require(digest_ && digest_context_ && mac_);
        mac_context_.reset(EVP_MAC_CTX_new(mac_.get()));
        require(mac_context_ != nullptr);
    }

    std::string sha256(std::string_view text)
    {
        sum out;
        require(EVP_DigestInit_ex2(digest_context_.get(), digest_.get(), nullptr)
                && EVP_DigestUpdate(digest_context_.get(), text.data(), text.size())
                && EVP_DigestFinal_ex(digest_context_.get(), reinterpret_cast<unsigned char*>(out.data()), nullptr));
        return http::hex(view(out));
    }

    void set_key(std::string_view key)
    {
        char name[] = "SHA256";
        OSSL_PARAM const digest[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0), OSSL_PARAM_END};
        require(
            EVP_MAC_init(mac_context_.get(), reinterpret_cast<unsigned char const*>(key.data()), key.size(), digest));
    }

    /// The MAC of `text` under the key set last.
    sum mac(std::string_view text)
    {
        sum out;
        std::size_t length = 0;
        require(
            EVP_MAC_init(mac_context_.get(), nullptr, 0, nullptr)
            && EVP_MAC_update(mac_context_.get(), reinterpret_cast<unsigned char const*>(text.data()), text.size())
            && EVP_MAC_final(mac_context_.get(), reinterpret_cast<unsigned char*>(out.data()), &length, out.size()));
        return out;
    }

    static std::string_view view(sum const& bytes) noexcept { return {bytes.data(), bytes.size()}; }

private:
    owned<EVP_MD> digest_;
    owned<EVP_MD_CTX> digest_context_;
    owned<EVP_MAC> mac_;
    owned<EVP_MAC_CTX> mac_context_;
};

sigv4_signer::sigv4_signer(std::string region, std::string service)
    : region_(std::move(region)), service_(std::move(service)), hash_(std::make_unique<hasher>())
{
}

sigv4_signer::sigv4_signer(sigv4_signer&&) noexcept = default;
sigv4_signer& sigv4_signer::operator=(sigv4_signer&&) noexcept = default;
sigv4_signer::~sigv4_signer() = default;

void sigv4_signer::set_region(std::string region)
{
    region_ = std::move(region);
    day_.clear();
}

void sigv4_signer::derive_key(std::string_view day, std::string_view secret)
{
    if (day_ == day && secret_ == secret) return;
    hash_->set_key("AWS4" + std::string(secret));
    for (std::string_view const part : {day, std::string_view(region_), std::string_view(service_), scope_end}) {
        auto const next = hash_->mac(part);
        hash_->set_key(hasher::view(next));
    }
    day_ = day;
    secret_ = secret;
    scope_ = joined({day_, "/", region_, "/", service_, "/", scope_end});
}

std::string sigv4_signer::signature(std::string_view date, std::string_view canonical)
{
    auto const sum = hash_->mac(joined({sigv4_algorithm, "\n", date, "\n", scope_, "\n", hash_->sha256(canonical)}));
    return http::hex(hasher::view(sum));
}

http::request sigv4_signer::sign(http::request const& what, std::string_view authority, time_ms when, payload body,
                                 aws_credentials const& who)
{
    http::request out = what;
    out.fields.reserve(what.fields.size() + 4);
    std::string const date = http::format_basic_date(when);
    derive_key(std::string_view(date).substr(0, 8), who.secret_access_key);
    std::string const body_hash = body == payload::unsigned_body ? std::string(unsigned_payload)
                                  : what.body.empty()            ? std::string(empty_body_hash)
                                                                 : hash_->sha256(what.body.view());
    if (service_ == "s3") out.fields.emplace_back("x-amz-content-sha256", body_hash);
    out.fields.emplace_back("x-amz-date", date);
    if (!who.session_token.empty()) out.fields.emplace_back("x-amz-security-token", who.session_token);

    auto const fields = canonicalise(out.fields, authority);
    auto const canonical = canonical_request(out.method, out.target, fields, body_hash);
    out.fields.emplace_back("Authorization",
                            joined({sigv4_algorithm, " Credential=", who.access_key_id, "/", scope_,
                                    ", SignedHeaders=", fields.names, ", Signature=", signature(date, canonical)}));
    return out;
}

std::string sigv4_signer::presign(std::string_view method, std::string_view path, std::string_view authority,
                                  time_ms when, std::chrono::seconds valid, aws_credentials const& who)
{
    std::string const date = http::format_basic_date(when);
    derive_key(std::string_view(date).substr(0, 8), who.secret_access_key);
    std::string const name = who.access_key_id + '/' + scope_;
    std::string target(path);
    target += "?X-Amz-Algorithm=" + std::string(sigv4_algorithm);
    target += "&X-Amz-Credential=" + http::percent_encode(name);
    target += "&X-Amz-Date=" + date;
    target += "&X-Amz-Expires=" + std::to_string(valid.count());
    if (!who.session_token.empty()) target += "&X-Amz-Security-Token=" + http::percent_encode(who.session_token);
    target += "&X-Amz-SignedHeaders=host";

    auto const fields = canonicalise({}, authority);
    auto const canonical = canonical_request(method, target, fields, unsigned_payload);
    return target + "&X-Amz-Signature=" + signature(date, canonical);
}

}  // namespace headwater::credentials
