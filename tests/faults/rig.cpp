// Makes the server, the certificate and the store.
#include "tests/faults/rig.hpp"

#include "tests/servers/certificates.hpp"

#include <headwater/adapters/azure.hpp>
#ifdef HEADWATER_TEST_CURL
#include <headwater/adapters/curl.hpp>
#endif
#include <headwater/adapters/s3.hpp>
#include <headwater/stores.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace headwater::faults {

namespace {

using namespace std::chrono_literals;

// One authority and one certificate for the whole program: making keys takes longer than most tests.
struct identities {
    identities()
    {
        test::certificate_authority const authority;
        server = authority.issue("DNS:localhost,IP:127.0.0.1");
        std::ofstream(roots) << authority.root();
    }

    ~identities() { std::filesystem::remove(roots); }

    std::string roots = testing::TempDir() + "headwater_fault_roots_" + std::to_string(::getpid()) + ".pem";
    test::server_identity server;
};

identities const& the_identities()
{
    static identities const made;
    return made;
}

std::unique_ptr<object_store> value_of(result<std::unique_ptr<object_store>> made)
{
    if (!made) throw std::runtime_error(made.error().message());
    return std::move(*made);
}

std::shared_ptr<http::transport_maker const> curl_or_null()
{
#ifdef HEADWATER_TEST_CURL
    return curl_transport({});
#else
    return {};
#endif
}

// The right credentials; after a refusal others, which are as right.
template <class T>
class renewable_credentials final : public credentials_provider<T> {
public:
    explicit renewable_credentials(T what) : now_(std::make_shared<T const>(std::move(what))) {}

    task<std::shared_ptr<T const>> current() override { co_return now_; }
    bool refused(std::shared_ptr<T const> const&) override
    {
        now_ = std::make_shared<T const>(*now_);
        return true;
    }

private:
    std::shared_ptr<T const> now_;
};

template <class T>
std::shared_ptr<credentials_provider<T>> provider_of(T what, bool renewable)
{
    if (renewable) return std::make_shared<renewable_credentials<T>>(std::move(what));
    return fixed_provider(std::move(what));
}

template <class T>
std::string word(result<T> const& answer, char const* good)
{
    return answer ? std::string(good) : told(answer.error());
}

}  // namespace

std::string to_string(wire_kind const& kind)
{
    return std::string(kind.speaks == test::dialect::s3 ? "s3" : "azure") + (kind.tls ? "_tls" : "")
           + (kind.curl ? "_curl" : "");
}

std::vector<wire_kind> all_wires()
{
    std::vector<wire_kind> out;
    for (auto const speaks : {test::dialect::s3, test::dialect::azure}) {
        for (bool const tls : {false, true}) {
            out.push_back({speaks, tls, false});
            if (curl_or_null()) out.push_back({speaks, tls, true});
        }
    }
    return out;
}

test::server_identity identity_for(wire_kind const& kind)
{
    return kind.tls ? the_identities().server : test::server_identity();
}

std::unique_ptr<object_store> connect(wire_kind const& kind, boost::asio::any_io_executor executor, clock& time,
                                      test::server_account const& who, rig_settings settings)
{
    auto http = std::move(settings.http);
    if (kind.tls) http.ca_file = the_identities().roots;
    if (kind.curl) http.transport = curl_or_null();
    if (kind.speaks == test::dialect::s3) {
        s3_options options;
        options.bucket = who.bucket;
        options.region = settings.region.empty() ? who.region : settings.region;
        options.endpoint = std::move(settings.url);
        options.checksum = settings.checksum;
        options.unsigned_payload = settings.unsigned_payload;
        options.http = std::move(http);
        auto provider = provider_of(aws_credentials{who.id, who.secret, ""}, settings.renewable);
        return value_of(make_s3_store(std::move(executor), time, std::move(options), std::move(provider)));
    }
    azure_options options;
    options.account = who.id;
    options.container = who.bucket;
    options.endpoint = std::move(settings.url);
    options.checksum = settings.checksum;
    options.http = std::move(http);
    auto provider = provider_of(azure_credentials{who.secret}, settings.renewable);
    return value_of(make_azure_store(std::move(executor), time, std::move(options), std::move(provider)));
}

http_options deadlines_for(test::deed const& what)
{
    http_options out;
    if (what.then != test::deed::end::stalls && what.waits.count() == 0) return out;
    out.first_byte_timeout = 60ms;
    out.idle_timeout = 60ms;
    return out;
}

rig::rig(wire_kind const& kind, test::deed const& will) : rig(kind, {}, deadlines_for(will)) {}

rig::rig(wire_kind const& kind, std::string const& url, http_options options)
    : rig(kind, rig_settings{url, std::move(options)})
{
}

rig::rig(wire_kind const& kind, rig_settings settings) : kind_(kind), server(kind.speaks, identity_for(kind))
{
    if (settings.url.empty()) settings.url = server.url();
    if (settings.https) settings.url = "https://127.0.0.1:" + std::to_string(server.port());
    adapter = connect(kind, io.get_executor(), *time, server.account(), std::move(settings));
    retry_options quick;
    quick.base = 2ms;
    quick.cap = 20ms;
    quick.budget = 2'000ms;
    settling = make_settling_store(*adapter, *time, *chance, quick);
    store = make_retrying_store(*settling, *time, *chance, quick);
}

std::string told(error const& what)
{
    for (auto at = static_cast<int>(errc::not_found); at <= static_cast<int>(errc::merge_conflict); ++at) {
        auto const code = static_cast<errc>(at);
        if (what == code) return std::string(headwater::to_string(code));
    }
    return what.message();
}

std::string told(result<create_answer> const& answer)
{
    return answer && !answer->created ? "exists" : word(answer, "created");
}
std::string told(result<update_answer> const& answer) { return word(answer, "replaced"); }
std::string told(result<put_answer> const& answer) { return word(answer, "written"); }
std::string told(result<object> const& answer) { return word(answer, "ok"); }
std::string told(result<object_meta> const& answer) { return word(answer, "ok"); }
std::string told(result<list_page> const& answer) { return word(answer, "listed"); }
std::string told(result<remove_answer> const& answer) { return word(answer, "removed"); }

}  // namespace headwater::faults
