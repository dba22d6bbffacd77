// graph_check: the walk that verify and repair share: lists a graph, folds every stream and tells each finding to an
// observer while the state that would mend it is at hand.
#pragma once

#include "src/upkeep/graph_listing.hpp"
#include "src/upkeep/history_needs.hpp"
#include "src/upkeep/stored.hpp"

#include <headwater/verify.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headwater {

/// What is at hand when something is found. Pointers live as long as the call.
struct found_beside {
    life const* of = nullptr;
    state const* content = nullptr;  ///< The state at the finding's seq, if the records lead to it.
    record const* newest = nullptr;  ///< For hints and half-done deletes.
    stream_facts const* facts = nullptr;
};

/// The tombstone sets seen so far, and what is wrong with each.
using set_faults = std::map<std::string, std::optional<finding::kind_type>>;

/// A set that several checkpoints name is told for each, until it is mended.
constexpr bool may_be_told_again(finding::kind_type kind) noexcept
{
    return kind == finding::kind_type::set_missing || kind == finding::kind_type::set_wrong;
}

class check_observer {
public:
    virtual ~check_observer() = default;
    virtual task<void> found(finding what, found_beside beside) = 0;
};

class graph_check {
public:
    /// A carry is compared with the state at its base if that is one of this many latest checkpoints' seqs.
    static constexpr std::size_t kept_bases = 8;

    graph_check(object_store& store, clock& time, bool deep, check_observer& observer)
        : store_(store), time_(time), deep_(deep), observer_(observer)
    {
    }

    /// Counts into `out`; findings go to the observer.
    task<void> run(verify_report& out);

private:
    using kind = finding::kind_type;

    task<void> check_authorities();
    task<void> check_streams();
    task<void> read_names(std::vector<object_key>& stray);
    task<void> check_unfinished(stream_id stream);
    task<void> check_name(life const& of);
    task<void> check_parent(life const& of);
    task<bool> tell_wrong_end(life const& of, stream_facts const& facts);
    task<void> tell_strays(std::vector<object_key> strays);
    task<void> check_digest_names();
    task<void> check_schema(object_key key);
    task<void> check_stream(life of);
    task<void> check_end(life const& of, stream_facts const& facts, sequence newest, std::optional<record> const& last);
    task<hint_state> check_hint(stream_id stream, hint_facts facts);
    task<void> tell(kind what, bool corrupt, object_key key, std::string detail);
    task<void> tell_unreadable(kind what, object_key key, error why);

    object_store& store_;
    clock& time_;
    bool deep_;
    check_observer& observer_;
    std::optional<std::uint64_t> interval_;                  // Nothing: the graph's marker cannot be read.
    std::vector<stream_id> listed_;                          // Those with metadata, or whose lack of it has been told.
    std::vector<life> lives_;                                // Of these, what could be read.
    std::map<std::string, std::optional<stream_id>> names_;  // What each branch name means; nothing: it is torn.
    set_faults seen_sets_;
    history_needs needs_;
    std::uint64_t records_ = 0;
    std::uint64_t checkpoints_ = 0;
    std::uint64_t streams_ = 0;
};

}  // namespace headwater
