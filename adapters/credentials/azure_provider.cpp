// The Azure chain: which source the settings configure, and how each fetches.
#include "adapters/credentials/reach.hpp"
#include "adapters/credentials/refreshing.hpp"
#include "adapters/credentials/settings.hpp"
#include "adapters/credentials/token_requests.hpp"
#include "adapters/http/url.hpp"

#include <array>
#include <utility>

namespace headwater {

namespace credentials {

namespace {

using azure_lease = leased<azure_credentials>;

/// An application or a managed identity that Entra knows.
class entra_source {
public:
    entra_source(reach how, environment const& settings) : how_(std::move(how)), settings_(settings) {}

    /// Whether the settings can work. No request.
    result<void> check() const;
    task<azure_lease> fetch();

private:
    enum class way { secret, assertion, app_service, machine };

    std::string value(std::string_view name) const { return setting(settings_, {name}); }
    way chosen() const;
    result<http::url> address() const;
    result<http::endpoint> endpoint(http::url const& of) const;

    reach how_;
    environment settings_;
    bool had_identity_ = false;  ///< The machine's metadata service has answered once.
};

entra_source::way entra_source::chosen() const
{
    if (!value("AZURE_CLIENT_SECRET").empty()) return way::secret;
    if (!value("AZURE_FEDERATED_TOKEN_FILE").empty()) return way::assertion;
    return value("IDENTITY_ENDPOINT").empty() ? way::machine : way::app_service;
}

result<http::url> entra_source::address() const
{
    std::array<std::pair<char const*, char const*>, 3> const defaults{
        {{"AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com"},
         {"IDENTITY_ENDPOINT", ""},
         {"AZURE_POD_IDENTITY_AUTHORITY_HOST", "http://169.254.169.254"}}};
    auto const how = chosen();
    auto const& [name, otherwise] = defaults[how == way::app_service ? 1 : how == way::machine ? 2 : 0];
    auto text = value(name);
    if (text.empty()) text = otherwise;
    if (text.find("://") == std::string::npos) text.insert(0, "https://");
    auto read = http::parse_url(text);
    if (!read) return error(errc::configuration, std::string(name) + " is no address that may be used");
    while (read->path.ends_with('/')) read->path.pop_back();
    return read;
}

result<http::endpoint> entra_source::endpoint(http::url const& of) const
{
    auto const how = chosen();
    // Both are the machine's own and speak no TLS, but not to anywhere else.
    bool const local = (how == way::machine || how == way::app_service) && is_metadata_host(of.host);
    return http::endpoint_of(of, local || enabled(settings_, "AZURE_ALLOW_HTTP"));
}

result<void> entra_source::check() const
{
    auto const how = chosen();
    bool const application = how == way::secret || how == way::assertion;
    if (application && (value("AZURE_TENANT_ID").empty() || value("AZURE_CLIENT_ID").empty())) {
        return error(errc::configuration, "AZURE_CLIENT_SECRET or AZURE_FEDERATED_TOKEN_FILE is set: set "
                                          "AZURE_TENANT_ID and AZURE_CLIENT_ID too");
    }
    if (how == way::app_service && !is_visible_ascii(value("IDENTITY_HEADER"))) {
        return error(errc::configuration, "IDENTITY_ENDPOINT is set: set IDENTITY_HEADER too");
    }
    auto const read = address();
    if (!read) return read.error();
    auto const where = endpoint(*read);
    return where ? result<void>() : result<void>(where.error());
}

task<azure_lease> entra_source::fetch()
{
    auto const read = address();
    if (!read) co_return read.error();
    auto const where = endpoint(*read);
    if (!where) co_return where.error();
    auto const client = value("AZURE_CLIENT_ID");
    auto const how = chosen();
    http::request request;
    std::string_view from = "Microsoft Entra";
    if (how == way::secret) {
        request = entra_token(read->path, value("AZURE_TENANT_ID"), client, value("AZURE_CLIENT_SECRET"), "");
    } else if (how == way::assertion) {
        auto const token = read_secret_file(value("AZURE_FEDERATED_TOKEN_FILE"), "AZURE_FEDERATED_TOKEN_FILE");
        if (!token) co_return token.error();
        request = entra_token(read->path, value("AZURE_TENANT_ID"), client, "", *token);
    } else if (how == way::app_service) {
        from = "the App Service's managed identity";
        request = app_service_identity(read->path, client, value("IDENTITY_HEADER"));
    } else {
        from = "the machine's managed identity";
        request = vm_identity(client);
    }
    bool const local = how == way::machine || how == way::app_service;
    auto asked = local ? how_.ask_machine(*where, request, from) : how_.ask(*where, request, from);
    auto const answer = co_await std::move(asked);
    if (answer) {
        had_identity_ = true;
        co_return read_token(*answer, from, how_.time().now());
    }
    if (how != way::machine || had_identity_) co_return answer.error();
    auto const nothing_set = azure_credentials_from(settings_);
    diagnostics told = answer.error().why() ? *answer.error().why() : diagnostics();
    if (nothing_set.has_error() && nothing_set.error().why()) {
        told.detail =
            nothing_set.error().why()->detail + "; this machine has no managed identity (" + told.detail + ')';
    }
    co_return error(errc::configuration, std::move(told));
}

task<azure_lease> fetch_from(std::shared_ptr<entra_source> source) { co_return co_await source->fetch(); }

bool names_a_secret(environment const& settings)
{
    return !setting(settings,
                    {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_TOKEN"})
                .empty()
           || enabled(settings, "AZURE_STORAGE_USE_EMULATOR");
}

}  // namespace

}  // namespace credentials

result<std::shared_ptr<azure_provider>> default_azure_provider(boost::asio::any_io_executor executor, clock& time,
                                                               environment const& settings, http_options options)
{
    using namespace credentials;
    if (names_a_secret(settings)) {
        auto found = azure_credentials_from(settings);
        if (!found) return found.error();
        return fixed_provider(*std::move(found));
    }
    reach how(executor, time, std::move(options));
    auto source = std::make_shared<entra_source>(std::move(how), settings);
    if (auto good = source->check(); !good) return good.error();
    auto fetch = [source] { return fetch_from(source); };
    return std::shared_ptr<azure_provider>(
        std::make_shared<refreshing<azure_credentials>>(std::move(executor), time, std::move(fetch)));
}

}  // namespace headwater
