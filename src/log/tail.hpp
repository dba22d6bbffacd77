// tail: which slot to look at next to find the newest record, and when the end of the log is certain. Pure.
// FORMAT section 4, "Read current state". The reader asks, this decides.
#pragma once

#include <headwater/names.hpp>

#include <optional>

namespace headwater {

/// The next thing to ask the store.
struct tail_step {
    enum class kind_type {
        probe,       ///< GET the record at `seq`.
        list_first,  ///< The first name below the record prefix of a store that lists in key order.
        list_all,    ///< Every name below the record prefix.
        done,        ///< The newest record is at `seq`; the floor if there is none above it.
        exhausted,   ///< The probing budget is spent.
    };
    kind_type kind = kind_type::done;
    sequence seq;

    friend bool operator==(tail_step const&, tail_step const&) = default;
};

/// How a store can be searched.
struct tail_means {
    bool ordered_listing = false;
    bool list_allowed = true;
};

/// Finds the end of a log whose records have no holes: the first slot that was answered "absent".
class tail_search {
public:
    /// `newest` is known to exist; later ones are looked for one by one, then in jumps.
    static tail_search after(sequence newest, tail_means means);
    /// `floor`, above 0, is the first state that a child or a pruned stream has: the newest is near, but nothing says
    /// so.
    static tail_search after_floor(sequence floor, tail_means means);
    /// Nothing is believed but the floor.
    static tail_search from_floor(sequence floor, tail_means means);

    tail_step next() const;

    void present(sequence seq);
    void absent(sequence seq);
    /// The greatest record name that a listing gave; nothing: none above the floor.
    void listed(std::optional<sequence> newest);
    /// The store does not let us list.
    void listing_refused();

    /// How many slots are probed one by one after a hint before jumping: hints are stale by a few at most.
    static constexpr std::uint64_t steps_before_jump = 4;
    /// Doubling and bisecting u64 takes at most two probes a bit; what is beyond that is a store that contradicts
    /// itself.
    static constexpr unsigned max_probes = 140;

private:
    tail_search(sequence start, tail_means means, bool believed, bool told)
        : start_(start), present_(start), means_(means), believed_(believed), told_(told)
    {
    }
    sequence jump() const;

    sequence start_;
    sequence present_;                // The greatest slot known to be taken, or the start.
    std::optional<sequence> absent_;  // The least slot known to be free.
    tail_means means_;
    bool believed_;  // The start stands, and the end is most likely near.
    bool told_;      // The start is what somebody has seen as the newest.
    bool listed_ = false;
    unsigned probes_ = 0;
};

}  // namespace headwater
