// The AWS chain: which source the settings configure, and how each fetches.
#include "adapters/credentials/aws_profile.hpp"
#include "adapters/credentials/profile_files.hpp"
#include "adapters/credentials/reach.hpp"
#include "adapters/credentials/refreshing.hpp"
#include "adapters/credentials/settings.hpp"
#include "adapters/credentials/sigv4.hpp"
#include "adapters/credentials/token_requests.hpp"
#include "adapters/http/date.hpp"
#include "adapters/http/url.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

namespace headwater {

namespace credentials {

namespace {

using aws_lease = leased<aws_credentials>;

constexpr char const* nothing_configured =
    "no S3 credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of the AWS files";

/// A service's address: where to connect, and the path that its requests begin with.
class service {
public:
    service() = default;

    http::endpoint where;
    std::string path;
};

result<service> service_at(std::string_view address, bool allow_http, std::string_view setting_name)
{
    auto const refused = [&] {
        return error(errc::configuration, std::string(setting_name) + " is no address that may be used");
    };
    auto const query = address.find('?');
    auto const read = http::parse_url(address.substr(0, query));
    if (!read) return refused();
    auto where = http::endpoint_of(*read, allow_http);
    if (!where) return where.error() == errc::configuration ? where.error() : refused();
    service out;
    out.where = *std::move(where);
    out.path = read->path;
    if (query != address.npos) out.path += address.substr(query);
    return out;
}

/// The same for a service of the machine, which speaks plain http at an address that no router passes on.
result<service> machine_service_at(std::string_view address, bool allow_http, std::string_view setting_name)
{
    auto const read = http::parse_url(address.substr(0, address.find('?')));
    return service_at(address, allow_http || (read && is_metadata_host(read->host)), setting_name);
}

/// One configured way to credentials: everything it needs is here, and each fetch begins afresh.
class aws_source {
public:
    aws_source(reach how, environment const& settings) : how_(std::move(how)), settings_(with_profile(settings)) {}

    /// Decides what `settings` configure, and whether it can work. No request, no program; the AWS files are read.
    result<void> choose();

    bool is_fixed() const { return std::holds_alternative<aws_credentials>(plan_.first) && plan_.roles.empty(); }
    aws_credentials const& keys() const { return std::get<aws_credentials>(plan_.first); }

    task<aws_lease> fetch()
    {
        // The files may have changed since.
        if (auto chosen = choose(); !chosen) co_return chosen.error();
        auto got = co_await first();
        for (auto const& each : plan_.roles) {
            if (!got) break;
            got = co_await assume(each, got->value);
        }
        co_return got;
    }

private:
    result<void> choose_profile(bool required);
    result<void> choose_named(std::string const& name);
    std::string value(std::string_view name) const { return setting(settings_, {name}); }
    bool allow_http() const { return enabled(settings_, "AWS_ALLOW_HTTP"); }

    task<aws_lease> first();
    task<aws_lease> assume(role const& what, aws_credentials& with);
    task<aws_lease> from_web_identity(web_identity_source const& what);
    task<aws_lease> from_container();
    task<aws_lease> from_instance();
    result<service> sts() const;
    result<service> container() const;

