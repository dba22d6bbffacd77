// The requests that ask for credentials, and the readers of what is answered: STS, EC2, containers, Entra. Pure.
#pragma once

#include "adapters/credentials/aws_profile.hpp"
#include "adapters/credentials/leased.hpp"
#include "adapters/http/message.hpp"

#include <headwater/adapters/credentials.hpp>

#include <string>
#include <string_view>

namespace headwater::credentials {

/// The largest answer that is read.
inline constexpr std::uint64_t max_token_answer = 256u << 10;

/// `AssumeRole`, still to be signed for the service `sts`. STS answers in XML as long as nobody asks for JSON.
http::request assume_role(std::string_view base_path, role const& what);
/// `AssumeRoleWithWebIdentity`: the token is its own proof.
http::request assume_role_with(std::string_view base_path, std::string_view web_identity, role const& what);
/// EC2's session token (IMDSv2), which the next two carry.
http::request ec2_session();
http::request ec2_role_name(std::string const& session);
http::request ec2_role(std::string const& session, std::string_view name);
/// A container's endpoint; `authorization` may be empty.
http::request container_role(std::string target, std::string const& authorization);

/// An application's token, by its secret or by another authority's assertion about it.
http::request entra_token(std::string_view base_path, std::string_view tenant, std::string_view client,
                          std::string_view secret, std::string_view assertion);
/// A managed identity's: of the virtual machine, or of App Service with `header` at `path`. `client` may be empty.
http::request vm_identity(std::string_view client);
http::request app_service_identity(std::string_view path, std::string_view client, std::string const& header);

/// Reads each answer. Errors: `unavailable` where the service may do better later, `access_denied` where it refused,
/// `protocol` where the answer is none. They name `from`, a status and the service's code; nothing of the body else.
result<leased<aws_credentials>> read_sts(http::response const& answer, std::string_view from);
result<std::string> read_text(http::response const& answer, std::string_view from);
result<leased<aws_credentials>> read_role(http::response const& answer, std::string_view from);
/// What `credential_process` printed.
result<leased<aws_credentials>> read_process(std::string_view printed);
result<leased<azure_credentials>> read_token(http::response const& answer, std::string_view from, time_ms now);

}  // namespace headwater::credentials
