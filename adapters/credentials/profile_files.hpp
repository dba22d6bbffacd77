// The AWS files ~/.aws/config and ~/.aws/credentials: read, and put beneath the settings of the environment.
#pragma once

#include "adapters/credentials/ini.hpp"

#include <headwater/adapters/credentials.hpp>

namespace headwater::credentials {

/// Both files as one: see `merge_profiles`. `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE` name others.
/// `not_found`: there is neither; `configuration`: one that is named cannot be read.
result<ini_sections> read_profiles(environment const& settings);

/// `settings`, and where they say nothing, what the profile (`AWS_PROFILE`, or `default`) says: `region` as
/// `AWS_DEFAULT_REGION`, `ca_bundle` as `AWS_CA_BUNDLE`, `endpoint_url` as `AWS_ENDPOINT_URL`, the ones of its
/// `services` for `s3` and `sts` as `AWS_ENDPOINT_URL` and `AWS_ENDPOINT_URL_STS`, and `s3`'s `addressing_style` as
/// `AWS_S3_FORCE_PATH_STYLE`. Those names come last among the ones that are looked up, so the environment wins.
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
environment with_profile(environment settings);

}  // namespace headwater::credentials
