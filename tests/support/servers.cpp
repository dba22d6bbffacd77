// Reads the environment and builds the stores. The only tests' file that knows the variables' names.
#include "tests/support/servers.hpp"

#include "tests/support/all.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/file.hpp>
#include <headwater/adapters/http.hpp>
#include <headwater/adapters/memory.hpp>
#include <headwater/stores.hpp>
#ifdef HEADWATER_TEST_S3
#include <headwater/adapters/s3.hpp>
#endif
#ifdef HEADWATER_TEST_CURL
#include <headwater/adapters/curl.hpp>
#endif
#ifdef HEADWATER_TEST_AZURE
#include <headwater/adapters/azure.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#endif

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace headwater::test {

namespace {

std::string setting(char const* name)
{
    auto const* const value = std::getenv(name);
    return value ? value : "";
}

bool is_s3(place_kind kind)
{
    using enum place_kind;
    return kind == s3_path || kind == s3_virtual_host || kind == s3_tls || kind == s3_curl || kind == s3_tls_curl;
}

bool is_azure(place_kind kind)
{
    using enum place_kind;
    return kind == azure_shared_key || kind == azure_sas || kind == azure_tls || kind == azure_curl
           || kind == azure_tls_curl;
}

bool is_tls(place_kind kind)
{
    using enum place_kind;
    return kind == s3_tls || kind == s3_tls_curl || kind == azure_tls || kind == azure_tls_curl;
}

bool is_curl(place_kind kind)
{
    using enum place_kind;
    return kind == s3_curl || kind == s3_tls_curl || kind == azure_curl || kind == azure_tls_curl;
}

// What sends the requests; null: the native transport.
std::shared_ptr<http::transport_maker const> transport_of(place_kind kind)
{
#ifdef HEADWATER_TEST_CURL
    if (is_curl(kind)) return curl_transport({});
#endif
    return {};
}

// Each is sent to each server, over one of the transports.
body_checksum checksum_of(place_kind kind)
{
    switch (kind) {
    case place_kind::s3_curl:
    case place_kind::azure_tls: return body_checksum::md5;
    case place_kind::s3_tls:
    case place_kind::azure_curl: return body_checksum::crc64;
    default: return body_checksum::none;
    }
}

std::vector<char const*> needed(place_kind kind)
{
    std::vector<char const*> names;
    if (is_s3(kind)) names = {"HEADWATER_TEST_S3_BUCKET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"};
    if (is_azure(kind)) {
        names = {"HEADWATER_TEST_AZURE_CONTAINER", "HEADWATER_TEST_AZURE_ACCOUNT", "HEADWATER_TEST_AZURE_KEY"};
    }
    switch (kind) {
    case place_kind::memory:
    case place_kind::memory_unordered:
    case place_kind::file:
    case place_kind::file_unsynced: break;
    case place_kind::s3_curl:
    case place_kind::s3_path: names.push_back("HEADWATER_TEST_S3_URL"); break;
    case place_kind::s3_virtual_host:
        names.insert(names.end(), {"HEADWATER_TEST_S3_URL", "HEADWATER_TEST_S3_DOMAIN"});
        break;
    case place_kind::s3_tls:
    case place_kind::s3_tls_curl:
        names.insert(names.end(), {"HEADWATER_TEST_S3_HTTPS_URL", "HEADWATER_TEST_S3_CA"});
        break;
    case place_kind::azure_shared_key:
    case place_kind::azure_curl:
    case place_kind::azure_sas: names.push_back("HEADWATER_TEST_AZURE_URL"); break;
    case place_kind::azure_tls:
    case place_kind::azure_tls_curl:
        names.insert(names.end(), {"HEADWATER_TEST_AZURE_HTTPS_URL", "HEADWATER_TEST_AZURE_CA"});
        break;
    }
    return names;
}

std::string some_hex(random& chance)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(chance.next()));
    return text;
}

std::unique_ptr<object_store> value_or_throw(result<std::unique_ptr<object_store>> made)
{
    if (!made) throw std::runtime_error(made.error().message());
    return std::move(*made);
}

#ifdef HEADWATER_TEST_S3
// http://127.0.0.1:8000 at the domain s3.localhost: http://s3.localhost:8000
std::string with_host(std::string const& url, std::string const& host)
{
    auto const begin = url.find("://") + 3;
    return url.substr(0, begin) + host + url.substr(url.find(':', begin));
}

std::unique_ptr<object_store> make_s3(place_kind kind, boost::asio::io_context& io, clock& time,
                                      std::string const& prefix)
{
    s3_options options;
    options.bucket = setting("HEADWATER_TEST_S3_BUCKET");
    options.prefix = prefix;
    options.endpoint = setting("HEADWATER_TEST_S3_URL");
    options.addressing = s3_addressing::path;
    options.allow_http = true;
    if (kind == place_kind::s3_virtual_host) {
        options.endpoint = with_host(options.endpoint, setting("HEADWATER_TEST_S3_DOMAIN"));
        options.addressing = s3_addressing::virtual_host;
    }
    if (is_tls(kind)) {
        options.endpoint = setting("HEADWATER_TEST_S3_HTTPS_URL");
        options.http.ca_file = setting("HEADWATER_TEST_S3_CA");
    }
    options.checksum = checksum_of(kind);
    options.http.transport = transport_of(kind);
    aws_credentials const credentials{setting("AWS_ACCESS_KEY_ID"), setting("AWS_SECRET_ACCESS_KEY"),
                                      setting("AWS_SESSION_TOKEN")};
    return value_or_throw(make_s3_store(io.get_executor(), time, options, credentials));
}
#endif

