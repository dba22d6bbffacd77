// branches: makes, lists and ends the lives of branches. FORMAT section 4, "Branches".
#pragma once

#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/names.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/stream_metadata.hpp>
#include <headwater/task.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace headwater {

class prover;

struct branches_options {
    std::string_view creator = "headwater";  ///< Who makes and ends lives; must live as long as the `branches`.
    /// Asked, before anything is written, for proof of creates (probe.hpp), and of updates where a branch ends or a
    /// name is used again: `unsupported` without. Null: the caller knows the store.
    prover* proofs = nullptr;
};

/// The branches of the graph in one store. Their metadata is the answer of every call; its `stream` is the life.
///
/// Each name means one life at a time. A life is never resumed: deleting a branch ends it for every handle that has it
/// open (`branch_retired`), and creating the name again begins another.
///
/// Errors of every call: `not_found` (no graph in the store), `unsupported` (a newer format, or a store without
/// conditional update, where nothing can be deleted or created again), `corrupt`, and the store's own.
/// Lifetime: store, clock and random must outlive the object, and the object its tasks. Cancellation: at any point; a
/// branch being created may then exist or not, and one being deleted may have ended or not: calling again finds out.
/// Threads: one executor or strand, and one call at a time.
class HEADWATER_EXPORT branches {
public:
    branches(object_store& store, clock& time, random& chance, branches_options options = {});

    /// Makes `name` of the state `from`, at whatever position of whatever live branch: three objects. The child never
    /// reads its parent again, but for states below the fork.
    ///
    /// Errors: `branch_exists` (also while another creator is at it, and for a minute after one was stopped); `pruned`
    /// (`from` is below its stream's floor by now), `branch_retired` (its stream has ended), `unavailable` (too slow,
    /// or overtaken: there is no branch, call again), `outcome_unknown` (there may be: look with `find`).
    task<stream_metadata> create(branch_name name, snapshot from);
    /// Ends the branch: a last record, which nothing can follow, then its metadata, whose `retired` is then set. One
    /// whose deletion was stopped half-way is ended too. `branch_not_found` if there is none.
    task<stream_metadata> remove(branch_name name);
    /// The same, also if the newest state cannot be read, as after its record was torn: the last record then follows
    /// whatever stands there. What was committed last stays lost. `unsupported` if a newer version wrote it.
    task<stream_metadata> remove_unreadable(branch_name name);
    /// The same as `remove` if the branch's newest commit is at `expected`, else `conflict`: whoever has merged it ends
    /// no more.
    task<stream_metadata> remove_at(branch_name name, position expected);
    /// The life that the name means now; `branch_not_found`.
    task<stream_metadata> find(branch_name name);
    /// Every live branch, by name. One request for each life there ever was, 50 at a time, and one listing.
    task<std::vector<stream_metadata>> list();

private:
    class creation;
    task<stream_metadata> end(branch_name name, std::optional<position> expected);

    object_store* store_;
    clock* time_;
    random* chance_;
    branches_options options_;
};

}  // namespace headwater
