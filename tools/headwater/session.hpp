// session: what a command that works on a graph stands on: the store behind the URL with its decorators, time, chance,
// and where results and warnings go.
#pragma once

#include "tools/headwater/arguments.hpp"
#include "tools/headwater/output.hpp"
#include "tools/headwater/proof_file.hpp"

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/probe.hpp>
#include <headwater/random.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

namespace headwater::cli {

class session {
public:
    session(boost::asio::any_io_executor executor, common_arguments flags, output& results, output& messages);
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    /// Opens the store; sends nothing. Errors: of `open_store`. The store may be used only after success.
    result<void> open(retry_options const& retries);

    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    common_arguments const& flags() const noexcept { return flags_; }
    output& results() noexcept { return results_; }
    output& messages() noexcept { return messages_; }
    clock& time() noexcept { return *time_; }
    random& chance() noexcept { return *chance_; }
    object_store& store() noexcept { return *metered_; }
    /// Whom what writes asks: remembers in a file of the user's.
    prover& proofs();
    /// What the store has proved in another way: by `init`.
    void remember_proof(proof_of what);
    /// All that was asked of the store so far, opening included.
    cost const& spent() const noexcept { return meter_.total(); }
    /// Writes the answer in the form that the flags ask for: JSON, or the human one with the cost after it on demand.
    result<void> answer(std::string const& json, std::string const& human, cost const& own_cost);
    /// The same for what changed the graph: who cannot be told the answer must hear that `what` happened all the same.
    result<void> report(std::string const& what, std::string const& json, std::string const& human,
                        cost const& own_cost);
    /// Says what went wrong without being the command's failure, unless `--quiet`.
    void warn(error const& what);

private:
    boost::asio::any_io_executor executor_;
    common_arguments flags_;
    output& results_;
    output& messages_;
    std::unique_ptr<clock> time_;
    std::unique_ptr<random> chance_;
    meter meter_;
    // Each wraps the one before.
    std::unique_ptr<object_store> adapter_;
    std::unique_ptr<object_store> settling_;
    std::unique_ptr<object_store> retrying_;
    std::unique_ptr<object_store> metered_;
    // Read when first asked for.
    std::unique_ptr<proof_file> proof_memory_;
    std::unique_ptr<prover> proofs_;
};

}  // namespace headwater::cli
