// Follows source_profile to where the first credentials come from.
#include "adapters/credentials/aws_profile.hpp"

#include "adapters/credentials/settings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace headwater::credentials {

namespace {

error unusable_profile(std::string_view name, std::string_view why)
{
    return {errc::configuration, "the AWS profile " + std::string(name) + ' ' + std::string(why)};
}

std::string profile_value(ini_section const& of, std::string_view name)
{
    auto const found = of.find(name);
    return found == of.end() ? std::string() : found->second;
}

role role_of(ini_section const& of)
{
    role out;
    out.arn = profile_value(of, "role_arn");
    if (auto session = profile_value(of, "role_session_name"); !session.empty()) out.session = std::move(session);
    out.external_id = profile_value(of, "external_id");
    out.duration = profile_value(of, "duration_seconds");
    return out;
}

/// Credentials that need no other profile; nothing: there are none.
std::optional<first_source> own_source(ini_section const& of)
{
    if (auto id = profile_value(of, "aws_access_key_id"); !id.empty()) {
        return aws_credentials{std::move(id), profile_value(of, "aws_secret_access_key"),
                               profile_value(of, "aws_session_token")};
    }
    if (auto command = profile_value(of, "credential_process"); !command.empty()) {
        return process_source{std::move(command)};
    }
    return std::nullopt;
}

bool is_complete(first_source const& source)
{
    auto const* const keys = std::get_if<aws_credentials>(&source);
    return !keys
           || (is_visible_ascii(keys->access_key_id) && is_visible_ascii(keys->secret_access_key)
               && (keys->session_token.empty() || is_visible_ascii(keys->session_token)));
}

/// One step: the profile's own source, or the name of the next profile.
result<std::variant<first_source, std::string>> step_of(std::string_view name, ini_section const& profile, bool self)
{
    using step = std::variant<first_source, std::string>;
    bool const assumes = profile.contains("role_arn") && !self;
    if (assumes) {
        if (profile.contains("mfa_serial")) return unusable_profile(name, "asks for a code that only a person has");
        if (auto file = profile_value(profile, "web_identity_token_file"); !file.empty()) {
            return step(first_source(web_identity_source{std::move(file), role_of(profile)}));
        }
        if (auto next = profile_value(profile, "source_profile"); !next.empty()) return step(std::move(next));
        if (auto source = profile_value(profile, "credential_source"); !source.empty()) {
            return step(first_source(named_source{std::move(source)}));
        }
        return unusable_profile(name, "has a role_arn, but neither source_profile, credential_source nor "
                                      "web_identity_token_file");
    }
    if (auto own = own_source(profile)) {
        if (is_complete(*own)) return step(*std::move(own));
        return unusable_profile(name, "has an access key without its secret, or with characters that none has");
    }
    if (profile.contains("sso_session") || profile.contains("sso_start_url")) {
        return unusable_profile(name, "signs in with SSO: set credential_process = aws configure export-credentials "
                                      "--format process --profile …");
    }
    return unusable_profile(name, "says nothing about credentials");
}

}  // namespace

ini_sections merge_profiles(ini_sections const& config, ini_sections const& credentials)
{
    constexpr std::string_view mark = "profile ";
    ini_sections out;
    for (auto const& [name, section] : config) {
        if (name == "default") out[name] = section;
        if (name.starts_with(mark))
            out[name.substr(std::min(name.find_first_not_of(' ', mark.size()), name.size()))] = section;
        if (name.starts_with("services ")) out[name] = section;
    }
    for (auto const& [name, section] : credentials) {
        for (auto const& [setting_name, value] : section) out[name].insert_or_assign(setting_name, value);
    }
    return out;
}

result<profile_plan> plan_profile(ini_sections const& profiles, std::string_view name)
{
    profile_plan plan;
    std::string at(name);
    for (bool self = false; plan.roles.size() < max_profile_chain;) {
        auto const found = profiles.find(at);
        if (found == profiles.end()) return unusable_profile(at, "is in neither of the AWS files");
        auto step = step_of(at, found->second, self);
        if (!step) return step.error();
        if (auto* const source = std::get_if<first_source>(&*step)) {
            bool const assumed = std::holds_alternative<named_source>(*source);
            if (assumed) plan.roles.push_back(role_of(found->second));
            plan.first = std::move(*source);
            std::ranges::reverse(plan.roles);
            return plan;
        }
        plan.roles.push_back(role_of(found->second));
        auto next = std::get<std::string>(std::move(*step));
        self = next == at;  // A profile may assume its role with its own keys.
        at = std::move(next);
    }
    return unusable_profile(name, "names other profiles in a circle, or more than max_profile_chain (8) of them");
}

}  // namespace headwater::credentials
