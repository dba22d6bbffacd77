// The memory is a file of the user's.
#include "tools/headwater/commands/proving.hpp"

#include "tools/headwater/proof_file.hpp"

#include <headwater/reader.hpp>

namespace headwater::cli {

namespace {

std::string proofs_of_user() { return proof_file_path(process_environment()); }

}  // namespace

task<void> prove(session& in, proof_of what)
{
    proof_file memory(proofs_of_user());
    if (memory.has(in.store().address(), what)) co_return result<void>();
    reader from(in.store(), in.flags().branch, in.time());
    auto const there = co_await from.current();
    if (!there) co_return there.error();
    co_return co_await prove_once(in.store(), in.time(), in.chance(), memory, what);
}

task<void> prove_updates(session& in)
{
    proof_file memory(proofs_of_user());
    co_return co_await prove_once(in.store(), in.time(), in.chance(), memory, proof_of::updates);
}

void remember_proof(session& in, proof_of what)
{
    proof_file memory(proofs_of_user());
    memory.add(in.store().address(), what);
}

}  // namespace headwater::cli
