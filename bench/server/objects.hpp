// objects: what the bench server knows: a map of objects behind the part of S3's REST that the library uses, and the
// GET of Azure Blob. Keys are request paths as they came: nobody's signature is checked. Pure: bytes in, bytes out.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace headwater::bench {

/// One request, whole. The views point into the connection's buffer.
struct server_request {
    std::string_view method{};
    std::string_view path{};  ///< Without the query.
    std::string_view query{};
    std::string_view fields{};  ///< All header lines.
    std::string_view body{};
};

/// Takes the first request off `input`: its length, or 0 while it is not all there.
std::size_t parse_request(std::string_view input, server_request& out);

class server_objects {
public:
    /// The answer's bytes, appended to `out`.
    void answer(server_request const& what, std::string& out);

private:
    struct stored {
        std::string response;  // Headers and body, ready to send.
        std::size_t head_size = 0;
        std::string tag;
    };

    void get(server_request const& what, bool with_body, std::string& out) const;
    void put(server_request const& what, std::string& out);
    void list(server_request const& what, std::string& out) const;

    std::map<std::string, stored, std::less<>> objects_;
};

}  // namespace headwater::bench