    reach how_;
    environment settings_;
    profile_plan plan_;
    bool had_role_ = false;  ///< The instance metadata has answered once.
};

result<void> aws_source::choose()
{
    plan_ = profile_plan();
    if (!value("AWS_ACCESS_KEY_ID").empty() || !value("AWS_SECRET_ACCESS_KEY").empty())
        return choose_named("Environment");
    if (auto file = value("AWS_WEB_IDENTITY_TOKEN_FILE"); !file.empty()) {
        web_identity_source source;
        source.token_file = std::move(file);
        source.as.arn = value("AWS_ROLE_ARN");
        if (auto name = value("AWS_ROLE_SESSION_NAME"); !name.empty()) source.as.session = std::move(name);
        if (source.as.arn.empty()) {
            return error(errc::configuration, "AWS_WEB_IDENTITY_TOKEN_FILE is set: set AWS_ROLE_ARN too");
        }
        plan_.first = std::move(source);
        return {};
    }
    auto by_profile = choose_profile(!value("AWS_PROFILE").empty());
    if (by_profile || !(by_profile.error() == errc::not_found)) return by_profile;
    bool const in_container = !value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty()
                              || !value("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty();
    return choose_named(in_container ? "EcsContainer" : "Ec2InstanceMetadata");
}

/// Checks the plan's named source, or makes it one.
result<void> aws_source::choose_named(std::string const& name)
{
    if (name == "Environment") {
        auto keys = aws_credentials_from(settings_);
        if (!keys) return keys.error();
        plan_.first = *std::move(keys);
        return {};
    }
    plan_.first = named_source{name};
    if (name == "EcsContainer") {
        auto const where = container();
        return where ? result<void>() : result<void>(where.error());
    }
    if (name != "Ec2InstanceMetadata") {
        return error(errc::configuration, "credential_source is Environment, EcsContainer or Ec2InstanceMetadata");
    }
    if (enabled(settings_, "AWS_EC2_METADATA_DISABLED")) return error(errc::configuration, nothing_configured);
    return {};
}

/// `not_found`: there is no profile, and none has been asked for.
result<void> aws_source::choose_profile(bool required)
{
    auto const profiles = read_profiles(settings_);
    if (!profiles && !(required && profiles.error() == errc::not_found)) return profiles.error();
    auto const name = required ? value("AWS_PROFILE") : std::string("default");
    ini_sections const none;
    auto const& all = profiles ? *profiles : none;
    auto const found = all.find(name);
    // A default profile with a region alone is common, and configures nothing.
    if (!required && found == all.end()) return error(errc::not_found);
    auto plan = plan_profile(all, name);
    if (!plan) {
        constexpr std::array<std::string_view, 5> telling{"aws_access_key_id", "role_arn", "credential_process",
                                                          "sso_session", "sso_start_url"};
        bool const says_something =
            required || std::ranges::any_of(telling, [&](auto each) { return found->second.contains(each); });
        return says_something ? plan.error() : error(errc::not_found);
    }
    plan_ = *std::move(plan);
    auto const* const named = std::get_if<named_source>(&plan_.first);
    if (!named) return {};
    return choose_named(std::string(named->name));
}

task<aws_lease> aws_source::first()
{
    if (auto const* const keys = std::get_if<aws_credentials>(&plan_.first)) co_return aws_lease(*keys);
    if (auto const* const source = std::get_if<web_identity_source>(&plan_.first)) {
        co_return co_await from_web_identity(*source);
    }
    if (auto const* const source = std::get_if<process_source>(&plan_.first)) {
        auto const printed = co_await how_.run(source->command);
        if (!printed) co_return printed.error();
        co_return read_process(*printed);
    }
    if (std::get<named_source>(plan_.first).name == "EcsContainer") co_return co_await from_container();
    co_return co_await from_instance();
}

result<service> aws_source::sts() const
{
    auto address = value("AWS_ENDPOINT_URL_STS");
    if (!address.empty()) return service_at(address, allow_http(), "AWS_ENDPOINT_URL_STS");
    auto const region = setting(settings_, {"AWS_REGION", "AWS_DEFAULT_REGION"});
    address = "https://sts." + (region.empty() ? "us-east-1" : region)
              + (region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
    return service_at(address, false, "AWS_REGION");
}

task<aws_lease> aws_source::assume(role const& what, aws_credentials& with)
{
    constexpr std::string_view from = "STS (AssumeRole)";
    auto const at = sts();
    if (!at) co_return at.error();
    auto const region = setting(settings_, {"AWS_REGION", "AWS_DEFAULT_REGION"});
    sigv4_signer signer(region.empty() ? "us-east-1" : region, "sts");
    auto const plain = assume_role(at->path, what);
    auto now = how_.time().now();
    for (bool corrected = false;; corrected = true) {
        auto const ready = signer.sign(plain, at->where.authority, now, payload::hashed, with);
        auto const answer = co_await how_.ask(at->where, ready, from);
        if (!answer) co_return answer.error();
        auto const date = http::parse_http_date(answer->find("date"));
        bool const by_clock = answer->status == 400 || answer->status == 403;
        if (corrected || !by_clock || !date || !is_skewed(now, *date)) co_return read_sts(*answer, from);
        now = *date;
    }
}

task<aws_lease> aws_source::from_web_identity(web_identity_source const& what)
{
    constexpr std::string_view from = "STS (AssumeRoleWithWebIdentity)";
    auto const at = sts();
    if (!at) co_return at.error();
    auto const token = read_secret_file(what.token_file, "the web identity token");
    if (!token) co_return token.error();
    auto const request = assume_role_with(at->path, *token, what.as);
    auto const answer = co_await how_.ask(at->where, request, from);
    if (!answer) co_return answer.error();
    co_return read_sts(*answer, from);
}

/// Where a container's credentials are.
result<service> aws_source::container() const
{
    constexpr char const* relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
    constexpr char const* full = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
    auto const path = value(relative);
    if (path.empty()) return machine_service_at(value(full), allow_http(), full);
    // What began otherwise would go on with the host's name.
    if (!path.starts_with('/')) return error(errc::configuration, std::string(relative) + " must begin with a slash");
    return machine_service_at("http://169.254.170.2" + path, false, relative);
}

task<aws_lease> aws_source::from_container()
{
    constexpr std::string_view from = "the container's credentials endpoint";
    auto const at = container();
    if (!at) co_return at.error();
    auto authorization = value("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (auto const file = value("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
        auto read = read_secret_file(file, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
        if (!read) co_return read.error();
        authorization = *std::move(read);
    }
    if (!authorization.empty() && authorization.find_first_of("\r\n") != std::string::npos) {
        co_return error(errc::configuration, "the container's authorization token has a line break");
    }
    auto const request = container_role(at->path, authorization);
    auto const answer = co_await how_.ask_machine(at->where, request, from);
    if (!answer) co_return answer.error();
    co_return read_role(*answer, from);
}

/// A machine that never had a role is taken for none of EC2's: what helps is a setting, and no other try.
error no_instance(error const& why)
{
    diagnostics told = why.why() ? *why.why() : diagnostics();
    told.detail = std::string(nothing_configured) + "; this machine has no instance role (" + told.detail + ')';
    return {errc::configuration, std::move(told)};
}

task<aws_lease> aws_source::from_instance()
{
    constexpr std::string_view from = "the instance metadata (IMDSv2)";
    auto address = value("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (address.empty()) address = "http://169.254.169.254";
    auto const at = machine_service_at(address, allow_http(), "AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (!at) co_return at.error();
    auto const begin = ec2_session();
    auto answer = co_await how_.ask_machine(at->where, begin, from);
    if (!answer) co_return had_role_ ? answer.error() : no_instance(answer.error());
    auto const session = read_text(*answer, from);
    if (!session) co_return had_role_ ? session.error() : no_instance(session.error());
    had_role_ = true;
    auto const which = ec2_role_name(*session);
    answer = co_await how_.ask_machine(at->where, which, from);
    if (!answer) co_return answer.error();
    auto const name = read_text(*answer, from);
    if (!name) co_return name.error();
    auto const request = ec2_role(*session, *name);
    answer = co_await how_.ask_machine(at->where, request, from);
    if (!answer) co_return answer.error();
    co_return read_role(*answer, from);
}

task<aws_lease> fetch_from(std::shared_ptr<aws_source> source) { co_return co_await source->fetch(); }

}  // namespace

}  // namespace credentials

result<std::shared_ptr<aws_provider>> default_aws_provider(boost::asio::any_io_executor executor, clock& time,
                                                           environment const& settings, http_options options)
{
    using namespace credentials;
    reach how(executor, time, std::move(options));
    auto source = std::make_shared<aws_source>(std::move(how), settings);
    if (auto chosen = source->choose(); !chosen) return chosen.error();
    if (source->is_fixed()) return fixed_provider(source->keys());
    auto fetch = [source] { return fetch_from(source); };
    return std::shared_ptr<aws_provider>(
        std::make_shared<refreshing<aws_credentials>>(std::move(executor), time, std::move(fetch)));
}

}  // namespace headwater
