// Every place in which a test can have a store: memory, files, and the servers that the environment names.
// `tests/run` starts the servers and sets the variables; without them those places say what to set.
#pragma once

#include <headwater/object_store.hpp>
#include <headwater/random.hpp>

#include <boost/asio/io_context.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace headwater::test {

enum class place_kind {
    memory,
    memory_unordered,
    file,
    file_unsynced,
    s3_path,
    s3_virtual_host,
    s3_tls,
    s3_curl,
    s3_tls_curl,
    azure_shared_key,
    azure_sas,
    azure_tls,
    azure_curl,
    azure_tls_curl,
};

std::vector<place_kind> all_places();
std::string to_string(place_kind kind);
inline void PrintTo(place_kind kind, std::ostream* out) { *out << to_string(kind); }

/// What is missing for this place, as a sentence with the variable in it; empty: nothing.
std::string missing_for(place_kind kind);
/// Whether a missing variable is a failure (HEADWATER_TEST_REQUIRE_SERVERS=1) or a skip.
bool servers_are_required();

/// What stands between the test and the adapter.
enum class stack { raw, settled };

/// One place, open, with a part of it for this test alone, which is removed in the end (but from Azurite).
class place {
public:
    /// Throws std::runtime_error with what `missing_for` says, or with why the store could not be made.
    explicit place(place_kind kind);
    place(place const&) = delete;
    place& operator=(place const&) = delete;
    ~place();

    boost::asio::io_context& io() noexcept;
    clock& time() noexcept;
    random& chance() noexcept;
    /// Another store over the same objects, with connections of its own where there are any. Lives as long as this.
    object_store& connect(stack on = stack::settled);
    /// Where the part for this test begins: the root directory of files, the key prefix elsewhere.
    std::string const& prefix() const noexcept;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

/// In a test's body: opens `kind`; or prints what to set and skips, or fails where servers are required.
/// Null after a skip or a failure: the test returns.
std::unique_ptr<place> open_or_skip(place_kind kind);

}  // namespace headwater::test
