// Addresses of stores by table: which adapter, which options, and what is refused without being repeated.
#include "adapters/url/place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace headwater::url {
namespace {

using testing::HasSubstr;
using testing::Not;

using table = std::map<std::string, std::string, std::less<>>;

environment from(table settings)
{
    return [settings = std::move(settings)](std::string_view name) -> std::optional<std::string> {
        auto const found = settings.find(name);
        return found == settings.end() ? std::nullopt : std::optional(found->second);
    };
}

template <class Options>
Options at(std::string_view address, table settings = {})
{
    auto const where = locate(address, from(std::move(settings)));
    if (!where) throw failure(where.error());
    return std::get<Options>(*where);
}

TEST(place, memory_has_no_name) { EXPECT_NO_THROW(at<memory_options>("memory:")); }

TEST(place, path_and_file_url_are_directories)
{
    EXPECT_EQ(at<file_options>("/data/graph").root, "/data/graph");
    EXPECT_EQ(at<file_options>("graph").root, "graph");
    EXPECT_EQ(at<file_options>("./a:b").root, "./a:b");
    EXPECT_EQ(at<file_options>("file:///data/my%20graph").root, "/data/my graph");
    EXPECT_EQ(at<file_options>("file://localhost/data").root, "/data");
}

TEST(place, bucket_and_prefix_are_taken_as_they_stand)
{
    auto const plain = at<s3_options>("s3://My.Bucket_1/a b/%20//c/");
    EXPECT_EQ(plain.bucket, "My.Bucket_1");
    EXPECT_EQ(plain.prefix, "a b/%20//c");
    EXPECT_EQ(plain.region, "us-east-1");
    EXPECT_EQ(plain.endpoint, "");
    EXPECT_EQ(plain.addressing, s3_addressing::automatic);
    EXPECT_FALSE(plain.allow_http);
    EXPECT_EQ(at<s3_options>("s3://b").prefix, "");
    EXPECT_EQ(at<s3_options>("s3://b/").prefix, "");
    EXPECT_EQ(at<s3_options>("S3://b/p").bucket, "b");
}

TEST(place, what_the_environment_does_not_say_the_profile_may)
{
    auto const file = testing::TempDir() + "headwater_place_config";
    std::ofstream(file) << "[default]\nregion = eu-north-1\n"
                           "[profile p]\nregion = eu-west-3\nendpoint_url = https://all.example\nca_bundle = /p.pem\n"
                           "s3 =\n  addressing_style = path\n"
                           "[profile q]\nendpoint_url = https://all.example\nservices = ours\n"
                           "[services ours]\ns3 =\n  endpoint_url = https://s3.example\n"
                           "sts =\n  endpoint_url = https://sts.example\n";
    EXPECT_EQ(at<s3_options>("s3://b", {{"AWS_CONFIG_FILE", file}}).region, "eu-north-1");
    table const chosen{{"AWS_CONFIG_FILE", file}, {"AWS_PROFILE", "p"}};
    auto const p = at<s3_options>("s3://b", chosen);
    EXPECT_EQ(p.region, "eu-west-3");
    EXPECT_EQ(p.endpoint, "https://all.example");
    EXPECT_EQ(p.addressing, s3_addressing::path);
    EXPECT_EQ(p.http.ca_file, "/p.pem");
    auto const q = at<s3_options>("s3://b", {{"AWS_CONFIG_FILE", file}, {"AWS_PROFILE", "q"}});
    EXPECT_EQ(q.region, "us-east-1");
    EXPECT_EQ(q.endpoint, "https://s3.example");
    for (auto const& [name, value] : table{{"AWS_REGION", "eu-west-1"}, {"AWS_DEFAULT_REGION", "eu-west-1"}}) {
        auto over = chosen;
        over[name] = value;
        EXPECT_EQ(at<s3_options>("s3://b", over).region, "eu-west-1") << name;
    }
    for (char const* const name : {"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"}) {
        auto over = chosen;
        over[name] = "https://mine.example";
        EXPECT_EQ(at<s3_options>("s3://b", over).endpoint, "https://mine.example") << name;
    }
    EXPECT_EQ(at<s3_options>("s3://b", {{"AWS_CONFIG_FILE", file}, {"AWS_PROFILE", "none"}}).region, "us-east-1");
    EXPECT_EQ(at<s3_options>("s3://b", {{"AWS_CONFIG_FILE", file + ".absent"}}).region, "us-east-1");
    std::filesystem::remove(file);
}

TEST(place, home_is_where_the_profiles_are)
{
    auto const home = std::filesystem::path(testing::TempDir()) / "headwater_place_home";
    std::filesystem::create_directories(home / ".aws");
    std::ofstream(home / ".aws" / "config") << "[default]\nregion = eu-north-1\n";
    EXPECT_EQ(at<s3_options>("s3://b", {{"HOME", home.string()}}).region, "eu-north-1");
    std::filesystem::remove_all(home);
}

TEST(place, checksum_is_chosen_by_name)
{
    EXPECT_EQ(at<s3_options>("s3://b").checksum, body_checksum::none);
    EXPECT_EQ(at<s3_options>("s3://b", {{"HEADWATER_CHECKSUM", "md5"}}).checksum, body_checksum::md5);
    table azure{{"AZURE_STORAGE_ACCOUNT_NAME", "acct"}, {"HEADWATER_CHECKSUM", "crc64"}};
    EXPECT_EQ(at<azure_options>("az://log", azure).checksum, body_checksum::crc64);
    azure["HEADWATER_CHECKSUM"] = "sha1";
    EXPECT_EQ(locate("az://log", from(azure)).error(), errc::configuration);
    EXPECT_EQ(locate("s3://b", from(azure)).error(), errc::configuration);
    EXPECT_EQ(locate("https://acct.blob.core.windows.net/log", from(azure)).error(), errc::configuration);
}

TEST(place, s3_settings_have_the_vendor_s_names_and_order)
{
    auto const full = at<s3_options>("s3://b", {{"AWS_REGION", "eu-west-1"},
                                                {"AWS_DEFAULT_REGION", "eu-west-2"},
                                                {"AWS_ENDPOINT_URL", "https://one.example"},
                                                {"AWS_ENDPOINT_URL_S3", "https://two.example"},
                                                {"AWS_ALLOW_HTTP", "true"},
                                                {"AWS_S3_FORCE_PATH_STYLE", "true"},
                                                {"AWS_CA_BUNDLE", "/aws.pem"},
                                                {"SSL_CERT_FILE", "/ssl.pem"}});
    EXPECT_EQ(full.region, "eu-west-1");
    EXPECT_EQ(full.endpoint, "https://two.example");
    EXPECT_TRUE(full.allow_http);
    EXPECT_EQ(full.addressing, s3_addressing::path);
    EXPECT_EQ(full.http.ca_file, "/aws.pem");

    auto const other = at<s3_options>("s3://b", {{"AWS_REGION", ""},
                                                 {"AWS_DEFAULT_REGION", "eu-west-2"},
                                                 {"AWS_ENDPOINT_URL", "https://one.example"},
                                                 {"AWS_S3_FORCE_PATH_STYLE", "false"},
                                                 {"SSL_CERT_FILE", "/ssl.pem"}});
    EXPECT_EQ(other.region, "eu-west-2");
    EXPECT_EQ(other.endpoint, "https://one.example");
    EXPECT_EQ(other.addressing, s3_addressing::virtual_host);
    EXPECT_EQ(other.http.ca_file, "/ssl.pem");
}

TEST(place, order_of_listings_is_a_setting)
{
    EXPECT_TRUE(at<s3_options>("s3://b").ordered_listing);
    EXPECT_TRUE(at<s3_options>("s3://b", {{"HEADWATER_LISTING", "ordered"}}).ordered_listing);
    EXPECT_FALSE(at<s3_options>("s3://b", {{"HEADWATER_LISTING", "unordered"}}).ordered_listing);
    EXPECT_EQ(locate("s3://b", from({{"HEADWATER_LISTING", "random"}})).error(), errc::configuration);
}

TEST(place, configured_endpoints_can_be_ignored)
{
    auto const file = testing::TempDir() + "headwater_place_ignored";
    std::ofstream(file) << "[default]\nregion = eu-north-1\nendpoint_url = https://all.example\n"
                           "[profile quiet]\nendpoint_url = https://all.example\n"
                           "ignore_configured_endpoint_urls = true\n";
    table settings{{"AWS_CONFIG_FILE", file},
                   {"AWS_ENDPOINT_URL", "https://one.example"},
                   {"AWS_ENDPOINT_URL_S3", "https://two.example"},
                   {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true"}};
    auto const without = at<s3_options>("s3://b", settings);
    EXPECT_EQ(without.endpoint, "");
    EXPECT_EQ(without.region, "eu-north-1");
    settings.erase("AWS_CONFIG_FILE");
    EXPECT_EQ(at<s3_options>("s3://b", settings).endpoint, "");
    settings["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "false";
    EXPECT_EQ(at<s3_options>("s3://b", settings).endpoint, "https://two.example");
    EXPECT_EQ(at<s3_options>("s3://b", {{"AWS_CONFIG_FILE", file}, {"AWS_PROFILE", "quiet"}}).endpoint, "");
}

struct azure_case {
    char const* address;
    table settings;
    char const* account;
    char const* container;
    char const* prefix;
    char const* endpoint;
};

class azure_places : public testing::TestWithParam<azure_case> {};

TEST_P(azure_places, account_and_endpoint_are_found)
{
    auto const& expected = GetParam();
    auto const found = at<azure_options>(expected.address, expected.settings);
    EXPECT_EQ(found.account, expected.account);
    EXPECT_EQ(found.container, expected.container);
    EXPECT_EQ(found.prefix, expected.prefix);
    EXPECT_EQ(found.endpoint, expected.endpoint);
}

INSTANTIATE_TEST_SUITE_P(
    addresses, azure_places,
    testing::Values(
        azure_case{"az://c/p/q", {{"AZURE_STORAGE_ACCOUNT_NAME", "acc"}}, "acc", "c", "p/q", ""},
        azure_case{"az://c",
                   {{"AZURE_STORAGE_ACCOUNT_NAME", "other"},
                    {"AZURE_STORAGE_CONNECTION_STRING", "AccountName=acc;AccountKey=a2V5;EndpointSuffix=core.example"}},
                   "acc",
                   "c",
                   "",
                   "https://acc.blob.core.example"},
        azure_case{
            "az://c",
            {{"AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint=https://acc.blob.example/;SharedAccessSignature=sv=1"}},
            "acc",
            "c",
            "",
            "https://acc.blob.example/"},
        azure_case{"az://c",
                   {{"AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true"}},
                   "devstoreaccount1",
                   "c",
                   "",
                   "http://127.0.0.1:10000"},
        azure_case{"az://c/p",
                   {{"AZURE_STORAGE_USE_EMULATOR", "true"}},
                   "devstoreaccount1",
                   "c",
                   "p",
                   "http://127.0.0.1:10000"},
        azure_case{"az://c",
                   {{"AZURE_STORAGE_USE_EMULATOR", "true"}, {"AZURITE_BLOB_STORAGE_URL", "http://localhost:10100"}},
                   "devstoreaccount1",
                   "c",
                   "",
                   "http://localhost:10100"},
        azure_case{
            "https://acc.blob.core.windows.net/c/p%20q/", {}, "acc", "c", "p q", "https://acc.blob.core.windows.net"},
        azure_case{"https://acc.blob.core.windows.net/c", {}, "acc", "c", "", "https://acc.blob.core.windows.net"},
        azure_case{"http://127.0.0.1:10000/devstoreaccount1/c/p",
                   {},
                   "devstoreaccount1",
                   "c",
                   "p",
                   "http://127.0.0.1:10000"}));

TEST(place, az_without_an_account_names_the_variables)
{
    auto const where = locate("az://c", from({}));
    ASSERT_FALSE(where.has_value());
    EXPECT_TRUE(where.error() == errc::configuration);
    EXPECT_THAT(where.error().message(), HasSubstr("AZURE_STORAGE_ACCOUNT_NAME"));
}

class refused_address : public testing::TestWithParam<char const*> {};

TEST_P(refused_address, is_an_invalid_argument_that_never_repeats_it)
{
    auto const where = locate(GetParam(), from({{"AZURE_STORAGE_ACCOUNT_NAME", "acc"}}));
    ASSERT_FALSE(where.has_value());
    EXPECT_TRUE(where.error() == errc::invalid_argument) << where.error().message();
    EXPECT_THAT(where.error().message(), Not(HasSubstr("HUSH")));
    EXPECT_THAT(where.error().message(), HasSubstr("address"));
}

INSTANTIATE_TEST_SUITE_P(
    addresses, refused_address,
    testing::Values("", "s3:bucket/HUSH", "s3://", "s3:///HUSH", "s3://id:HUSH@bucket/p", "s3://bucket/p?key=HUSH",
                    "s3://bucket/p#HUSH", "s3://bucket:9000/HUSH", "az://c@HUSH/p", "az:///HUSH", "az://c?HUSH",
                    "ftp://HUSH/", "gs://bucket/HUSH", "memory:HUSH", "memory://HUSH", "https://storage.example/c/HUSH",
                    "https://acc.blob.core.windows.net/", "https://acc.blob.core.windows.net/c?sig=HUSH",
                    "https://u:HUSH@acc.blob.core.windows.net/c", "https://acc.blob.core.windows.net/c/%HUSH",
                    "http://127.0.0.1:10000/HUSH", "file:HUSH", "file://HUSH/dir", "file://", "file:///d?HUSH",
                    "file:///d%00HUSH", "https://acc.blob.core.windows.net/c/p%00HUSH"));

TEST(place, directory_has_at_most_the_bytes_of_a_root)
{
    auto const longest = "/" + std::string(max_root_bytes - 1, 'd');
    for (std::string const scheme : {"", "file://"}) {
        EXPECT_TRUE(locate(scheme + longest, from({})));
        EXPECT_EQ(locate(scheme + longest + 'd', from({})).error(), errc::invalid_argument);
    }
}

TEST(place, unknown_scheme_says_what_is_accepted)
{
    auto const where = locate("gs://bucket", from({}));
    for (char const* const form : {"s3://bucket/prefix", "az://", "https://", "file:///", "memory:"}) {
        EXPECT_THAT(where.error().message(), HasSubstr(form));
    }
}

}  // namespace
}  // namespace headwater::url
