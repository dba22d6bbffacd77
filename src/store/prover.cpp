// Asks for a proof where none is remembered.
#include <headwater/probe.hpp>

#include <map>

namespace headwater {

namespace {

class proofs_of_a_process final : public proof_memory {
public:
    bool has(std::string_view address, proof_of what) const override
    {
        auto const found = known_.find(address);
        return found != known_.end() && (what == proof_of::creates || found->second == proof_of::updates);
    }

    void add(std::string_view address, proof_of what) override
    {
        if (!has(address, what)) known_.insert_or_assign(std::string(address), what);
    }

private:
    std::map<std::string, proof_of, std::less<>> known_;
};

}  // namespace

std::unique_ptr<proof_memory> make_proof_memory() { return std::make_unique<proofs_of_a_process>(); }

prover::prover(clock& time, random& chance) : time_(time), chance_(chance), own_(make_proof_memory()) {}

prover::prover(clock& time, random& chance, proof_memory& memory) : prover(time, chance) { memory_ = &memory; }

task<void> prover::demand(object_store& store, proof_of what)
{
    auto const& address = store.address();
    if (own_->has(address, what)) co_return result<void>();
    if (memory_ && memory_->has(address, what)) {
        own_->add(address, what);
        co_return result<void>();
    }
    bool const updates = what == proof_of::updates;
    probe_options const how{.updates = updates, .listing = false};
    auto const proof = co_await probe(store, time_, chance_, how);
    if (!proof) co_return proof.error();
    auto good = updates ? check_updatable(*proof, address) : check_writable(*proof, address);
    if (!good) co_return good;
    own_->add(address, what);
    if (memory_) memory_->add(address, what);
    co_return good;
}

}  // namespace headwater
