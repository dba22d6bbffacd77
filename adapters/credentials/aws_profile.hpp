// What a profile of the AWS files says about credentials: where the first come from, and which roles they then assume.
// Pure.
#pragma once

#include "adapters/credentials/ini.hpp"

#include <headwater/adapters/credentials.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headwater::credentials {

/// The longest chain of profiles that name each other.
inline constexpr std::size_t max_profile_chain = 8;

/// A role to assume.
struct role {
    role() = default;

    std::string arn{};
    std::string session = "headwater";
    std::string external_id{};
    std::string duration{};  ///< Seconds; empty: the service's own.
};

/// A program that prints credentials.
struct process_source {
    process_source() = default;
    explicit process_source(std::string text) : command(std::move(text)) {}

    std::string command{};
};
/// A token in a file, which STS changes for credentials of the role.
struct web_identity_source {
    web_identity_source() = default;
    web_identity_source(std::string file, role assumed) : token_file(std::move(file)), as(std::move(assumed)) {}

    std::string token_file{};
    role as{};
};
/// `credential_source`: `Environment`, `EcsContainer` or `Ec2InstanceMetadata`.
struct named_source {
    named_source() = default;
    explicit named_source(std::string which) : name(std::move(which)) {}

    std::string name{};
};

using first_source = std::variant<aws_credentials, process_source, web_identity_source, named_source>;

struct profile_plan {
    profile_plan() = default;

    first_source first{};
    std::vector<role> roles{};  ///< In the order in which they are assumed.
};

/// The two files as one: sections by the profile's name, and those of `services` by both words. What the credentials
/// file says wins.
ini_sections merge_profiles(ini_sections const& config, ini_sections const& credentials);

/// Reads a profile. `configuration`: it is not there, says nothing about credentials, names itself in a circle, or
/// needs what only a person or another program can do. No message repeats a value but the profile's name.
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-assume-role-credentials.html
result<profile_plan> plan_profile(ini_sections const& profiles, std::string_view name);

}  // namespace headwater::credentials
