// feed: what each commit of a branch changed, table by table, from a point on and as it goes on. FORMAT section 4,
// "Change feed". Stands on the records alone: no state is folded.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/cost.hpp>
#include <headwater/export.hpp>
#include <headwater/object_store.hpp>
#include <headwater/record.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/task.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headwater {

/// What one commit did to one table. Several may hold at once: registered and pinned, renamed and pinned.
struct feed_change {
    feed_change() = default;

    table_identity table;
    std::string table_key;  ///< After the commit; of a dropped table, its last.
    bool dropped = false;
    std::optional<std::string> renamed_from;
    std::optional<std::string> registered_at;  ///< The location.
    std::optional<pin> version;                ///< The version that the commit made current.
    std::optional<std::string> schema_hash;    ///< If the registration or the pin gave one.

    friend bool operator==(feed_change const&, feed_change const&) = default;
};

/// The changes of one record, sorted by identity, one for each. Pure.
HEADWATER_EXPORT std::vector<feed_change> changes_of(record const& from);

/// One commit.
struct change_block {
    change_block() = default;

    record cause;                      ///< Without its carry.
    std::vector<feed_change> changes;  ///< Those that the filter lets through; may be empty.
    std::string cursor;                ///< Resumes after this commit.
};

/// Commits in their order.
struct feed_page {
    feed_page() = default;

    std::vector<change_block> blocks;
    std::string cursor;      ///< Resumes after this page; of an empty page, where the feed stands.
    bool caught_up = false;  ///< There was nothing after the page when it was read.
    cost spent;
};

/// Where a feed begins.
class feed_start {
public:
    /// After the newest commit.
    static feed_start now() { return feed_start(now_tag()); }
    /// Before the first commit of the branch: of a child, after its fork.
    static feed_start beginning() { return feed_start(beginning_tag()); }
    static feed_start after(commit_id id) { return feed_start(std::move(id)); }
    /// After a snapshot of the same branch: load the snapshot, then follow.
    static feed_start after(position at) { return feed_start(std::move(at)); }
    /// Where a cursor says.
    static feed_start at(std::string cursor) { return feed_start(std::move(cursor)); }

    struct now_tag {};
    struct beginning_tag {};
    using value_type = std::variant<now_tag, beginning_tag, commit_id, position, std::string>;
    value_type const& value() const noexcept { return value_; }

private:
    explicit feed_start(value_type value) : value_(std::move(value)) {}
    value_type value_;
};

/// How to feed.
struct feed_options {
    feed_options() = default;

    std::uint32_t page_commits = 128;           ///< The most commits of a page, 1 to `max_page_commits`.
    std::vector<std::uint64_t> tables;          ///< stable_table_ids to tell of; empty: all. A cursor is bound to it.
    std::chrono::milliseconds idle_first{100};  ///< How long `next` waits after the first empty poll; then doubles.
    std::chrono::milliseconds idle_longest{10'000};  ///< The longest wait.
    /// A poll that finds nothing reads the branch's metadata too, one more request, when they are older than this: who
    /// follows a graph that was removed is told so soon (`branch_not_found`). 0: every half hour, which there must be.
    std::chrono::milliseconds look_again{0};

    static constexpr std::uint32_t max_page_commits = 512;
};

/// Follows one branch life, from its start on; each commit once, in order. Whoever keeps `cursor` after applying a page
/// and resumes there sees each commit at least once.
///
/// Cost: a poll that finds nothing is one request (GET of the next record); the first one also opens the graph and
/// checks that the start is where it says. A page of n commits is at most 2n + 1 requests, in rounds that double.
/// The first poll that finds nothing reads the hint too, which tells a hole (`history_gap`) from the end, and every
/// half hour of polling the hint and the branch's metadata are read again.
///
/// Errors, upon which the feed stays where it is: `cursor_rejected` (foreign, damaged, of another life or filter, or
/// not in this history), `pruned` (the next commit is below the floor, fact `floor`, or was cleaned up with a branch
/// that was deleted, fact `final_seq`: a gap), `branch_retired` (after the last page; at once for a feed that would
/// begin with `now` or `beginning`), `not_found` (no commit of that id), and the reader's. Lifetime: store and clock
/// must outlive the feed, and the feed its tasks; one that was moved from may only be assigned to or destroyed.
/// Cancellation: at any point; the feed stays usable. Threads: one executor or strand, and one call at a time.
class HEADWATER_EXPORT feed {
public:
    feed(object_store& store, std::string_view branch, clock& time, feed_start start, feed_options options = {});
    feed(feed&&) noexcept;
    feed& operator=(feed&&) noexcept;
    ~feed();

    /// What is there now, at most a page; may be empty.
    task<feed_page> poll();
    /// The next page that has a commit. Polls, and while nothing is new waits ever longer between two polls.
    task<feed_page> next();
    /// How long `next` would wait now: `idle_first` after the first empty poll, twice that after the second.
    std::chrono::milliseconds idle_wait() const noexcept;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace headwater
