// The reader of DeleteObjects' answer, whose status says nothing: each key has its own outcome in the document.
#include "adapters/s3/s3_response.hpp"
#include "adapters/xml/xml.hpp"

#include <map>
#include <optional>
#include <utility>

namespace headwater::s3 {

namespace {

/// What the document says of each name in the bucket; no error: it is gone.
using removal_outcomes = std::map<std::string, std::optional<error>, std::less<>>;

/// A key's failure has no status of its own: that which its code comes with elsewhere says that it may be asked again.
int status_of(std::string_view code, int status_of_all) noexcept
{
    if (code == "InternalError") return 500;
    return code == "SlowDown" || code == "ServiceUnavailable" ? 503 : status_of_all;
}

std::optional<error> failure_of(xml::element const& row, http::response const& answer)
{
    auto const code = row.text_of("Code");
    if (code == "NoSuchKey") return std::nullopt;
    diagnostics why(one_line(row.text_of("Message")));
    why.service_code = one_line(code);
    why.status = status_of(code, answer.status);
    why.request_id = one_line(answer.find("x-amz-request-id"));
    return error(meaning(call::remove, 0, code, true), std::move(why));  // 0: by the code alone.
}

removal_outcomes read_outcomes(xml::element const& document, http::response const& answer)
{
    removal_outcomes told;
    for (auto const& row : document.children) {
        std::string name(row.text_of("Key"));
        if (row.name == "Deleted") {
            told.insert_or_assign(std::move(name), std::nullopt);
        } else if (row.name == "Error") {
            told.insert_or_assign(std::move(name), failure_of(row, answer));
        }
    }
    return told;
}

}  // namespace

result<std::vector<key_failure>> read_remove_many(http::response const& answer, location const& where,
                                                  std::vector<object_key> const& keys)
{
    if (answer.status != 200) return to_error(call::remove, answer);
    auto const document = xml::parse(answer.body);
    if (document && document->name == "Error") return to_error(call::remove, answer);
    if (!document || document->name != "DeleteResult") {
        return undecided(answer, "the answer does not tell which keys are gone");
    }
    auto const told = read_outcomes(*document, answer);
    std::vector<key_failure> failed;
    for (auto const& each : keys) {
        auto const found = told.find(where.full(each.text()));
        if (found == told.end()) {
            failed.emplace_back(each, undecided(answer, "the answer does not name the key"));
        } else if (found->second) {
            failed.emplace_back(each, *found->second);
        }
    }
    return failed;
}

}  // namespace headwater::s3
