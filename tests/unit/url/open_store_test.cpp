// open_store makes the adapter that the address names, with the credentials of the settings. Nothing is sent.
#include <headwater/adapters/url.hpp>

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace headwater {
namespace {

using testing::HasSubstr;

class open_by_address : public testing::Test {
protected:
    result<std::unique_ptr<object_store>> open(std::string_view address)
    {
        environment const from_table = [this](std::string_view name) -> std::optional<std::string> {
            auto const found = settings.find(name);
            return found == settings.end() ? std::nullopt : std::optional(found->second);
        };
        return open_store(io.get_executor(), *time, *chance, address, from_table);
    }

    boost::asio::io_context io;
    std::unique_ptr<clock> time = make_system_clock();
    std::unique_ptr<random> chance = make_seeded_random(1);
    std::map<std::string, std::string, std::less<>> settings;
};

TEST_F(open_by_address, each_scheme_makes_its_adapter)
{
    settings = {{"AWS_ACCESS_KEY_ID", "id"},
                {"AWS_SECRET_ACCESS_KEY", "secret"},
                {"AWS_ENDPOINT_URL", "http://127.0.0.1:9000"},
                {"AZURE_STORAGE_USE_EMULATOR", "true"}};
    EXPECT_EQ(open("s3://bucket/p").value()->address(), "http://127.0.0.1:9000/bucket/p");
    EXPECT_EQ(open("az://container/p").value()->address(), "http://127.0.0.1:10000/devstoreaccount1/container/p");
    EXPECT_TRUE(open("memory:").has_value());
    EXPECT_THAT(open("/data/graph").value()->address(), HasSubstr("/data/graph"));
}

TEST_F(open_by_address, missing_credentials_are_a_configuration_error)
{
    settings = {{"AWS_EC2_METADATA_DISABLED", "true"}};
    auto const s3 = open("s3://bucket/p");
    ASSERT_FALSE(s3.has_value());
    EXPECT_TRUE(s3.error() == errc::configuration);
    EXPECT_THAT(s3.error().message(), HasSubstr("AWS_ACCESS_KEY_ID"));

    settings = {{"AZURE_STORAGE_ACCOUNT_NAME", "acc"}, {"AZURE_CLIENT_SECRET", "secret"}};
    auto const azure = open("az://container/p");
    ASSERT_FALSE(azure.has_value());
    EXPECT_TRUE(azure.error() == errc::configuration);
    EXPECT_THAT(azure.error().message(), HasSubstr("AZURE_TENANT_ID"));
}

TEST_F(open_by_address, the_transport_is_one_that_there_is)
{
    settings = {{"AWS_ACCESS_KEY_ID", "id"}, {"AWS_SECRET_ACCESS_KEY", "secret"}};
    for (auto const* name : {"", "native"}) {
        settings["HEADWATER_TRANSPORT"] = name;
        EXPECT_TRUE(open("s3://bucket/p").has_value()) << name;
    }
    settings["HEADWATER_TRANSPORT"] = "carrier pigeon";
    auto const other = open("s3://bucket/p");
    ASSERT_FALSE(other.has_value());
    EXPECT_TRUE(other.error() == errc::configuration);
    EXPECT_THAT(other.error().message(), HasSubstr("HEADWATER_TRANSPORT"));
    // Either it is opened, or the message says that this build has none.
    settings["HEADWATER_TRANSPORT"] = "curl";
    auto const curl = open("s3://bucket/p");
    EXPECT_TRUE(curl.has_value() || curl.error() == errc::configuration);
}

}  // namespace
}  // namespace headwater