#ifdef HEADWATER_TEST_AZURE
std::string base64(std::string_view raw)
{
    std::string out(4 * ((raw.size() + 2) / 3) + 1, '\0');
    auto const length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                        reinterpret_cast<unsigned char const*>(raw.data()), int(raw.size()));
    out.resize(std::size_t(length));
    return out;
}

std::string from_base64(std::string_view text)
{
    std::string out(text.size(), '\0');
    auto const length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                        reinterpret_cast<unsigned char const*>(text.data()), int(text.size()));
    out.resize(length < 0 ? 0 : std::size_t(length) - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));
    return out;
}

std::string escaped(std::string_view text)
{
    std::string out;
    for (char const each : text) {
        if (each == '+')
            out += "%2B";
        else if (each == '/')
            out += "%2F";
        else if (each == '=')
            out += "%3D";
        else if (each == ':')
            out += "%3A";
        else
            out += each;
    }
    return out;
}

// An account SAS for everything in the blob service, far into the future.
// https://learn.microsoft.com/rest/api/storageservices/create-account-sas
std::string account_sas(std::string const& account, std::string const& key)
{
    constexpr auto permissions = "rwdlac";
    constexpr auto end = "2099-01-01T00:00:00Z";
    constexpr auto version = "2019-12-12";
    auto const to_sign = account + '\n' + permissions + "\nb\nsco\n\n" + end + "\n\nhttps,http\n" + version + '\n';
    auto const secret = from_base64(key);
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    HMAC(EVP_sha256(), secret.data(), int(secret.size()), reinterpret_cast<unsigned char const*>(to_sign.data()),
         to_sign.size(), mac, &length);
    auto const signature = base64({reinterpret_cast<char const*>(mac), length});
    return std::string("sv=") + version + "&ss=b&srt=sco&sp=" + permissions + "&se=" + escaped(end)
           + "&spr=https,http&sig=" + escaped(signature);
}

std::unique_ptr<object_store> make_azure(place_kind kind, boost::asio::io_context& io, clock& time,
                                         std::string const& prefix)
{
    azure_options options;
    options.account = setting("HEADWATER_TEST_AZURE_ACCOUNT");
    options.container = setting("HEADWATER_TEST_AZURE_CONTAINER");
    options.prefix = prefix;
    options.endpoint = setting("HEADWATER_TEST_AZURE_URL");
    options.allow_http = true;
    if (is_tls(kind)) {
        options.endpoint = setting("HEADWATER_TEST_AZURE_HTTPS_URL");
        options.http.ca_file = setting("HEADWATER_TEST_AZURE_CA");
    }
    options.checksum = checksum_of(kind);
    options.http.transport = transport_of(kind);
    auto const key = setting("HEADWATER_TEST_AZURE_KEY");
    azure_credentials credentials;
    if (kind == place_kind::azure_sas)
        credentials.sas_token = account_sas(options.account, key);
    else
        credentials.account_key = key;
    return value_or_throw(make_azure_store(io.get_executor(), time, options, credentials));
}
#endif

boost::asio::awaitable<void> remove_everything(object_store& store)
{
    for (;;) {
        std::string everything;
        auto const page = co_await store.list(everything, list_options());
        if (!page) throw failure(page.error());
        std::vector<task<remove_answer>> removals;
        for (auto const& found : page->objects) removals.push_back(store.remove(found.key));
        auto const removed = co_await all(std::move(removals));
        for (auto const& each : removed) {
            if (!each) throw failure(each.error());
        }
        if (!page->next) co_return;
    }
}

}  // namespace

std::vector<place_kind> all_places()
{
    return {place_kind::memory,      place_kind::memory_unordered, place_kind::file,      place_kind::file_unsynced,
            place_kind::s3_path,     place_kind::s3_virtual_host,  place_kind::s3_tls,    place_kind::s3_curl,
            place_kind::s3_tls_curl, place_kind::azure_shared_key, place_kind::azure_sas, place_kind::azure_tls,
            place_kind::azure_curl,  place_kind::azure_tls_curl};
}

std::string to_string(place_kind kind)
{
    switch (kind) {
    case place_kind::memory: return "memory";
    case place_kind::memory_unordered: return "memory_unordered";
    case place_kind::file: return "file";
    case place_kind::file_unsynced: return "file_unsynced";
    case place_kind::s3_path: return "s3_path";
    case place_kind::s3_virtual_host: return "s3_virtual_host";
    case place_kind::s3_tls: return "s3_tls";
    case place_kind::s3_curl: return "s3_curl";
    case place_kind::s3_tls_curl: return "s3_tls_curl";
    case place_kind::azure_shared_key: return "azure_shared_key";
    case place_kind::azure_sas: return "azure_sas";
    case place_kind::azure_tls: return "azure_tls";
    case place_kind::azure_curl: return "azure_curl";
    case place_kind::azure_tls_curl: return "azure_tls_curl";
    }
    return "unknown";
}

