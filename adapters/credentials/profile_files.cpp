// Reads the two files; a file that cannot be read says nothing about settings, and its error comes with the
// credentials.
#include "adapters/credentials/profile_files.hpp"

#include "adapters/credentials/aws_profile.hpp"
#include "adapters/credentials/reach.hpp"
#include "adapters/credentials/settings.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace headwater::credentials {

namespace {

std::string text_in(ini_sections const& all, std::string_view section, std::string_view name)
{
    auto const there = all.find(section);
    if (there == all.end()) return {};
    auto const found = there->second.find(name);
    return found == there->second.end() ? std::string() : found->second;
}

using setting_table = std::map<std::string, std::string, std::less<>>;

setting_table settings_of(ini_sections const& all, std::string const& profile)
{
    auto const in_profile = [&](std::string_view name) { return text_in(all, profile, name); };
    auto const services = "services " + in_profile("services");
    auto endpoint = text_in(all, services, "s3.endpoint_url");
    if (endpoint.empty()) endpoint = in_profile("endpoint_url");
    auto const style = in_profile("s3.addressing_style");
    return {
        {"AWS_DEFAULT_REGION", in_profile("region")},
        {"AWS_CA_BUNDLE", in_profile("ca_bundle")},
        {"AWS_ENDPOINT_URL", std::move(endpoint)},
        {"AWS_ENDPOINT_URL_STS", text_in(all, services, "sts.endpoint_url")},
        {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", in_profile("ignore_configured_endpoint_urls")},
        {"AWS_S3_FORCE_PATH_STYLE", style == "path"      ? "true"
                                    : style == "virtual" ? "false"
                                                         : ""},
    };
}

}  // namespace

result<ini_sections> read_profiles(environment const& settings)
{
    auto const home = setting(settings, {"HOME"});
    ini_sections both[2];
    std::array<std::pair<char const*, char const*>, 2> const files{
        {{"AWS_CONFIG_FILE", "/.aws/config"}, {"AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials"}}};
    bool any = false;
    for (std::size_t at = 0; at < files.size(); ++at) {
        auto path = setting(settings, {files[at].first});
        bool const named = !path.empty();
        if (!named && home.empty()) continue;
        if (!named) path = home + files[at].second;
        auto const text = read_settings_file(path, files[at].first);
        // The vendor's own tools pass over a file that is empty or not there, even one that the settings name.
        std::error_code unknown;
        bool const gone = std::filesystem::status(path, unknown).type() == std::filesystem::file_type::not_found;
        if (!text && named && !gone) return text.error();
        if (!text || text->empty()) continue;
        both[at] = parse_ini(*text);
        any = true;
    }
    if (!any) return error(errc::not_found);
    return merge_profiles(both[0], both[1]);
}

environment with_profile(environment settings)
{
    auto profile = setting(settings, {"AWS_PROFILE"});
    if (profile.empty()) profile = "default";
    auto const all = read_profiles(settings);
    environment both = [settings = std::move(settings),
                        table = all ? settings_of(*all, profile) : setting_table()](std::string_view name) {
        auto set = settings(name);
        if (set && !set->empty()) return set;
        auto const found = table.find(name);
        bool const told = found != table.end() && !found->second.empty();
        return told ? std::optional(found->second) : set;
    };
    if (!enabled(both, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")) return both;
    return [both = std::move(both)](std::string_view name) {
        return name.starts_with("AWS_ENDPOINT_URL") ? std::optional<std::string>() : both(name);
    };
}

}  // namespace headwater::credentials
