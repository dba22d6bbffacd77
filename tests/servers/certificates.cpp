// X.509 by OpenSSL: one P-256 root that signs one-day certificates.
#include "tests/servers/certificates.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace headwater::test {

namespace {

template <class T, void (*Free)(T*)>
struct freed_by {
    void operator()(T* what) const noexcept { Free(what); }
};
using owned_key = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY, EVP_PKEY_free>>;
using owned_certificate = std::unique_ptr<X509, freed_by<X509, X509_free>>;
using owned_bio = std::unique_ptr<BIO, freed_by<BIO, BIO_free_all>>;

void require(bool good, char const* what)
{
    if (!good) throw std::runtime_error(std::string("OpenSSL cannot ") + what);
}

owned_key make_key()
{
    owned_key key(EVP_EC_gen("P-256"));
    require(key != nullptr, "make a key");
    return key;
}

void extend(X509* to, X509* issuer, int kind, std::string const& value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
    auto* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    require(extension != nullptr, "make an extension");
    X509_add_ext(to, extension, -1);
    X509_EXTENSION_free(extension);
}

// Names a subject, sets a day's life; not yet signed.
owned_certificate make_certificate(EVP_PKEY* key, char const* subject, long serial)
{
    constexpr long day = 24L * 60 * 60;
    owned_certificate made(X509_new());
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -day);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), day);
    X509_set_pubkey(made.get(), key);
    auto const* const text = reinterpret_cast<unsigned char const*>(subject);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC, text, -1, -1, 0);
    return made;
}

template <class Write>
std::string to_pem(Write write)
{
    owned_bio const memory(BIO_new(BIO_s_mem()));
    require(write(memory.get()) == 1, "write PEM");
    char* data = nullptr;
    long const size = BIO_get_mem_data(memory.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

std::string to_pem(X509* certificate)
{
    return to_pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

}  // namespace

class certificate_authority::impl {
public:
    explicit impl(std::string const& name) : root(make_certificate(key.get(), name.c_str(), 1)) {}

    owned_key key = make_key();
    owned_certificate root;
    mutable long next_serial = 2;
};

certificate_authority::certificate_authority(std::string const& name) : impl_(std::make_unique<impl>(name))
{
    auto* const root = impl_->root.get();
    X509_set_issuer_name(root, X509_get_subject_name(root));
    extend(root, root, NID_basic_constraints, "critical,CA:TRUE");
    extend(root, root, NID_key_usage, "critical,keyCertSign");
    require(X509_sign(root, impl_->key.get(), EVP_sha256()) != 0, "sign");
}

certificate_authority::~certificate_authority() = default;

std::string certificate_authority::root() const { return to_pem(impl_->root.get()); }

server_identity certificate_authority::issue(std::string const& names) const
{
    auto const key = make_key();
    auto const made = make_certificate(key.get(), "test server", impl_->next_serial++);
    X509_set_issuer_name(made.get(), X509_get_subject_name(impl_->root.get()));
    extend(made.get(), impl_->root.get(), NID_subject_alt_name, names);
    require(X509_sign(made.get(), impl_->key.get(), EVP_sha256()) != 0, "sign");
    return {to_pem(made.get()), to_pem([&](BIO* out) {
                return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
            })};
}

}  // namespace headwater::test
