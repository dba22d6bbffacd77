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

task<void> prove_once(object_store& store, clock& time, random& chance, proof_memory& memory, proof_of what)
{
    auto const& address = store.address();
    if (memory.has(address, what)) co_return result<void>();
    bool const updates = what == proof_of::updates;
    probe_options const how{.updates = updates, .listing = false};
    auto const proof = co_await probe(store, time, chance, how);
    if (!proof) co_return proof.error();
    auto good = updates ? check_updatable(*proof, address) : check_writable(*proof, address);
    if (good) memory.add(address, what);
    co_return good;
}

}  // namespace headwater
