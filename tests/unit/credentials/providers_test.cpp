// Each source against a small imitation of its service on this machine; nothing here reaches further.
#include "adapters/credentials/reach.hpp"
#include "tests/servers/script_server.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/async.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <vector>

namespace headwater {
namespace {

namespace asio = boost::asio;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char const* role_document =
    R"({"Code":"Success","AccessKeyId":"AKID","SecretAccessKey":"HUSH","Token":"HUSHT","Expiration":"2999-01-01T00:00:00Z"})";
constexpr char const* sts_document =
    "<R><AssumeRoleResult><Credentials><AccessKeyId>ASSUMED</AccessKeyId><SecretAccessKey>HUSH</SecretAccessKey>"
    "<SessionToken>HUSHT</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></"
    "R>";

/// Answers by the request's first line: what it begins with, and with what.
class imitation {
public:
    void add(std::string first_line, std::string answer)
    {
        std::lock_guard const locked(mutex_);
        rows_.push_back({std::move(first_line), std::move(answer), false, false});
    }
    /// Is asked no more once it has answered.
    void add_once(std::string first_line, std::string answer)
    {
        add(std::move(first_line), std::move(answer));
        std::lock_guard const locked(mutex_);
        rows_.back().once = true;
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
    std::string request(std::size_t at)
    {
        std::lock_guard const locked(mutex_);
        return at < got_.size() ? got_[at] : "";
    }
    std::size_t requests()
    {
        std::lock_guard const locked(mutex_);
        return got_.size();
    }

private:
    std::string answer_to(std::string const& request)
    {
        std::lock_guard const locked(mutex_);
        got_.push_back(request);
        for (auto& each : rows_) {
            if (!request.starts_with(each.begin) || (each.once && each.asked)) continue;
            each.asked = true;
            return each.answer;
        }
        return test::answer("HUSH", "", "404 Not Found");
    }

    struct row {
        std::string begin;
        std::string answer;
        bool once;
        bool asked;
    };

    std::mutex mutex_;
    std::vector<std::string> got_;
    std::vector<row> rows_;
    test::script_server server_{[this](test::peer& to) -> asio::awaitable<void> {
        for (;;) {
            auto const request = co_await to.request();
            if (request.empty()) co_return;
            auto const reply = answer_to(request);
            co_await to.send(reply);
        }
    }};
};

class providers : public testing::Test {
protected:
    ~providers() override { std::filesystem::remove_all(folder); }

    std::string file(char const* name, std::string_view text)
    {
        auto const path = folder / name;
        std::ofstream(path) << text;
        return path.string();
    }

    environment from() const
    {
        return [table = settings](std::string_view name) -> std::optional<std::string> {
            auto const found = table.find(name);
            return found == table.end() ? std::nullopt : std::optional(found->second);
        };
    }

    result<std::shared_ptr<aws_credentials const>> aws()
    {
        auto const made = default_aws_provider(io.get_executor(), *time, from());
        if (!made) return made.error();
        return test::run(io, (*made)->current());
    }
    result<std::shared_ptr<azure_credentials const>> azure()
    {
        auto const made = default_azure_provider(io.get_executor(), *time, from());
        if (!made) return made.error();
        return test::run(io, (*made)->current());
    }

    template <class T>
    static void expect_error(result<T> const& got, errc code, char const* says)
    {
        ASSERT_FALSE(got.has_value());
        EXPECT_EQ(got.error(), code) << got.error().message();
        EXPECT_THAT(got.error().message(), AllOf(HasSubstr(says), Not(HasSubstr("HUSH"))));
    }

    static std::filesystem::path fresh_folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "headwater-").string() + std::string(6, 'X');
        return ::mkdtemp(name.data()) ? name : throw std::runtime_error("no folder for the test");
    }

