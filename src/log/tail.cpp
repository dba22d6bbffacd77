// Gallop up, bisect down; a listing answers at once where the store lists in key order.
#include "src/log/tail.hpp"

#include <algorithm>

namespace headwater {

tail_search tail_search::after(sequence newest, tail_means means) { return {newest, means, true, true}; }

tail_search tail_search::after_floor(sequence floor, tail_means means) { return {floor, means, true, false}; }

tail_search tail_search::from_floor(sequence floor, tail_means means) { return {floor, means, false, false}; }

tail_step tail_search::next() const
{
    using kind = tail_step::kind_type;
    if (absent_ && absent_->value() == present_.value() + 1) {
        // Without a hint nobody has told of a later record, and a lost one looks like the end.
        if (told_ || listed_ || !means_.list_allowed) return {kind::done, present_};
        return {means_.ordered_listing ? kind::list_first : kind::list_all, present_};
    }
    if (present_ >= last_sequence) return {kind::done, present_};
    if (probes_ >= max_probes) return {kind::exhausted, present_};
    bool const stepping = believed_ && present_.value() - start_.value() < steps_before_jump;
    if (stepping && !absent_) return {kind::probe, present_.next()};
    if (means_.ordered_listing && means_.list_allowed && !listed_) return {kind::list_first, present_};
    return {kind::probe, jump()};
}

sequence tail_search::jump() const
{
    if (absent_) return sequence(present_.value() + (absent_->value() - present_.value()) / 2);
    auto const gone = present_.value() - start_.value();
    auto const room = last_sequence.value() - present_.value();
    return sequence(present_.value() + std::min(std::max<std::uint64_t>(gone, 1), room));
}

void tail_search::present(sequence seq)
{
    ++probes_;
    present_ = std::max(present_, seq);
}

void tail_search::absent(sequence seq)
{
    ++probes_;
    absent_ = absent_ ? std::min(*absent_, seq) : seq;
}

void tail_search::listed(std::optional<sequence> newest)
{
    listed_ = true;
    // A listing that knows less than the probes is stale: the probes go on.
    if (newest.value_or(start_) < present_) return;
    present_ = newest.value_or(start_);
    absent_ = present_.next();
}

void tail_search::listing_refused() { means_.list_allowed = false; }

}  // namespace headwater
