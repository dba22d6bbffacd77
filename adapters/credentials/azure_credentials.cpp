// Azure account keys and SAS tokens from settings.
#include "adapters/credentials/azure_connection_string.hpp"
#include "adapters/credentials/settings.hpp"

namespace headwater {

namespace {

result<azure_credentials> checked(azure_credentials found, std::string_view source)
{
    std::string const& secret = found.account_key.empty() ? found.sas_token : found.account_key;
    if (secret.empty())
        return error(errc::configuration, std::string(source) + " has neither AccountKey nor SharedAccessSignature");
    if (credentials::is_visible_ascii(secret)) return found;
    return error(errc::configuration,
                 std::string(source) + " has a character that no Azure credential has, such as a line break");
}

azure_credentials key(std::string value)
{
    azure_credentials made;
    made.account_key = std::move(value);
    return made;
}

azure_credentials sas(std::string value)
{
    azure_credentials made;
    made.sas_token = std::move(value);
    return made;
}

}  // namespace

result<azure_credentials> azure_credentials_from(environment const& settings)
{
    using namespace credentials;
    if (auto text = setting(settings, {"AZURE_STORAGE_CONNECTION_STRING"}); !text.empty()) {
        auto parts = parse_azure_connection_string(text);
        if (!parts) return parts.error();
        auto found = parts->account_key.empty() ? sas(std::move(parts->sas_token)) : key(std::move(parts->account_key));
        return checked(std::move(found), "AZURE_STORAGE_CONNECTION_STRING");
    }
    if (auto text = setting(settings, {"AZURE_STORAGE_ACCOUNT_KEY"}); !text.empty()) {
        return checked(key(std::move(text)), "AZURE_STORAGE_ACCOUNT_KEY");
    }
    if (auto text = setting(settings, {"AZURE_STORAGE_SAS_TOKEN"}); !text.empty()) {
        return checked(sas(std::move(text)), "AZURE_STORAGE_SAS_TOKEN");
    }
    if (enabled(settings, "AZURE_STORAGE_USE_EMULATOR")) return key(std::string(azurite_key));
    return error(errc::configuration, "no Azure credentials: set AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN or "
                                      "AZURE_STORAGE_CONNECTION_STRING; for Azurite, AZURE_STORAGE_USE_EMULATOR=true");
}

}  // namespace headwater
