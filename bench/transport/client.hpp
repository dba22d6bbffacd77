// client: what the transport bench compares: something that sends GETs to one server and waits for the answers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace headwater::bench {

/// Where the server is, and which of its objects are asked for.
struct target {
    std::string host = "127.0.0.1";
    std::string port;
    std::string ca_file;  ///< Empty: plain http.

    bool tls() const noexcept { return !ca_file.empty(); }
    std::string endpoint() const { return (tls() ? "https://localhost:" : "http://127.0.0.1:") + port; }
};

/// One GET: the object's name in the bucket `bench`, and the size that must come.
struct wanted_get {
    std::string name;
    std::size_t size = 0;
};

class client {
public:
    client() = default;
    client(client const&) = delete;
    client& operator=(client const&) = delete;
    virtual ~client() = default;

    /// `count` times the same GET, one after the other: microseconds of each.
    virtual std::vector<double> one_by_one(wanted_get const& what, std::size_t count) = 0;
    /// All of them, `in_flight` at once: microseconds until the last has come.
    virtual double together(std::vector<wanted_get> const& all, std::size_t in_flight) = 0;
};

/// The floor: sockets and epoll by hand, one prepared request, no more of the answer read than its length.
std::unique_ptr<client> make_raw_client(target const& to);
/// The S3 store on the native client: signed, pooled, with deadlines, metered.
std::unique_ptr<client> make_headwater_client(target const& to);
/// The same over headwater::curl.
std::unique_ptr<client> make_headwater_over_curl_client(target const& to);
/// libcurl as its manual shows it: one easy handle for one request at a time, multi for several. Unsigned.
std::unique_ptr<client> make_curl_client(target const& to);

}  // namespace headwater::bench
