// Credentials from settings: which variable wins, what is refused, and that no message repeats a secret.
#include "adapters/credentials/azure_connection_string.hpp"

#include <headwater/adapters/credentials.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace headwater {
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

TEST(process_environment, variable_is_found_only_if_set)
{
    ::setenv("HEADWATER_TEST_VARIABLE", "value", 1);
    auto const settings = process_environment();
    EXPECT_EQ(settings("HEADWATER_TEST_VARIABLE"), "value");
    ::unsetenv("HEADWATER_TEST_VARIABLE");
    EXPECT_EQ(settings("HEADWATER_TEST_VARIABLE"), std::nullopt);
}

TEST(aws_credentials, key_pair_and_token_are_read)
{
    auto const found = aws_credentials_from(
        from({{"AWS_ACCESS_KEY_ID", "id"}, {"AWS_SECRET_ACCESS_KEY", "secret"}, {"AWS_SESSION_TOKEN", "token"}}));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->access_key_id, "id");
    EXPECT_EQ(found->secret_access_key, "secret");
    EXPECT_EQ(found->session_token, "token");
}

TEST(aws_credentials, missing_half_names_the_variables)
{
    for (auto const& settings : {table{}, table{{"AWS_ACCESS_KEY_ID", "id"}}, table{{"AWS_SECRET_ACCESS_KEY", "HUSH"}},
                                 table{{"AWS_ACCESS_KEY_ID", ""}, {"AWS_SECRET_ACCESS_KEY", "HUSH"}}}) {
        auto const found = aws_credentials_from(from(settings));
        ASSERT_FALSE(found.has_value());
        EXPECT_TRUE(found.error() == errc::configuration);
        EXPECT_THAT(found.error().message(), HasSubstr("AWS_SECRET_ACCESS_KEY"));
        EXPECT_THAT(found.error().message(), Not(HasSubstr("HUSH")));
    }
}

TEST(aws_credentials, line_break_is_refused_without_repeating_the_secret)
{
    auto const found = aws_credentials_from(from({{"AWS_ACCESS_KEY_ID", "id"}, {"AWS_SECRET_ACCESS_KEY", "HUSH\r\n"}}));
    ASSERT_FALSE(found.has_value());
    EXPECT_TRUE(found.error() == errc::configuration);
    EXPECT_THAT(found.error().message(), Not(HasSubstr("HUSH")));
}

struct azure_case {
    char const* what;
    table settings;
    char const* key;
    char const* sas;
};

class azure_choice : public testing::TestWithParam<azure_case> {};

TEST_P(azure_choice, first_setting_wins)
{
    auto const found = azure_credentials_from(from(GetParam().settings));
    ASSERT_TRUE(found.has_value()) << GetParam().what;
    EXPECT_EQ(found->account_key, GetParam().key) << GetParam().what;
    EXPECT_EQ(found->sas_token, GetParam().sas) << GetParam().what;
}

constexpr char const* well_known =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

INSTANTIATE_TEST_SUITE_P(
    settings, azure_choice,
    testing::Values(
        azure_case{"key", {{"AZURE_STORAGE_ACCOUNT_KEY", "a2V5"}, {"AZURE_STORAGE_SAS_TOKEN", "sv=1"}}, "a2V5", ""},
        azure_case{
            "sas", {{"AZURE_STORAGE_ACCOUNT_KEY", ""}, {"AZURE_STORAGE_SAS_TOKEN", "?sv=1&sig=x"}}, "", "?sv=1&sig=x"},
        azure_case{"connection string",
                   {{"AZURE_STORAGE_CONNECTION_STRING", "AccountName=a;AccountKey=eA==;"},
                    {"AZURE_STORAGE_ACCOUNT_KEY", "a2V5"}},
                   "eA==",
                   ""},
        azure_case{"connection string with sas",
                   {{"AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint=https://h/;SharedAccessSignature=sv=1&sig=a%3D"}},
                   "",
                   "sv=1&sig=a%3D"},
        azure_case{
            "development storage", {{"AZURE_STORAGE_CONNECTION_STRING", "UseDevelopmentStorage=true"}}, well_known, ""},
        azure_case{"emulator", {{"AZURE_STORAGE_USE_EMULATOR", "TRUE"}}, well_known, ""}));

TEST(azure_credentials, nothing_set_names_the_variables)
{
    auto const found = azure_credentials_from(from({{"AZURE_STORAGE_USE_EMULATOR", "false"}}));
    ASSERT_FALSE(found.has_value());
    EXPECT_TRUE(found.error() == errc::configuration);
    EXPECT_THAT(found.error().message(), HasSubstr("AZURE_STORAGE_ACCOUNT_KEY"));
}

TEST(azure_credentials, connection_string_without_secret_is_refused)
{
    auto const found = azure_credentials_from(from({{"AZURE_STORAGE_CONNECTION_STRING", "AccountName=a"}}));
    ASSERT_FALSE(found.has_value());
    EXPECT_TRUE(found.error() == errc::configuration);
}

TEST(azure_connection_string, parts_make_the_endpoint)
{
    auto const found = credentials::parse_azure_connection_string(
        "DefaultEndpointsProtocol=http; accountname=acc ;AccountKey=a=b==;EndpointSuffix=core.example");
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->account, "acc");
    EXPECT_EQ(found->account_key, "a=b==");
    EXPECT_EQ(found->endpoint, "http://acc.blob.core.example");
}

TEST(azure_connection_string, garbage_is_refused_without_repeating_it)
{
    for (char const* const text : {"HUSH", "AccountKey=HUSH", "AccountName=a;HUSH"}) {
        auto const found = credentials::parse_azure_connection_string(text);
        ASSERT_FALSE(found.has_value()) << text;
        EXPECT_THAT(found.error().message(), Not(HasSubstr("HUSH")));
    }
}

}  // namespace
}  // namespace headwater
