// timeline: what a read asked of the store and when, for `--explain`: a decorator that notes, and the text of its
// notes.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

/// One request, from when it was asked for until it was answered.
struct timeline_entry {
    timeline_entry() = default;

    std::string operation;
    std::string subject;  ///< The key, or the prefix of a listing.
    std::uint64_t round = 0;
    std::chrono::nanoseconds began{0};  ///< Since the timeline began.
    std::chrono::nanoseconds ended{0};
    std::uint32_t attempts = 1;  ///< Requests sent for it: repeats and hedges are told apart by nobody.
    std::string outcome;         ///< `75,431 bytes`, `absent`, or what went wrong.
};

/// The requests of one operation, in the order in which they began. A round is one more than that of any request which
/// had ended before. Threads: one executor.
class timeline {
public:
    explicit timeline(clock& time) : time_(time), origin_(time.since_boot()) {}

    std::size_t begin(std::string_view operation, std::string_view subject);
    void end(std::size_t which, std::uint32_t attempts, std::string outcome);

    std::vector<timeline_entry> const& entries() const noexcept { return entries_; }
    std::chrono::nanoseconds elapsed() const { return time_.since_boot() - origin_; }

private:
    clock& time_;
    std::chrono::nanoseconds origin_;
    std::uint64_t ended_round_ = 0;
    std::vector<timeline_entry> entries_;
};

/// Notes reads and listings in `notes`, which must outlive it; writes pass.
std::unique_ptr<object_store> make_noting_store(object_store& next, timeline& notes);

/// A line for each request with its round, its begin and end in milliseconds, a bar, and what came of it; the last line
/// says when all was done. Pure.
std::string timeline_text(std::vector<timeline_entry> const& entries, std::chrono::nanoseconds done);

}  // namespace headwater::cli
