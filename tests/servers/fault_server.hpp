// fault_server: an object store in memory that speaks S3 or Azure Blob, checks signatures, and does to each request
// what a test tells it: lose the answer, apply it late, refuse, cut, stall, lie. Objects and requests are as real as
// need be.
#pragma once

#include "tests/servers/script_server.hpp"
#include "tests/servers/store_dialect.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headwater::test {

/// What the server does with one request. The default is what a good server does.
struct deed {
    /// Whether what is asked takes effect; `late`: only so long after the connection has ended.
    enum class effect { now, never, late } takes_effect = effect::now;
    std::chrono::milliseconds late{0};
    bool checks_conditions = true;               ///< False: a store that ignores If-Match and If-None-Match.
    std::function<void(asked&)> arrives{};       ///< Changes the request before it is checked: damage on its way.
    std::map<std::string, std::string> fails{};  ///< Keys that a removal fails for, and the code of each.

    std::optional<reply> refusal{};                                ///< Answered instead, spelled as the service would.
    std::function<void(reply&)> changes{};                         ///< Changes the answer before it is spelled.
    std::function<void(std::string&)> rewrites{};                  ///< Changes the answer's bytes.
    std::string before{};                                          ///< Bytes that go before the answer.
    int gathers = 0;                                               ///< Answers once so many requests have come.
    std::chrono::milliseconds waits{0};                            ///< Before the first byte.
    std::chrono::milliseconds drips{0};                            ///< Between any two of the answer's pieces.
    std::size_t passes = std::numeric_limits<std::size_t>::max();  ///< So many bytes of the answer reach the network.

    /// What follows the answer: another request, the end, a TCP reset, or nothing until the client goes.
    enum class end { stays, closes, resets, stalls } then = end::stays;
};

/// The deeds that tests name.
deed honest();
deed commit_then_drop();                                 ///< Takes effect, no answer, the connection ends.
deed drop();                                             ///< The same without effect.
deed reset();                                            ///< The same with a TCP reset.
deed drop_then_commit(std::chrono::milliseconds after);  ///< No answer; takes effect after the end.
/// Refuses without effect; an empty code sends no error document.
deed refuse(int status, std::string code, std::vector<std::pair<std::string, std::string>> fields = {});
deed say(std::string bytes);                          ///< These bytes instead, and the end; no effect.
deed cut_after(std::size_t bytes);                    ///< Takes effect; so much of the answer, then the end.
deed stall_after(std::size_t bytes);                  ///< The same, but the connection stays and says nothing.
deed drip(std::chrono::milliseconds between);         ///< A slow answer in small pieces.
deed close_afterwards();                              ///< Answers, then closes without having said so.
deed lie();                                           ///< Ignores conditions.
deed change(std::function<void(reply&)> how);         ///< Takes effect; another answer.
deed rewrite(std::function<void(std::string&)> how);  ///< Takes effect; other bytes.
deed damage();                                        ///< One bit of the request's body arrives as another.
deed damage_answer();                                 ///< One bit of the answer's.
/// Removals of these keys fail with their codes; all else takes effect.
deed fail_removals(std::map<std::string, std::string> keys);

class fault_server {
public:
    explicit fault_server(dialect speaks, server_identity const& identity = {}, server_account who = {});
    ~fault_server();

    std::uint16_t port() const { return wire_->port(); }
    script_server const& wire() const { return *wire_; }
    server_account const& account() const { return who_; }
    /// `http://127.0.0.1:port`, as the store's options want it.
    std::string url() const;

    /// The next requests' deeds, in order; later requests are served honestly.
    void next(std::vector<deed> deeds);
    /// The same for the requests about one key, whenever they come; these go before all others.
    void next_about(std::string const& key, std::vector<deed> deeds);
    /// Whatever was planned by `next`, no longer is.
    void forget();
    /// The deed of every request that these say nothing of.
    void always(deed what);
    /// The server's clock, less the true one.
    void set_clock(std::chrono::seconds offset);

    void put(std::string const& key, std::string content);
    /// The object's content; nothing: there is none.
    std::optional<std::string> content(std::string const& key) const;
    std::string tag(std::string const& key) const;
    /// The requests so far, as `PUT /bucket/key`.
    std::vector<std::string> log() const;
    /// How many of the requests took effect on this key.
    int writes(std::string const& key) const;

private:
    struct state;

    boost::asio::awaitable<void> serve(peer& client);
    boost::asio::awaitable<bool> answer(peer& client, asked const& what, deed const& how);

    server_account who_;
    std::shared_ptr<state> state_;
    bool tls_;
    std::unique_ptr<script_server> wire_;
};

}  // namespace headwater::test
