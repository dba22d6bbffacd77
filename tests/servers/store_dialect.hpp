// store_dialect: how a fault_server reads requests and spells answers: as S3, or as Azure Blob.
// It checks signatures on the bytes that arrived and by code of its own: what the client computed proves nothing here.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater::test {

enum class dialect { s3, azure };

/// A request as it arrived: nothing is decoded.
struct asked {
    std::string method{};
    std::string path{};
    std::string query{};
    std::vector<std::pair<std::string, std::string>> fields{};  ///< Names in lower case.
    std::string body{};

    std::string_view find(std::string_view name) const;
};

/// Cuts the bytes of a whole request into its parts.
asked read_request(std::string_view bytes);

/// One object of the server.
struct stored {
    std::string content{};
    std::string tag{};  ///< Without quotes.
    std::chrono::sys_seconds modified{};
};
using stored_objects = std::map<std::string, stored>;
using removals = std::vector<std::pair<std::string, std::string>>;  ///< Keys with codes.

/// An answer before it is spelled. A `code` makes the body the service's error document.
struct reply {
    int status = 200;
    std::string code{};
    std::vector<std::pair<std::string, std::string>> fields{};
    std::string body{};
};

/// Whom the server knows, and where it is.
struct server_account {
    std::string bucket = "bucket";  ///< Azure: the container.
    std::string id = "account";     ///< The access key id; Azure: the account.
    std::string secret = "a2V5";    ///< Azure: base64.
    std::string region = "us-east-1";
};

class store_dialect {
public:
    virtual ~store_dialect() = default;

    /// Why the request is refused, if it is: its signature, its time, its bucket.
    virtual std::optional<reply> check(asked const& what, std::chrono::sys_seconds now) const = 0;
    /// The key that the request is about; nothing: it is a listing.
    virtual std::optional<std::string> key_of(asked const& what) const = 0;
    virtual reply list(asked const& what, stored_objects const& all) const = 0;
    virtual reply put(stored const& made) const = 0;
    virtual reply removed(bool was_there) const = 0;
    /// The keys that a batch delete is about; nothing: it is none.
    virtual std::optional<std::vector<std::string>> batch_of(asked const& what) const = 0;
    /// The answer to a batch: for each key its code, or nothing if it is gone.
    virtual reply removed_batch(removals const& all) const = 0;
    /// What a read of the object tells of its sum.
    virtual std::vector<std::pair<std::string, std::string>> sums(asked const& what, stored const& of) const = 0;
    virtual reply absent() const = 0;
    virtual reply taken() const = 0;     ///< A create lost.
    virtual reply mismatch() const = 0;  ///< An update lost.
    /// The error document of a code, as the service spells it, and the fields that go with it.
    virtual void spell(reply& what) const = 0;
};

std::unique_ptr<store_dialect> make_s3_dialect(server_account who);
std::unique_ptr<store_dialect> make_azure_dialect(server_account who);

/// What both need.
std::string percent_decoded(std::string_view text, bool plus_is_space = false);
/// `A-Za-z0-9-._~` stay; so does what `keep` has.
std::string percent_encoded(std::string_view text, std::string_view keep = {});
std::string lower_case(std::string_view text);
std::string hex(std::string_view bytes);
std::string sha256(std::string_view bytes);
std::string hmac_sha256(std::string_view key, std::string_view bytes);
std::string md5(std::string_view bytes);
/// CRC-64/NVME, bit by bit, the highest byte first.
std::string crc64(std::string_view bytes);
std::string to_base64(std::string_view raw);
std::string from_base64(std::string_view text);
std::string xml_text(std::string_view raw);
/// The query's parameters in their order, as they are on the wire.
std::vector<std::pair<std::string, std::string>> raw_parameters(std::string_view query);
/// One parameter, decoded; empty if there is none.
std::string parameter(asked const& what, std::string_view name);

/// Which rows of a listing a page has.
struct page_rows {
    std::vector<stored_objects::value_type const*> objects{};
    std::vector<std::string> prefixes{};
    std::string next_after{};  ///< Where the next page begins; empty: this is the last.
};
page_rows page_of(stored_objects const& all, std::string_view prefix, std::string_view after,
                  std::string_view delimiter, std::size_t most);

/// `Mon, 30 Nov 2026 05:17:31 GMT`
std::string http_date(std::chrono::sys_seconds when);

}  // namespace headwater::test
