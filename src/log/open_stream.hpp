// open_stream: the reading half of a handle: opens a branch, finds its newest record, folds states. Thin coroutines
// over tail (which slot next), fetched (one round of requests) and fold (the state). Reader and publisher stand on it.
#pragma once

#include "src/log/authority.hpp"
#include "src/log/fetched.hpp"
#include "src/log/fold.hpp"
#include "src/log/lives.hpp"
#include "src/log/parent_walk.hpp"
#include "src/log/tail.hpp"

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headwater {

/// A state and whether it came the long way.
struct folded {
    folded() = default;
    explicit folded(state content, bool long_way = false) : value(std::move(content)), degraded(long_way) {}

    state value;
    bool degraded = false;
};

/// What a cleanup that overtakes a read looks like.
inline bool blames_history(error const& why) { return why == errc::history_gap || why == errc::corrupt; }

/// Whether a life that has ended can be opened: its children read what is below their fork.
enum class ended_lives { refused, readable };

class open_stream {
public:
    /// How often one read starts over because cleanup overtook it.
    static constexpr unsigned max_restarts = 8;
    /// The most records that one `history` call reads.
    static constexpr std::size_t max_history_page = 50;
    /// How many rows a search for the newest record asks for where listings are in order.
    static constexpr std::uint32_t ordered_page = 10;

    open_stream(object_store& store, std::string branch, clock& time)
        : store_(store), branch_(std::move(branch)), time_(time)
    {
    }
    /// One life, whatever its branch's name means by now.
    open_stream(object_store& store, stream_id stream, clock& time, ended_lives ended)
        : store_(store), branch_(stream.logical().text()), time_(time), life_(std::move(stream)), ended_(ended)
    {
    }

    task<snapshot> current();
    task<snapshot> at(sequence seq);
    task<snapshot> at(commit_id id);
    /// At the last commit with `created_at` at or before `time`.
    task<snapshot> at(time_ms time);
    task<record> record_at(sequence seq);
    task<record> record_at(commit_id id);
    task<std::vector<record>> history(sequence newest, std::size_t count);
    /// The state of `old` again, over a base that stands: a cleanup takes the tombstone set of a base below the floor
    /// from who holds on to it. The handle's own is replaced too, if it is that one.
    task<snapshot> renew(snapshot old);
    /// The metadata again if it is too old to judge an answer about a slot by.
    task<void> refresh(fetched& from);
    /// The same if it is older than this.
    task<void> look_again(fetched& from, std::chrono::nanoseconds older_than);
    /// Judges something missing or wrong beside young metadata: whether the floor has risen since, so that it is
    /// cleanup's work and to be read again from there.
    task<bool> floor_rose(fetched& from);

    /// One round: what is asked for, and beside it what opening still needs, or metadata that has become too old.
    task<void> open(fetched& from, std::vector<wanted_object> beside);
    /// The stream that the branch's name means.
    task<stream_id> resolve(fetched& from);
    /// Present or absent, once a stream is known; an answer that `from` has is not asked for again.
    task<bool> slot_taken(fetched& from, sequence seq);
    /// The newest record that stands, whatever is in it, once a stream is known; the floor if there is none.
    task<sequence> sure_end(fetched& from);

    object_store& store() noexcept { return store_; }
    clock& time() noexcept { return time_; }
    bool is_open() const noexcept { return authority_.has_value(); }
    /// Valid once a call has succeeded.
    authority const& known() const noexcept { return *authority_; }
    std::optional<snapshot> const& held() const noexcept { return held_; }
    /// The state after our own commit; keeps the next publish at one create.
    void hold(snapshot newest) { held_ = std::move(newest); }
    void forget() noexcept { held_.reset(); }
    /// From now on the end of the life is no error of `open` and `refresh`, but what `retired` says.
    void allow_ended() noexcept { ended_ = ended_lives::readable; }
    /// The etag of the hint as first read; empty if there was none.
    etag const& hint_tag() const noexcept { return hint_tag_; }
    /// How the stream ended, if the metadata last read says so.
    std::optional<stream_metadata::retired_type> const& retired() const noexcept { return retired_; }

    /// The life as last read.
    life opened_life() const;
    /// `last`, a retire record, has been seen as the newest: every handle that sees one ends the life in its metadata.
    void note_ending(record const& last);
    std::optional<stream_metadata::retired_type> const& ending() const noexcept { return ending_; }
    boost::asio::awaitable<void> finish_ending(fetched& from);

private:
    task<void> learn(fetched const& from, stream_id const& stream, moment asked);
    task<snapshot> first_read(fetched& from);
    task<snapshot> poll(fetched& from);
    task<sequence> find_end(fetched& from, tail_search search);
    tail_means means() const noexcept;
    task<std::optional<sequence>> newest_listed(fetched& from, bool ordered);
    task<record> fetched_record(fetched& from, sequence seq);
    task<folded> fold_at(fetched& from, sequence seq);
    task<folded> fold_anyhow(fetched& from, sequence seq);
    task<folded> fold_records(fetched& from, sequence seq);
    task<folded> replay(fetched& from, folded content, sequence seq);
    error no_base(sequence floor, error const& why) const;
    task<folded> base_state(fetched& from, sequence base);
    result<state> checkpoint_state(fetched const& from, sequence seq) const;
    task<folded> state_at(fetched& from, sequence seq);
    task<snapshot> read_to(fetched& from, sequence end, sequence known);
    task<snapshot> fold_on(fetched& from, sequence end, folded content);
    boost::asio::awaitable<error> explain_absence(fetched& from, sequence seq, error const& gap);
    result<void> check_readable(sequence seq) const;
    bool before_fork(sequence seq) const;
    result<open_stream*> parent();
    error no_commit(commit_id const& id) const;
    task<snapshot> find_time(std::uint64_t wanted, sequence high);
    error before_floor(std::uint64_t created_at) const;
    std::vector<wanted_object> promise_of(stream_id const& stream, fetched const& here) const;
    std::vector<wanted_object> plan_at(stream_id const& stream, sequence seq) const;

    wanted_object record_object(sequence seq) const;
    wanted_object checkpoint_object(sequence seq) const;
    sequence boundary_below(sequence seq) const;

    object_store& store_;
    std::string branch_;
    clock& time_;
    std::optional<stream_id> life_;  // Opened by its stream, not by its name.
    ended_lives ended_ = ended_lives::refused;
    std::unique_ptr<open_stream> parent_;
    parent_walk way_;  // The children that led here.
    std::optional<authority> authority_;
    std::optional<snapshot> held_;
    etag hint_tag_;
    std::optional<stream_metadata::retired_type> retired_;
    std::optional<stream_metadata::retired_type> ending_;  // By the retire record, recorded or not.
};

}  // namespace headwater
