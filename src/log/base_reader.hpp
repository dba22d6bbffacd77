// base_reader: reads the commits that the search for a merge's base asks for. Stands between merge_base, which knows no
// streams, and the streams, which know no other parents.
#pragma once

#include "src/log/merge_base.hpp"
#include "src/log/open_stream.hpp"

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace headwater {

class base_reader {
public:
    /// The most commits that the search for a base reads.
    static constexpr std::size_t max_base_commits = 1'000'000;

    base_reader(object_store& store, clock& time) : store_(store), time_(time) {}

    /// The base's state; the empty one if they have nothing in common. What was read is kept for the next search.
    /// `history_gap` with the fact `missing_commit`: that is gone, as it may be, and the answer may depend on it; what
    /// was found there instead, `corrupt` say, if something was. What does not matter may be unreadable.
    task<snapshot> find(snapshot left, snapshot right);

private:
    open_stream& stream(stream_id const& of);
    std::uint32_t line(stream_id const& of);
    task<position> own_place(position at);
    task<void> read(commit_id id);
    task<void> search(commit_id id);
    task<void> try_at(position at, commit_id id);
    task<void> read_at(position at, commit_id id);
    task<std::vector<record>> page(open_stream& from, position at);
    task<void> read_state(commit_id id);
    void take(record const& one, stream_id const& of, std::optional<stream_metadata::parent_type> const& forked);
    task<snapshot> state_of(commit_id id);
    error gap_at(commit_id const& id) const;

    object_store& store_;
    clock& time_;
    commit_graph known_;
    std::map<commit_id, position> places_;  // By first parents, forks and what was found there: for certain.
    std::map<commit_id, position> claims_;  // What lineages say of their other parents.
    std::map<commit_id, error> doubts_;     // What could not be read, and may be the commit.
    std::map<std::string, std::unique_ptr<open_stream>> streams_;
    std::map<std::string, std::uint32_t> lines_;
    std::map<std::string, std::size_t> asked_;
    std::size_t total_ = 0;
};

}  // namespace headwater
