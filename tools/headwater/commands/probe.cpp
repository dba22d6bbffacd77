// headwater probe: the answer is what the store proved; the exit code says whether graphs may be kept there.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/own_folders.hpp"
#include "tools/headwater/print_conformance.hpp"

#include <headwater/probe.hpp>

namespace headwater::cli {

task<void> perform(session& in, probe_arguments const&)
{
    own_folders const folders(in.store().address());
    probe_options const whole;
    auto const proof = co_await probe(in.store(), in.time(), in.chance(), whole);
    if (!proof) co_return proof.error();
    auto const& address = in.store().address();
    auto const told = in.answer(probe_json(address, *proof), probe_text(address, *proof), proof->spent);
    if (!told) co_return told.error();
    co_return check_writable(*proof, address);
}

}  // namespace headwater::cli
