// SharedKey against the strings that Microsoft publishes, and signatures against a second implementation.
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
#include "adapters/azure/shared_key.hpp"

#include "adapters/azure/azure_request.hpp"
#include "adapters/http/encoding.hpp"
#include "tests/unit/azure/builders.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <gmock/gmock.h>

#include <array>

namespace headwater::azure {

namespace {

using test::at;
using test::on_azure;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Azurite's published key: no secret.
constexpr std::string_view published_key =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

http::request request(std::string method, std::string target, std::vector<http::field> fields, std::string body = {})
{
    http::request out;
    out.method = std::move(method);
    out.target = std::move(target);
    out.fields = std::move(fields);
    out.body = bytes(std::move(body));
    return out;
}

authority with_key(std::string_view key = published_key)
{
    azure_credentials given;
    given.account_key = key;
    return authority::make("acct", given).value();
}

TEST(string_to_sign, get_container_metadata_is_microsofts_example)
{
    auto const what = request("GET", "/mycontainer?restype=container&comp=metadata&timeout=20",
                              {{"x-ms-version", "2015-02-21"}, {"x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"}});
    EXPECT_EQ(string_to_sign(what, "myaccount"),
              "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
              "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
}

TEST(string_to_sign, create_container_has_no_length_when_it_is_zero)
{
    auto const what = request("PUT", "/mycontainer?restype=container&timeout=30",
                              {{"x-ms-version", "2014-02-14"}, {"x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"}});
    EXPECT_EQ(string_to_sign(what, "myaccount"),
              "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2014-02-14\n"
              "/myaccount/mycontainer\nrestype:container\ntimeout:30");
}

TEST(string_to_sign, repeated_query_values_are_sorted_and_joined)
{
    auto const what = request(
        "GET", "/mycontainer?restype=container&comp=list&include=snapshots&include=metadata&include=uncommittedblobs",
        {});
    EXPECT_THAT(
        string_to_sign(what, "myaccount"),
        EndsWith("/myaccount/mycontainer\ncomp:list\ninclude:metadata,snapshots,uncommittedblobs\nrestype:container"));
}

TEST(string_to_sign, standard_fields_stand_in_their_places)
{
    auto const what = request("PUT", "/c/b",
                              {{"if-match", "\"1\""},
                               {"content-type", "text/plain"},
                               {"content-md5", "md5"},
                               {"if-none-match", "*"},
                               {"range", "bytes=0-1"}},
                              "four");
    EXPECT_EQ(string_to_sign(what, "a"), "PUT\n\n\n4\nmd5\ntext/plain\n\n\n\"1\"\n*\n\nbytes=0-1\n/a/c/b");
}

TEST(string_to_sign, vendor_fields_are_sorted)
{
    auto const what =
        request("GET", "/c/b", {{"x-ms-version", "v"}, {"x-ms-date", "d"}, {"x-ms-blob-type", "BlockBlob"}});
    EXPECT_THAT(string_to_sign(what, "a"), EndsWith("\nx-ms-blob-type:BlockBlob\nx-ms-date:d\nx-ms-version:v\n/a/c/b"));
}

TEST(string_to_sign, path_stays_encoded_and_query_is_decoded)
{
    auto const what = request("GET", "/c/a%20b?comp=list&prefix=a%2Fb%20c&marker", {});
    EXPECT_THAT(string_to_sign(what, "acct"), EndsWith("/acct/c/a%20b\ncomp:list\nmarker:\nprefix:a/b c"));
}

TEST(string_to_sign, emulator_has_the_account_twice)
{
    auto const what = request("GET", "/devstoreaccount1/c/b", {});
    EXPECT_THAT(string_to_sign(what, "devstoreaccount1"), EndsWith("\n/devstoreaccount1/devstoreaccount1/c/b"));
}

std::string reference_signature(std::string_view text)
{
    std::array<unsigned char, 96> key{};
    auto const decoded = EVP_DecodeBlock(key.data(), reinterpret_cast<unsigned char const*>(published_key.data()),
                                         static_cast<int>(published_key.size()));
    std::array<unsigned char, 32> out{};
    unsigned length = 0;
    HMAC(EVP_sha256(), key.data(), decoded - 2, reinterpret_cast<unsigned char const*>(text.data()), text.size(),
         out.data(), &length);
    return http::base64({reinterpret_cast<char const*>(out.data()), length});
}

TEST(shared_key, each_signature_of_the_kept_context_is_the_one_shot_hmac)
{
    auto const key = shared_key::make(published_key).value();
    for (auto const* text :
         {"first", "", "second, longer than one block of SHA-256: ****************************", "first"}) {
        EXPECT_EQ(key.sign(text), reference_signature(text)) << text;
    }
}

TEST(shared_key, what_is_not_base64_is_refused_without_repeating_it)
{
    for (auto const* key : {"a", "abc", "abcd=", "a=bc", "====", "ab\ncd===", "Secret*Key=="}) {
        auto const made = shared_key::make(key);
        ASSERT_TRUE(made.has_error()) << key;
        EXPECT_EQ(made.error(), errc::configuration);
        EXPECT_THAT(made.error().message(), Not(HasSubstr("Secret*Key")));
    }
    EXPECT_TRUE(shared_key::make("YQ=="));
}

TEST(authority, shared_key_adds_date_and_signature_to_a_copy)
{
    auto const plain = create_blob(on_azure(), object_key("k"), bytes("content")).value();
    auto const ready = with_key().authorize(plain, at("Mon, 30 Nov 2026 00:00:00 GMT"));
    auto const expected =
        "PUT\n\n\n7\n\n\n\n\n\n*\n\n\nx-ms-blob-type:BlockBlob\nx-ms-date:Mon, 30 Nov 2026 00:00:00 GMT\n"
        "x-ms-version:2021-12-02\n/acct/log/graph/k";
    EXPECT_THAT(ready.fields,
                testing::Contains(http::field("authorization", "SharedKey acct:" + reference_signature(expected))));
    EXPECT_EQ(ready.target, plain.target);
    EXPECT_EQ(plain.fields.size() + 2, ready.fields.size());
    EXPECT_TRUE(with_key().signs_time());
}

TEST(authority, date_follows_the_clock_by_the_second)
{
    auto rights = with_key();
    auto const plain = get_properties(on_azure(), object_key("k")).value();
    auto const first = at("Mon, 30 Nov 2026 00:00:00 GMT");
    auto const date_at = [&](std::chrono::milliseconds later) {
        auto const ready = rights.authorize(plain, first + later);
        return ready.fields.at(1).second;
    };
    EXPECT_EQ(date_at(std::chrono::milliseconds(0)), "Mon, 30 Nov 2026 00:00:00 GMT");
    EXPECT_EQ(date_at(std::chrono::milliseconds(999)), "Mon, 30 Nov 2026 00:00:00 GMT");
    EXPECT_EQ(date_at(std::chrono::milliseconds(1000)), "Mon, 30 Nov 2026 00:00:01 GMT");
    EXPECT_EQ(date_at(std::chrono::milliseconds(-1)), "Sun, 29 Nov 2026 23:59:59 GMT");
}

TEST(authority, sas_token_goes_into_the_query_as_it_is)
{
    azure_credentials given;
    given.sas_token = "?sv=2021-12-02&sp=rwdl&sig=a%2Bb%3D";
    auto rights = authority::make("acct", given).value();
    auto const blob = get_properties(on_azure(), object_key("k")).value();
    auto const list = list_blobs(on_azure(), "", {}).value();
    auto const now = at("Mon, 30 Nov 2026 00:00:00 GMT");
    EXPECT_EQ(rights.authorize(blob, now).target, "/log/graph/k?sv=2021-12-02&sp=rwdl&sig=a%2Bb%3D");
    EXPECT_THAT(rights.authorize(list, now).target, EndsWith("&maxresults=1000&sv=2021-12-02&sp=rwdl&sig=a%2Bb%3D"));
    EXPECT_EQ(rights.authorize(blob, now).fields, blob.fields);
    EXPECT_FALSE(rights.signs_time());
}

TEST(authority, bearer_token_is_a_field_and_signs_no_time)
{
    azure_credentials given;
    given.bearer_token = "to.k.en";
    auto rights = authority::make("acct", given).value();
    auto const blob = get_properties(on_azure(), object_key("k")).value();
    auto const ready = rights.authorize(blob, at("Mon, 30 Nov 2026 00:00:00 GMT"));
    EXPECT_EQ(ready.target, blob.target);
    EXPECT_THAT(ready.fields, testing::Contains(http::field("authorization", "Bearer to.k.en")));
    EXPECT_FALSE(rights.signs_time());
    given.bearer_token = "hid den";
    EXPECT_EQ(authority::make("acct", given).error(), errc::configuration);
}

TEST(authority, wrong_credentials_are_refused_without_repeating_them)
{
    std::pair<char const*, char const*> const rows[] = {
        {"", ""}, {"c2VjcmV0", "sig=1"}, {"", "sv=hidden"}, {"", "sig=hidden\nx"}, {"", "sig=hidden#f"}};
    for (auto const& [key, token] : rows) {
        azure_credentials given;
        given.account_key = key;
        given.sas_token = token;
        auto const made = authority::make("acct", given);
        ASSERT_TRUE(made.has_error()) << key << ' ' << token;
        EXPECT_EQ(made.error(), errc::configuration);
        EXPECT_THAT(made.error().message(), Not(HasSubstr("hidden")));
    }
}

}  // namespace

}  // namespace headwater::azure
