// stored: records, checkpoints and sets as they lie in one stream, read without trusting any of them. What verify,
// repair, cleanup and the roots read through; a page of records is one round.
#pragma once

#include "src/log/checkpoint_writer.hpp"
#include "src/log/fold.hpp"
#include "src/upkeep/seq_runs.hpp"

#include <headwater/hint.hpp>
#include <headwater/object_store.hpp>
#include <headwater/record.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace headwater {

/// How many records are asked for at once.
inline constexpr std::size_t upkeep_page = 50;

/// The records [first, first + count) in order, `not_found` for one that is absent even when asked again; the store's
/// own errors (of any record) are the task's.
task<std::vector<result<record>>> read_records(object_store& store, stream_id stream, sequence first,
                                               std::size_t count);

/// A checkpoint as it lies there.
struct stored_checkpoint {
    stored_checkpoint() = default;

    bytes content;
    etag tag;
    result<checkpoint> value = error(errc::not_found);
    result<state> verified = error(errc::not_found);  ///< Its state, if its content has the digests that it names.
};

/// Absent or unreadable is in the answer; the store's own errors are the task's.
task<stored_checkpoint> read_checkpoint(object_store& store, stream_id stream, sequence seq);
/// The state at a floor: its checkpoint's, or the empty one at 0.
task<state> read_base(object_store& store, stream_id stream, sequence floor);
/// The state at `to` by the records alone, from the floor's on.
task<state> fold_records(object_store& store, stream_id stream, sequence floor, sequence to);

/// The most ancestors that `rebuild` asks.
inline constexpr unsigned max_ancestors = 64;
/// Whether the state that `rebuild` starts from must have its tombstone set at hand.
enum class sets_needed { no, yes };
/// The state at `to` by what still stands at or below it, below the floor too: from the newest sound checkpoint before
/// it, or seq 0, by the records; a child's fork from its parent. What is below a floor proves nothing by itself: the
/// caller compares commit or digest with what is above. `history_gap` if nothing leads there.
task<state> rebuild(object_store& store, stream_id stream, sequence to, sets_needed sets, unsigned ancestors = 0);
/// Whether `what` blames stored content, which something else may make up for, and not the store.
bool blames_stored(error const& what) noexcept;

/// 0 is one.
constexpr bool is_boundary(sequence seq, std::uint64_t interval) noexcept { return boundary_at(seq, interval) == seq; }

/// What was done to a derived object.
enum class healed { whole, written, overtaken };

/// Makes the checkpoint of `content` what a publisher writes, its set first: created if absent, replaced under the etag
/// of what was read if wrong. `overtaken`: somebody else wrote meanwhile.
task<healed> heal_checkpoint(object_store& store, state const& content, stream_id stream, std::uint64_t interval);
/// The same for the set that a checkpoint of `content`, a state of `stream`, names.
task<healed> heal_set(object_store& store, state const& content, stream_id stream, std::uint64_t interval);

/// What is wrong with a hint.
enum class hint_state { right, missing, garbage, ahead, stale, hiding };
/// What a hint is judged by.
struct hint_facts {
    sequence newest;                        ///< The true latest record; the floor if there is none.
    bool ends = false;                      ///< That record ends the stream.
    std::optional<sequence> carried;        ///< The base that it carries.
    std::uint64_t interval = 1;             ///< The graph's `checkpoint_interval`.
    seq_runs const* checkpoints = nullptr;  ///< Those that are there.
};
/// `stale` too if it names a checkpoint that is not there, unless that is told as missing: a boundary's, and the one
/// that the newest record carries. `hiding`: it leads past the record that ends the stream. Pure.
hint_state judge_hint(std::optional<bytes> const& present, hint_facts const& facts);
/// The same, but that what a hint names may have come to be since `facts` were listed: then it is right.
task<hint_state> judge_hint_now(object_store& store, stream_id stream, std::optional<bytes> present, hint_facts facts);
/// By the newest record, which may be unreadable.
hint_facts facts_for_hint(sequence newest, record const* last, std::uint64_t interval, seq_runs const& checkpoints);
/// What a publisher would hint after `newest`: its own checkpoint, else the base it carries, else the newest one. Never
/// its own for a record that ends the stream: who starts from a checkpoint does not read the record at its seq. Pure.
hint right_hint(record const& newest, hint_facts const& facts);
/// Writes `right` unless what is there is as good; conditional on what was read, so that no newer one is lost.
task<healed> heal_hint(object_store& store, stream_id stream, hint right, hint_facts facts);

}  // namespace headwater
