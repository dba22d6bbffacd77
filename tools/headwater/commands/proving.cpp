// A probe without its listing.
#include "tools/headwater/commands/proving.hpp"

#include <headwater/probe.hpp>

namespace headwater::cli {

task<void> prove_updates(session& in)
{
    probe_options const how{.listing = false};
    auto const proof = co_await probe(in.store(), in.time(), in.chance(), how);
    if (!proof) co_return proof.error();
    co_return check_updatable(*proof, in.store().address());
}

}  // namespace headwater::cli
