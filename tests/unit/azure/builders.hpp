// Short ways to make what the tests of the Azure adapter read: locations, answers, calls.
#pragma once

#include "adapters/azure/answer_table.hpp"
#include "adapters/azure/location.hpp"
#include "adapters/http/date.hpp"

#include <string>
#include <utility>
#include <vector>

namespace headwater::azure::test {

/// Of the account `acct` and the container `log` on Azure; keys live below `graph/`.
inline location on_azure()
{
    azure_options options;
    options.account = "acct";
    options.container = "log";
    options.prefix = "graph";
    return locate(options).value();
}

inline http::response answer(int status, std::vector<http::field> fields = {}, std::string body = {})
{
    http::response out;
    out.status = status;
    out.fields = std::move(fields);
    out.body = std::move(body);
    return out;
}

/// An answer with the service's own code, and nothing else.
inline http::response refused(int status, std::string code)
{
    return answer(status, {{"x-ms-error-code", std::move(code)}});
}

inline call a(operation what, std::uint32_t attempts = 1)
{
    static std::string const address = "https://acct.blob.core.windows.net/log/graph";
    call out(what, "main/1", address);
    out.attempts = attempts;
    return out;
}

/// The same after a correction.
inline call corrected(operation what, next_step done)
{
    auto out = a(what, 2);
    out.corrected[static_cast<std::size_t>(done)] = true;
    return out;
}

inline time_ms at(char const* http_date) { return http::parse_http_date(http_date).value(); }

}  // namespace headwater::azure::test
