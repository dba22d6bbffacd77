// A private certificate authority for tests, made when the test runs: nothing in the tree expires.
#pragma once

#include "tests/servers/script_server.hpp"

#include <memory>
#include <string>

namespace headwater::test {

class certificate_authority {
public:
    explicit certificate_authority(std::string const& name = "test root");
    ~certificate_authority();

    /// The root, as PEM.
    std::string root() const;
    /// A server certificate for `names`, spelled as in OpenSSL's configuration: `DNS:localhost,IP:127.0.0.1`.
    server_identity issue(std::string const& names) const;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace headwater::test
