// The connection string's reader: names without case, values to the next semicolon.
#include "adapters/credentials/azure_connection_string.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headwater::credentials {

namespace {

error refused(std::string why) { return {errc::configuration, "AZURE_STORAGE_CONNECTION_STRING " + std::move(why)}; }

bool same_name(std::string_view left, std::string_view right) noexcept
{
    constexpr auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [=](char a, char b) { return lower(a) == lower(b); });
}

std::string_view trimmed(std::string_view text) noexcept
{
    auto const first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

result<azure_connection> parse_azure_connection_string(std::string_view text)
{
    azure_connection found;
    std::string protocol = "https", suffix = "core.windows.net", development;
    std::array<std::pair<std::string_view, std::string*>, 7> const known{{{"AccountName", &found.account},
                                                                          {"AccountKey", &found.account_key},
                                                                          {"SharedAccessSignature", &found.sas_token},
                                                                          {"BlobEndpoint", &found.endpoint},
                                                                          {"DefaultEndpointsProtocol", &protocol},
                                                                          {"EndpointSuffix", &suffix},
                                                                          {"UseDevelopmentStorage", &development}}};
    while (!text.empty()) {
        std::string_view const part = trimmed(text.substr(0, text.find(';')));
        text.remove_prefix(std::min(text.find(';'), text.size() - 1) + 1);
        if (part.empty()) continue;
        auto const equals = part.find('=');
        if (equals == part.npos) return refused("has a part without '=': it is Name=value, joined by semicolons");
        for (auto const& [name, target] : known) {
            if (same_name(name, part.substr(0, equals))) *target = part.substr(equals + 1);
        }
    }
    if (same_name(development, "true")) {
        found = {std::string(azurite_account), std::string(azurite_key), {}, std::string(azurite_address)};
    }
    if (found.endpoint.empty()) {
        if (found.account.empty()) return refused("names neither AccountName nor BlobEndpoint");
        found.endpoint = protocol + "://" + found.account + ".blob." + suffix;
    }
    return found;
}

}  // namespace headwater::credentials
