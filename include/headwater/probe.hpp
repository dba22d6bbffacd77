// probe: what a store proves in a few requests, by doing it: vendors ignore, misread or half-implement conditions, and
// a graph on a store without conditional create loses commits. The whole suite: conformance.hpp.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/cost.hpp>
#include <headwater/export.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/task.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// How the store wants an etag in If-Match.
enum class etag_form {
    unknown,  ///< No update under a condition was seen to work.
    as_given,
    bare,  ///< Without its quotes only.
    either,
};

/// `unknown`, `as_given`, `bare`, `either`.
HEADWATER_EXPORT std::string_view to_string(etag_form form) noexcept;

/// Something that is not as it should be, and the answer that showed it.
struct probe_finding {
    probe_finding() = default;
    probe_finding(std::string seen, int http_status, std::string id)
        : what(std::move(seen)), status(http_status), request_id(std::move(id))
    {
    }

    std::string what;  ///< `If-None-Match is ignored: …`
    int status = 0;    ///< HTTP status; 0 where there is no HTTP.
    std::string request_id;
};

/// What a store has proved.
struct store_proof {
    store_proof() = default;

    bool create_once = false;         ///< A second create of a key loses and leaves the first.
    bool one_winner = false;          ///< Of 8 creates at once exactly one wins.
    bool conditional_update = false;  ///< An update under the current etag replaces, under an old one it is refused.
    bool list_allowed = false;        ///< A listing of what was written is permitted and complete.
    bool ordered_listing = false;     ///< It came in byte order, over two pages.
    etag_form if_match = etag_form::unknown;
    /// The store's clock less ours: the least that explains its `Date`, which has whole seconds. Nothing: it has none.
    std::optional<std::chrono::milliseconds> clock_offset;
    std::vector<probe_finding> findings;
    cost spent;

    bool conditional_create() const noexcept { return create_once && one_winner; }
};

/// What is tried beside conditional creates.
struct probe_options {
    bool updates = true;
    bool listing = true;
};

/// Asks `store` for about 25 requests in 12 rounds, of names that begin with `headwater-probe-`, and removes them
/// again; conditional creates alone are 14 requests in 6 rounds. Errors: those of the store that prove nothing:
/// `access_denied`, `configuration`, `unavailable`, `outcome_unknown`. Cancellation: at any point; nothing is removed
/// then.
HEADWATER_EXPORT task<store_proof> probe(object_store& store, clock& time, random& chance, probe_options options);

/// Nothing if graphs can be written to the store; else `unsupported`, saying what is broken.
HEADWATER_EXPORT result<void> check_writable(store_proof const& proof, std::string const& address);
/// Nothing if what raises floors and retires branches can be done there too: updates under a condition.
HEADWATER_EXPORT result<void> check_updatable(store_proof const& proof, std::string const& address);

/// What a store must have proved before something is done to it.
enum class proof_of {
    creates,  ///< `check_writable`: before anything is written.
    updates,  ///< `check_updatable`: before floors are raised, branches deleted, derived objects mended.
};

/// Remembers what the stores at which addresses have proved. An implementation that outlives the process spares the
/// next one's probes.
class HEADWATER_EXPORT proof_memory {
public:
    proof_memory() = default;
    proof_memory(proof_memory const&) = delete;
    proof_memory& operator=(proof_memory const&) = delete;
    virtual ~proof_memory() = default;

    /// `updates` are proved beside `creates`: an address that has the first has the second.
    virtual bool has(std::string_view address, proof_of what) const = 0;
    virtual void add(std::string_view address, proof_of what) = 0;
};

/// For as long as it lives.
HEADWATER_EXPORT std::unique_ptr<proof_memory> make_proof_memory();

/// Whom writers ask before they write for the first time: the option `proofs` of publishers, branches, merges, cleanups
/// and repairs. A store is asked for a proof once, then its address is known. That a graph is there proves nothing: it
/// may have been copied there.
///
/// Lifetime: clock, random and memory must outlive it, and it the writers. Threads: one executor or strand.
class HEADWATER_EXPORT prover {
public:
    prover(clock& time, random& chance);
    /// One that looks for what it does not know in `memory`, and adds what it learns.
    prover(clock& time, random& chance, proof_memory& memory);

    /// Nothing if the proof is remembered, or if the store gives it now. Errors: those of `probe`, and `unsupported`,
    /// saying what is broken. 14 requests in 6 rounds for `creates`, 17 in 9 for `updates`, which prove both; none once
    /// it is remembered.
    task<void> demand(object_store& store, proof_of what);

private:
    clock& time_;
    random& chance_;
    proof_memory* memory_ = nullptr;
    std::unique_ptr<proof_memory> own_;  // So that each writer asks once, whatever the other one forgets.
};

/// The least offset of the store's clock that explains an answer dated `date` to a request that was sent at `sent` and
/// answered at `answered` by our clock.
HEADWATER_EXPORT std::chrono::milliseconds least_clock_offset(time_ms date, time_ms sent, time_ms answered) noexcept;

}  // namespace headwater
