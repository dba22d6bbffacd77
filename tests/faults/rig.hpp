// rig: one fault_server and one store that talks to it, over a real socket. What every fault test stands on.
#pragma once

#include "tests/servers/fault_server.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/http.hpp>
#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace headwater::faults {

/// Over what a test runs.
struct wire_kind {
    test::dialect speaks = test::dialect::s3;
    bool tls = false;
    bool curl = false;  ///< Over libcurl instead of the native transport.
};

std::string to_string(wire_kind const& kind);
inline void PrintTo(wire_kind const& kind, std::ostream* out) { *out << to_string(kind); }

/// Each service, plain and over TLS, on every transport of this build.
std::vector<wire_kind> all_wires();

/// What a server of this kind shows who connects with TLS, empty without; `connect` trusts it.
test::server_identity identity_for(wire_kind const& kind);

/// Deadlines for a server that does this: those that pass are short, and those that must not pass are long.
http_options deadlines_for(test::deed const& what);

/// The object that most tests are about.
inline object_key const key("key");

/// How a rig's store is made, where it is not as usual.
struct rig_settings {
    std::string url{};  ///< Another port, where nobody may be; empty: the server's.
    http_options http{};
    body_checksum checksum = body_checksum::none;
    bool unsigned_payload = false;
    bool https = false;      ///< To the server's port, also if that is plain.
    bool renewable = false;  ///< Credentials that are fresh again when the service refuses them.
    std::string region{};    ///< Where the bucket is thought to be; empty: where it is.
};

/// A store at `settings.url` for `who`, bare: nothing repeats or settles what it is asked.
std::unique_ptr<object_store> connect(wire_kind const& kind, boost::asio::any_io_executor executor, clock& time,
                                      test::server_account const& who, rig_settings settings);

class rig {
public:
    explicit rig(wire_kind const& kind, test::deed const& will = {});
    rig(wire_kind const& kind, std::string const& url, http_options options = {});
    rig(wire_kind const& kind, rig_settings settings);

    test::dialect speaks() const noexcept { return kind_.speaks; }

    wire_kind kind_;
    test::fault_server server;
    boost::asio::io_context io{1};
    std::unique_ptr<clock> time = make_system_clock();
    std::unique_ptr<random> chance = make_seeded_random(1);
    std::unique_ptr<object_store> adapter;
    std::unique_ptr<object_store> settling;
    std::unique_ptr<object_store> store;  ///< retrying over settling over the adapter.

    template <class T>
    T run(boost::asio::awaitable<T> work)
    {
        return test::run(io, std::move(work));
    }
};

/// The answer in a word: `created`, `exists`, `replaced`, `written`, `ok`, `listed`, `removed`, or the error's code.
std::string told(result<create_answer> const& answer);
std::string told(result<update_answer> const& answer);
std::string told(result<put_answer> const& answer);
std::string told(result<object> const& answer);
std::string told(result<object_meta> const& answer);
std::string told(result<list_page> const& answer);
std::string told(result<remove_answer> const& answer);
std::string told(error const& what);

/// The diagnostics of an error; of a success, empty ones.
template <class T>
diagnostics why(result<T> const& answer)
{
    return answer || !answer.error().why() ? diagnostics() : *answer.error().why();
}

}  // namespace headwater::faults