    std::filesystem::path const folder = fresh_folder();
    asio::io_context io{1};
    std::unique_ptr<clock> time = make_system_clock();
    imitation service;
    std::map<std::string, std::string, std::less<>> settings;
};

TEST_F(providers, aws_environment_needs_no_request)
{
    settings = {{"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_SECRET_ACCESS_KEY", "HUSH"}, {"AWS_PROFILE", "absent"}};
    EXPECT_EQ(aws().value()->access_key_id, "AKID");
    settings.erase("AWS_SECRET_ACCESS_KEY");
    expect_error(aws(), errc::configuration, "AWS_SECRET_ACCESS_KEY");
}

TEST_F(providers, aws_instance_role_is_fetched_with_a_session)
{
    service.add("PUT /latest/api/token ", test::answer("SESSION"));
    service.add("GET /latest/meta-data/iam/security-credentials/ ", test::answer("my-role"));
    service.add("GET /latest/meta-data/iam/security-credentials/my-role ", test::answer(role_document));
    settings = {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", service.url()}};
    auto const got = aws();
    ASSERT_TRUE(got.has_value()) << got.error().message();
    EXPECT_EQ((*got)->access_key_id, "AKID");
    EXPECT_EQ((*got)->session_token, "HUSHT");
    EXPECT_THAT(service.request(0), HasSubstr("X-aws-ec2-metadata-token-ttl-seconds: 21600\r\n"));
    EXPECT_THAT(service.request(2), HasSubstr("X-aws-ec2-metadata-token: SESSION\r\n"));
}

TEST_F(providers, aws_instance_role_may_be_absent_or_disabled)
{
    settings = {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", service.url()}};
    expect_error(aws(), errc::configuration, "set AWS_ACCESS_KEY_ID");
    settings["AWS_EC2_METADATA_DISABLED"] = "TRUE";
    auto const before = service.requests();
    expect_error(aws(), errc::configuration, "set AWS_ACCESS_KEY_ID");
    EXPECT_EQ(service.requests(), before);
}

TEST_F(providers, aws_instance_that_does_not_answer_is_given_up_soon)
{
    test::script_server silent([](test::peer& to) -> asio::awaitable<void> {
        co_await to.request();
        co_await to.pause(std::chrono::seconds(30));
    });
    settings = {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:" + std::to_string(silent.port())}};
    auto const began = time->since_boot();
    expect_error(aws(), errc::configuration, "set AWS_ACCESS_KEY_ID");
    EXPECT_LT(time->since_boot() - began, std::chrono::seconds(10));
}

TEST_F(providers, aws_container_sends_its_token_and_only_to_places_that_may_have_it)
{
    service.add("GET /creds?a=b ", test::answer(role_document));
    settings = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", service.url() + "/creds?a=b"},
                {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file("token", "HUSH-token\n")}};
    EXPECT_EQ(aws().value()->access_key_id, "AKID");
    EXPECT_THAT(service.request(0), HasSubstr("Authorization: HUSH-token\r\n"));
    settings["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://example.com/creds";
    expect_error(aws(), errc::configuration, "http");
    settings["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "HUSH";
    expect_error(aws(), errc::configuration, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
    for (auto const* const no_path : {"@example.com/creds", ".example.com/creds", "creds"}) {
        settings["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = no_path;
        expect_error(aws(), errc::configuration, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    }
}

TEST_F(providers, aws_web_identity_is_changed_by_sts_and_read_anew_each_time)
{
    service.add("POST / ", test::answer(sts_document));
    settings = {{"AWS_WEB_IDENTITY_TOKEN_FILE", file("token", "j.w.t\n")},
                {"AWS_ROLE_ARN", "arn:r"},
                {"AWS_ENDPOINT_URL_STS", service.url()}};
    auto const made = default_aws_provider(io.get_executor(), *time, from()).value();
    auto const first = test::run(io, made->current()).value();
    EXPECT_EQ(first->access_key_id, "ASSUMED");
    EXPECT_THAT(service.request(0), HasSubstr("&WebIdentityToken=j.w.t"));
    file("token", "n.e.w");
    EXPECT_TRUE(made->refused(first));
    EXPECT_TRUE(test::run(io, made->current()).has_value());
    EXPECT_THAT(service.request(1), HasSubstr("&WebIdentityToken=n.e.w"));
    settings.erase("AWS_ROLE_ARN");
    expect_error(aws(), errc::configuration, "AWS_ROLE_ARN");
}

TEST_F(providers, aws_profile_assumes_its_role_with_a_signed_request)
{
    service.add("POST / ", test::answer(sts_document));
    settings = {{"AWS_PROFILE", "dev"},
                {"AWS_REGION", "eu-west-1"},
                {"AWS_ENDPOINT_URL_STS", service.url()},
                {"AWS_CONFIG_FILE", file("config", "[profile dev]\nrole_arn = arn:r\nsource_profile = base")},
                {"AWS_SHARED_CREDENTIALS_FILE",
                 file("credentials", "[base]\naws_access_key_id = AKID\naws_secret_access_key = HUSH")}};
    auto const got = aws();
    ASSERT_TRUE(got.has_value()) << got.error().message();
    EXPECT_EQ((*got)->access_key_id, "ASSUMED");
    EXPECT_THAT(service.request(0), AllOf(HasSubstr("Credential=AKID/"), HasSubstr("/eu-west-1/sts/aws4_request"),
                                          HasSubstr("Action=AssumeRole&"), Not(HasSubstr("HUSH"))));
    settings.erase("AWS_REGION");
    settings["AWS_CONFIG_FILE"] =
        file("config", "[profile dev]\nrole_arn = arn:r\nsource_profile = base\nregion = eu-central-1");
    EXPECT_TRUE(aws().has_value());
    EXPECT_THAT(service.request(1), HasSubstr("/eu-central-1/sts/aws4_request"));
    settings["AWS_PROFILE"] = "absent";
    expect_error(aws(), errc::configuration, "absent");
    settings["AWS_CONFIG_FILE"] = (folder / "none").string();
    expect_error(aws(), errc::configuration, "absent");
    settings["AWS_CONFIG_FILE"] = folder.string();
    expect_error(aws(), errc::configuration, "AWS_CONFIG_FILE");
}

TEST_F(providers, aws_files_are_found_at_home_and_a_default_with_a_region_alone_configures_nothing)
{
    std::filesystem::create_directory(folder / ".aws");
    file(".aws/config", "[default]\nregion = eu-west-1");
    settings = {{"HOME", folder.string()}, {"AWS_EC2_METADATA_DISABLED", "true"}};
    expect_error(aws(), errc::configuration, "set AWS_ACCESS_KEY_ID");
    file(".aws/credentials", "[default]\naws_access_key_id = AKID\naws_secret_access_key = HUSH");
    EXPECT_EQ(aws().value()->access_key_id, "AKID");
}

TEST_F(providers, aws_files_that_say_nothing_leave_it_to_the_container)
{
    service.add("GET /role ", test::answer(role_document));
    for (auto const& path : {std::string("/dev/null"), (folder / "none").string()}) {
        settings = {{"AWS_CONFIG_FILE", path},
                    {"AWS_SHARED_CREDENTIALS_FILE", path},
                    {"AWS_ALLOW_HTTP", "true"},
                    {"AWS_CONTAINER_CREDENTIALS_FULL_URI", service.url() + "/role"}};
        auto const got = aws();
        ASSERT_TRUE(got.has_value()) << got.error().message();
        EXPECT_EQ((*got)->access_key_id, "AKID");
    }
}

TEST_F(providers, aws_role_is_assumed_by_the_clock_of_sts)
{
    constexpr char const* skewed = "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>";
    service.add_once("POST /base ", test::answer(skewed, "Date: Mon, 01 Jan 2035 00:00:00 GMT\r\n", "403 Forbidden"));
    service.add("POST /base ", test::answer(sts_document));
    settings = {{"AWS_PROFILE", "dev"},
                {"AWS_ENDPOINT_URL_STS", service.url() + "/base"},
                {"AWS_CONFIG_FILE", file("config", "[profile dev]\nrole_arn = arn:r\nsource_profile = base")},
                {"AWS_SHARED_CREDENTIALS_FILE",
                 file("credentials", "[base]\naws_access_key_id = AKID\naws_secret_access_key = HUSH")}};
    auto const got = aws();
    ASSERT_TRUE(got.has_value()) << got.error().message();
    EXPECT_THAT(service.request(0), Not(HasSubstr("X-Amz-Date: 20350101T000000Z")));
    EXPECT_THAT(service.request(1), HasSubstr("20350101T000000Z"));
}

TEST_F(providers, aws_process_prints_credentials)
{
    settings = {{"AWS_PROFILE", "p"}};
    auto const with_command = [&](std::string_view command) {
        settings["AWS_CONFIG_FILE"] = file("config", "[profile p]\ncredential_process = " + std::string(command));
        return aws();
    };
    auto const printed = file("printed", role_document);
    EXPECT_EQ(with_command("cat " + printed).value()->access_key_id, "AKID");
    EXPECT_EQ(with_command("sleep 0.2; cat " + printed).value()->session_token, "HUSHT");
    EXPECT_EQ(with_command("seq 100000 >&2; cat " + printed).value()->session_token, "HUSHT");
    expect_error(with_command("echo HUSH; exit 3"), errc::configuration, "credential_process failed: run it by hand");
    expect_error(with_command("echo HUSH; echo no  such; echo 'role: x' >&2; exit 3"), errc::configuration,
                 "it says: role: x");
    expect_error(with_command("seq 100000 >&2; exit 3"), errc::configuration, "99999 100000");
    expect_error(with_command("echo HUSH"), errc::protocol, "credential_process");
    expect_error(with_command("kill -9 $$"), errc::configuration, "credential_process failed");
    expect_error(with_command("yes HUSH"), errc::limit_exceeded, "max_secret_file");
}

TEST(reach_run, may_be_cancelled_at_every_step)
{
    auto const time = make_system_clock();
    bool over = false;
    for (int steps = 0; !over && steps < 100; ++steps) {
        asio::io_context io(1);
        credentials::reach const how(io.get_executor(), *time, {});
        asio::cancellation_signal cancel;
        std::optional<result<std::string>> ended;
        if (steps == 0) asio::post(io, [&] { cancel.emit(asio::cancellation_type::terminal); });
        async(io.get_executor(), how.run("echo said"),
              asio::bind_cancellation_slot(cancel.slot(), [&](result<std::string> said) { ended = std::move(said); }));
        for (int at = 0; at < steps && !ended; ++at) io.run_one();
        over = ended.has_value();
        cancel.emit(asio::cancellation_type::terminal);
        io.restart();
        io.run();
        ASSERT_TRUE(ended) << steps;
        if (*ended) {
            EXPECT_EQ(**ended, "said\n");
        } else {
            EXPECT_EQ(ended->error().code(), asio::error::operation_aborted) << steps;
        }
    }
    EXPECT_TRUE(over);
}

TEST_F(providers, azure_secret_in_the_settings_needs_no_request)
{
    settings = {{"AZURE_STORAGE_ACCOUNT_KEY", "aGlk"}, {"AZURE_CLIENT_SECRET", "HUSH"}};
    EXPECT_EQ(azure().value()->account_key, "aGlk");
    settings = {{"AZURE_STORAGE_USE_EMULATOR", "true"}};
    EXPECT_FALSE(azure().value()->account_key.empty());
}

TEST_F(providers, azure_application_gets_a_token_by_secret_or_by_file)
{
    service.add("POST /tenant/oauth2/v2.0/token ", test::answer(R"({"access_token":"HUSHT","expires_in":3600})"));
    settings = {{"AZURE_TENANT_ID", "tenant"},
                {"AZURE_CLIENT_ID", "client"},
                {"AZURE_CLIENT_SECRET", "HUSH"},
                {"AZURE_AUTHORITY_HOST", service.url() + "/"}};
    auto const got = azure();
    ASSERT_TRUE(got.has_value()) << got.error().message();
    EXPECT_EQ((*got)->bearer_token, "HUSHT");
    EXPECT_THAT(service.request(0), HasSubstr("&client_secret=HUSH"));
    settings.erase("AZURE_CLIENT_SECRET");
    settings["AZURE_FEDERATED_TOKEN_FILE"] = file("token", "j.w.t");
    EXPECT_TRUE(azure().has_value());
    EXPECT_THAT(service.request(1), HasSubstr("&client_assertion=j.w.t"));
    settings["AZURE_TENANT_ID"] = "other";
    expect_error(azure(), errc::access_denied, "404");
    settings.erase("AZURE_TENANT_ID");
    expect_error(azure(), errc::configuration, "AZURE_TENANT_ID");
}

TEST_F(providers, azure_managed_identity_is_asked_where_it_is)
{
    service.add("GET /metadata/identity/oauth2/token?",
                test::answer(R"({"access_token":"HUSHT","expires_in":"86399"})"));
    service.add("GET /msi/token?", test::answer(R"({"access_token":"HUSHA","expires_on":"32503680000"})"));
    settings = {{"AZURE_POD_IDENTITY_AUTHORITY_HOST", service.url()}, {"AZURE_CLIENT_ID", "id"}};
    EXPECT_EQ(azure().value()->bearer_token, "HUSHT");
    EXPECT_THAT(service.request(0), AllOf(HasSubstr("&client_id=id "), HasSubstr("Metadata: true\r\n")));
    settings["IDENTITY_ENDPOINT"] = service.url() + "/msi/token";
    expect_error(azure(), errc::configuration, "IDENTITY_HEADER");
    settings["IDENTITY_HEADER"] = "HUSH";
    EXPECT_EQ(azure().value()->bearer_token, "HUSHA");
    EXPECT_THAT(service.request(1), HasSubstr("X-IDENTITY-HEADER: HUSH\r\n"));
}

TEST_F(providers, metadata_services_beyond_this_machine_are_not_asked_in_clear)
{
    auto const elsewhere = "http://store.invalid";
    settings = {{"AZURE_POD_IDENTITY_AUTHORITY_HOST", elsewhere}};
    expect_error(azure(), errc::configuration, "plain http");
    settings = {{"IDENTITY_ENDPOINT", elsewhere}, {"IDENTITY_HEADER", "HUSH"}};
    expect_error(azure(), errc::configuration, "plain http");
    auto const may = [&] { return default_azure_provider(io.get_executor(), *time, from()).has_value(); };
    settings["AZURE_ALLOW_HTTP"] = "true";
    EXPECT_TRUE(may());
    settings.erase("AZURE_ALLOW_HTTP");
    settings["IDENTITY_ENDPOINT"] = "https://store.invalid";
    EXPECT_TRUE(may());
    settings["IDENTITY_ENDPOINT"] = "http://169.254.130.2:8081/msi/token";
    EXPECT_TRUE(may());
    settings = {{"AWS_EC2_METADATA_SERVICE_ENDPOINT", elsewhere}};
    expect_error(aws(), errc::configuration, "plain http");
}

TEST(metadata_host, is_one_that_no_router_passes_on)
{
    for (auto const* const host : {"169.254.169.254", "169.254.0.1", "fe80::1", "fd00:ec2::254", "fd00:ec2::23"}) {
        EXPECT_TRUE(credentials::is_metadata_host(host)) << host;
    }
    for (auto const* const host :
         {"169.253.169.254", "10.0.0.1", "fd00:ec3::254", "127.0.0.1", "169.254.example", ""}) {
        EXPECT_FALSE(credentials::is_metadata_host(host)) << host;
    }
}

TEST_F(providers, azure_machine_without_identity_says_what_to_set)
{
    test::script_server closing([](test::peer&) -> asio::awaitable<void> { co_return; });
    settings = {{"AZURE_POD_IDENTITY_AUTHORITY_HOST", "http://127.0.0.1:" + std::to_string(closing.port())}};
    expect_error(azure(), errc::configuration, "set AZURE_STORAGE_ACCOUNT_KEY");
}

}  // namespace
}  // namespace headwater
