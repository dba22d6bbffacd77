// Presigned URLs for Azure: a service SAS for one blob, its text against a second spelling of Microsoft's rule.
#include <headwater/adapters/azure.hpp>

#include "adapters/azure/shared_key.hpp"
#include "adapters/http/encoding.hpp"
#include "tests/unit/azure/builders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::azure {
namespace {

using test::at;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto account_key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

azure_options pictures()
{
    azure_options options;
    options.account = "myaccount";
    options.container = "pictures";
    options.prefix = "my graph";
    return options;
}

result<std::string> presign(azure_options const& options, azure_credentials const& who, char const* key,
                            std::chrono::seconds valid = std::chrono::hours(1))
{
    return presign_azure_get(options, who, object_key(key), at("Mon, 30 Nov 2026 00:00:00 GMT"), valid);
}

azure_credentials with_account_key()
{
    azure_credentials who;
    who.account_key = account_key;
    return who;
}

TEST(presign_azure, url_has_the_signature_of_microsofts_text)
{
    // The lines of "Version 2020-12-06 and later" in the service SAS rule, one by one.
    std::string const text = "r\n"                                                // signedPermissions
                             "\n"                                                 // signedStart
                             "2026-11-30T01:00:00Z\n"                             // signedExpiry
                             "/blob/myaccount/pictures/my graph/profile 1.jpg\n"  // canonicalizedResource
                             "\n"                                                 // signedIdentifier
                             "\n"                                                 // signedIP
                             "https\n"                                            // signedProtocol
                             "2021-12-02\n"                                       // signedVersion
                             "b\n"                                                // signedResource
                             "\n"                                                 // signedSnapshotTime
                             "\n"                                                 // signedEncryptionScope
                             "\n"                                                 // rscc
                             "\n"                                                 // rscd
                             "\n"                                                 // rsce
                             "\n";  // rscl, and rsct after it without an end of line
    auto const signature = http::percent_encode(shared_key::make(account_key).value().sign(text));
    EXPECT_EQ(presign(pictures(), with_account_key(), "profile 1.jpg").value(),
              "https://myaccount.blob.core.windows.net/pictures/my%20graph/profile%201.jpg?sv=2021-12-02&sr=b&sp=r"
              "&se=2026-11-30T01%3A00%3A00Z&spr=https&sig="
                  + signature);
}

TEST(presign_azure, emulator_is_reached_over_http)
{
    auto options = pictures();
    options.endpoint = "http://127.0.0.1:10000";
    auto const url = presign(options, with_account_key(), "k").value();
    EXPECT_THAT(url, StartsWith("http://127.0.0.1:10000/myaccount/pictures/my%20graph/k?sv="));
    EXPECT_THAT(url, HasSubstr("&spr=https%2Chttp&"));
}

TEST(presign_azure, what_cannot_be_signed_is_refused)
{
    azure_credentials sas;
    sas.sas_token = "sv=1&sig=x";
    EXPECT_EQ(presign(pictures(), sas, "k").error(), errc::unsupported);
    EXPECT_EQ(presign(pictures(), with_account_key(), "").error(), errc::invalid_argument);
    EXPECT_EQ(presign(pictures(), with_account_key(), "k", std::chrono::seconds(0)).error(), errc::invalid_argument);
    auto options = pictures();
    options.container = "No";
    EXPECT_EQ(presign(options, with_account_key(), "k").error(), errc::invalid_argument);
}

}  // namespace
}  // namespace headwater::azure
