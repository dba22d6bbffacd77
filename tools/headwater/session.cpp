// Builds the stack that stores.hpp recommends.
#include "tools/headwater/session.hpp"

#include "tools/headwater/print.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/url.hpp>

namespace headwater::cli {

session::session(boost::asio::any_io_executor executor, common_arguments flags, output& results, output& messages)
    : executor_(std::move(executor)),
      flags_(std::move(flags)),
      results_(results),
      messages_(messages),
      time_(make_system_clock()),
      chance_(make_system_random())
{
}

result<void> session::open(retry_options const& retries)
{
    auto opened = open_store(executor_, *time_, *chance_, flags_.graph, process_environment());
    if (!opened) return opened.error();
    adapter_ = std::move(*opened);
    settling_ = make_settling_store(*adapter_, *time_, *chance_, retries);
    retrying_ = make_retrying_store(*settling_, *time_, *chance_, retries);
    metered_ = make_metered_store(*retrying_, meter_);
    return {};
}

prover& session::proofs()
{
    if (!proofs_) {
        proof_memory_ = std::make_unique<proof_file>(proof_file_path(process_environment()));
        proofs_ = std::make_unique<prover>(*time_, *chance_, *proof_memory_);
    }
    return *proofs_;
}

void session::remember_proof(proof_of what)
{
    (void)proofs();
    proof_memory_->add(store().address(), what);
}

result<void> session::answer(std::string const& json, std::string const& human, cost const& own_cost)
{
    (void)results_.write(flags_.json ? json : human);
    if (flags_.cost && !flags_.json) (void)results_.write(cost_line(own_cost));
    return results_.flush();
}

result<void> session::report(std::string const& what, std::string const& json, std::string const& human,
                             cost const& own_cost)
{
    auto told = answer(json, human, own_cost);
    if (told) return told;
    return with(told.error(), [&](diagnostics& why) { why.detail = what + " all the same"; });
}

void session::warn(error const& what)
{
    if (flags_.quiet) return;
    // Nowhere is left to say that stderr cannot be written.
    (void)messages_.write(flags_.json ? warning_json(what) : warning_line(what));
    (void)messages_.flush();
}

}  // namespace headwater::cli
