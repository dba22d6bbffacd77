// AWS access keys from settings.
#include "adapters/credentials/settings.hpp"

namespace headwater {

namespace {

error refused(std::string_view name)
{
    return {errc::configuration,
            std::string(name) + " has a character that no AWS credential has, such as a line break"};
}

}  // namespace

result<aws_credentials> aws_credentials_from(environment const& settings)
{
    using namespace credentials;
    aws_credentials found;
    found.access_key_id = setting(settings, {"AWS_ACCESS_KEY_ID"});
    found.secret_access_key = setting(settings, {"AWS_SECRET_ACCESS_KEY"});
    found.session_token = setting(settings, {"AWS_SESSION_TOKEN"});
    if (found.access_key_id.empty() || found.secret_access_key.empty()) {
        return error(errc::configuration,
                     "no S3 credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for "
                     "temporary ones");
    }
    if (!is_visible_ascii(found.access_key_id)) return refused("AWS_ACCESS_KEY_ID");
    if (!is_visible_ascii(found.secret_access_key)) return refused("AWS_SECRET_ACCESS_KEY");
    if (!found.session_token.empty() && !is_visible_ascii(found.session_token)) return refused("AWS_SESSION_TOKEN");
    return found;
}

}  // namespace headwater