std::string missing_for(place_kind kind)
{
#ifndef HEADWATER_TEST_S3
    if (is_s3(kind)) return to_string(kind) + " needs headwater::s3, which this build does not have";
#endif
#ifndef HEADWATER_TEST_AZURE
    if (is_azure(kind)) return to_string(kind) + " needs headwater::azure, which this build does not have";
#endif
#ifndef HEADWATER_TEST_CURL
    if (is_curl(kind)) return to_string(kind) + " needs headwater::curl, which this build does not have";
#endif
    for (auto const* name : needed(kind)) {
        if (setting(name).empty()) {
            return to_string(kind) + " needs " + name + ": run tests/run, or start a server from tests/servers and "
                   + "source its env file";
        }
    }
    return {};
}

bool servers_are_required() { return setting("HEADWATER_TEST_REQUIRE_SERVERS") == "1"; }

struct place::parts {
    explicit parts(place_kind its_kind) : kind(its_kind)
    {
        if (auto const missing = missing_for(kind); !missing.empty()) throw std::runtime_error(missing);
        prefix = "test-" + some_hex(*chance);
        if (kind == place_kind::file || kind == place_kind::file_unsynced) {
            prefix = (std::filesystem::temp_directory_path() / ("headwater-" + prefix)).string();
        }
    }

    std::unique_ptr<object_store> make()
    {
        switch (kind) {
        case place_kind::memory: return make_memory_store(*time);
        case place_kind::memory_unordered: return make_memory_store(*time, {.ordered_listing = false});
        case place_kind::file: return make_file_store({.root = prefix}, *time, *chance);
        case place_kind::file_unsynced:
            return make_file_store({.root = prefix, .durability = file_durability::none}, *time, *chance);
#ifdef HEADWATER_TEST_S3
        case place_kind::s3_path:
        case place_kind::s3_virtual_host:
        case place_kind::s3_curl:
        case place_kind::s3_tls_curl:
        case place_kind::s3_tls: return make_s3(kind, io, *time, prefix);
#endif
#ifdef HEADWATER_TEST_AZURE
        case place_kind::azure_shared_key:
        case place_kind::azure_sas:
        case place_kind::azure_curl:
        case place_kind::azure_tls_curl:
        case place_kind::azure_tls: return make_azure(kind, io, *time, prefix);
#endif
        default: throw std::runtime_error(missing_for(kind));
        }
    }

    // What is in memory is in one store only.
    object_store& adapter()
    {
        bool const shared = kind == place_kind::memory || kind == place_kind::memory_unordered;
        if (!shared || stores.empty()) return keep(make());
        return *stores.front();
    }

    object_store& keep(std::unique_ptr<object_store> store) { return *stores.emplace_back(std::move(store)); }

    place_kind const kind;
    boost::asio::io_context io{1};
    std::unique_ptr<headwater::clock> time = make_system_clock();
    std::unique_ptr<headwater::random> chance = make_system_random();
    std::string prefix;
    std::vector<std::unique_ptr<object_store>> stores;
};

place::place(place_kind kind) : parts_(std::make_unique<parts>(kind)) {}

place::~place()
{
    auto const kind = parts_->kind;
    try {
        if (kind == place_kind::file || kind == place_kind::file_unsynced) {
            std::filesystem::remove_all(parts_->prefix);
        } else if (is_s3(kind)) {  // Azurite stops answering for long while it removes thousands; it is thrown away.
            run(parts_->io, remove_everything(connect()));
        }
    } catch (std::exception const& what) {
        ADD_FAILURE() << to_string(kind) << ": the test's objects could not be removed: " << what.what();
    }
    while (!parts_->stores.empty()) parts_->stores.pop_back();  // Outer ones first.
}

boost::asio::io_context& place::io() noexcept { return parts_->io; }
clock& place::time() noexcept { return *parts_->time; }
random& place::chance() noexcept { return *parts_->chance; }
std::string const& place::prefix() const noexcept { return parts_->prefix; }

object_store& place::connect(stack on)
{
    auto& adapter = parts_->adapter();
    if (on == stack::raw) return adapter;
    auto& settling = parts_->keep(make_settling_store(adapter, *parts_->time, *parts_->chance));
    return parts_->keep(make_retrying_store(settling, *parts_->time, *parts_->chance));
}

std::unique_ptr<place> open_or_skip(place_kind kind)
{
    auto const missing = missing_for(kind);
    if (missing.empty()) return std::make_unique<place>(kind);
    if (servers_are_required()) {
        ADD_FAILURE() << missing;
        return {};
    }
    std::fprintf(stderr, "SKIPPED: %s\n", missing.c_str());
    [&] { GTEST_SKIP() << missing; }();
    return {};
}

}  // namespace headwater::test
