// stream_check: one stream's records in order: chain, time, changes, digest, carry, and the checkpoint at each seq that
// has one. Part of graph_check.
#pragma once

#include "src/upkeep/graph_check.hpp"

#include <set>

namespace headwater {

/// How `content` differs from `base`, as a record after `content` would carry it. Pure.
carry difference(state const& base, state const& content);

class stream_check {
public:
    /// `needs`: takes what the records name, and tells whom a hole in a stream that ended hurts; null: nobody.
    /// `interval`: nothing if it is not known; then what depends on it accuses nobody.
    stream_check(object_store& store, std::optional<std::uint64_t> interval, bool deep, check_observer& observer,
                 set_faults& seen_sets, history_needs* needs, life const& of, stream_facts const& facts)
        : store_(store),
          interval_(interval),
          deep_(deep),
          observer_(observer),
          seen_sets_(seen_sets),
          needs_(needs),
          of_(of),
          facts_(facts)
    {
    }

    /// Walks (floor, newest].
    task<void> run(sequence newest);

    std::uint64_t records() const noexcept { return records_; }
    std::uint64_t checkpoints() const noexcept { return checkpoints_; }
    /// The newest record, if it could be read.
    std::optional<record> const& newest() const noexcept { return last_; }

private:
    using kind = finding::kind_type;

    task<void> begin();
    task<void> take_missing(sequence seq, error why);
    task<void> take_absent(sequence seq);
    task<void> tell_gap(sequence seq);
    task<void> pass_gap(sequence from);
    task<void> take(record one);
    task<void> check_chain(record const& one);
    task<void> check_base(record const& one);
    task<void> check_carry(record const& one);
    task<std::optional<table_identity>> registers_dropped(record const& one);
    task<void> apply(record one);
    task<void> check_checkpoint(sequence seq);
    task<void> check_set(sequence seq);
    task<void> take_rebuilt_base();
    task<std::optional<commit_id>> id_at_floor();
    task<void> find_far_base(sequence seq);
    void follow_from(state content);
    void keep_base();
    task<bool> overtaken(kind what, sequence seq);
    task<void> tell(kind what, bool corrupt, object_key key, sequence seq, std::string detail);
    task<void> tell(kind what, bool corrupt, object_key key, sequence seq, std::string detail, state const* content);

    object_store& store_;
    std::optional<std::uint64_t> interval_;
    bool deep_;
    check_observer& observer_;
    set_faults& seen_sets_;
    history_needs* needs_;
    life const& of_;
    stream_facts const& facts_;

    sequence newest_;               // The last that there should be.
    sequence gap_to_;               // Up to here records are missing, and that has been told.
    std::optional<state> content_;  // Nothing while the records do not tell.
    sequence followed_from_;        // Where content_ was taken whole: it tells what was dropped since, not before.
    bool doubted_ = false;          // The record at content_'s seq names another digest than content_ has.
    bool chain_known_ = false;      // previous_id_ is that of the record before.
    std::optional<commit_id> previous_id_;
    std::uint64_t previous_time_ = 0;
    std::map<sequence, state> bases_;  // From followed_from_ on.
    std::optional<state> far_base_;    // One that is not kept, folded again.
    std::set<sequence> lost_bases_;    // Early checkpoints that are missing, as told.
    checkpoint_writer sets_;           // Reads what had been dropped where content_ was taken.
    std::optional<record> last_;
    std::uint64_t records_ = 0;
    std::uint64_t checkpoints_ = 0;
};

}  // namespace headwater
