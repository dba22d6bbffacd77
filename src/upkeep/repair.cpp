// Mends each finding while the state that it needs is at hand.
#include <headwater/repair.hpp>

#include "src/format/object_layout.hpp"
#include "src/upkeep/graph_check.hpp"
#include "src/upkeep/repair_plan.hpp"

#include <headwater/probe.hpp>
#include <headwater/stores.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace headwater {

namespace {

using outcome = repair_step::outcome_type;

class mender final : public check_observer {
public:
    mender(object_store& store, std::uint64_t interval, bool confirm, std::vector<repair_step>& out)
        : store_(store), interval_(interval), confirm_(confirm), out_(out)
    {
    }

    task<void> found(finding what, found_beside beside) override
    {
        auto const of_key = [&](repair_step const& each) { return each.what.key == what.key; };
        auto const earlier = may_be_told_again(what.kind) ? std::ranges::find_if(out_, of_key) : out_.end();
        if (earlier != out_.end()) {
            // What one state of a stream does not lead to, no later one does.
            bool const hopeless = tried_.contains({what.key, what.stream});
            if (earlier->outcome != outcome::impossible || hopeless) co_return result<void>();
            auto const again = co_await attempt(what, beside);
            if (!again) co_return again.error();
            earlier->outcome = *again;
            co_return result<void>();
        }
        if (out_.size() == max_findings) co_return error(errc::limit_exceeded, "max_findings reached");
        auto const tried = co_await attempt(what, beside);
        if (!tried) co_return tried.error();
        repair_step step;
        step.outcome = *tried;
        step.what = std::move(what);
        out_.push_back(std::move(step));
        co_return result<void>();
    }

private:
    task<outcome> attempt(finding const& what, found_beside const& beside)
    {
        auto const way = plan_repair(what, beside);
        if (way == repair_way::none) co_return outcome::impossible;
        if (!confirm_) co_return outcome::planned;
        tried_.emplace(what.key, what.stream);
        auto const done = co_await mend(way, *what.seq, beside);
        if (!done && !blames_stored(done.error())) co_return done.error();
        // What it would be made of is lost too: the rest can still be mended.
        if (!done) co_return outcome::impossible;
        co_return *done == healed::overtaken ? outcome::overtaken : outcome::written;
    }

    task<healed> mend(repair_way way, sequence seq, found_beside beside)
    {
        stream_id const stream = beside.of->stream;
        if (way == repair_way::checkpoint)
            co_return co_await heal_checkpoint(store_, *beside.content, stream, interval_);
        if (way == repair_way::set) co_return co_await heal_set(store_, *beside.content, stream, interval_);
        if (way == repair_way::finish_delete) {
            life of = *beside.of;
            auto end = ending_of(*beside.newest);
            auto const done = co_await end_life(store_, std::move(of), std::move(end));
            if (!done) co_return done.error();
            co_return healed::written;
        }
        auto const facts = facts_for_hint(seq, beside.newest, interval_, beside.facts->checkpoints);
        // A child at its fork has its first checkpoint, and no record yet.
        hint const right = beside.newest ? right_hint(*beside.newest, facts) : hint{seq, seq};
        co_return co_await heal_hint(store_, stream, right, facts);
    }

    object_store& store_;
    std::uint64_t interval_;
    bool confirm_;
    std::vector<repair_step>& out_;
    std::set<std::pair<std::string, std::string>> tried_;  // Keys, and with the states of which stream.
};

}  // namespace

std::string_view to_string(repair_step::outcome_type outcome) noexcept
{
    switch (outcome) {
    case repair_step::outcome_type::planned: return "planned";
    case repair_step::outcome_type::written: return "written";
    case repair_step::outcome_type::overtaken: return "overtaken";
    case repair_step::outcome_type::impossible: return "impossible";
    }
    return "unknown";
}

bool repair_report::corrupt() const noexcept
{
    return std::ranges::any_of(steps, [](repair_step const& each) {
        bool const mended = each.outcome == outcome::written || each.outcome == outcome::overtaken;
        return each.what.corrupt && !mended;
    });
}

task<repair_report> repair(object_store& store, clock& time, repair_options options)
{
    if (options.confirm && !store.capabilities().conditional_update) {
        co_return error(errc::unsupported, store.address() + " cannot update under a condition: no repair");
    }
    meter counts;
    auto const counted = make_metered_store(store, counts);
    auto const opened = co_await open_graph(*counted, time);
    if (!opened) co_return opened.error();
    if (options.confirm && options.proofs) {
        auto const proven = co_await options.proofs->demand(*counted, proof_of::updates);
        if (!proven) co_return proven.error();
    }
    repair_report out;
    mender mend(*counted, opened->format.checkpoint_interval, options.confirm, out.steps);
    bool const deep = true;
    graph_check check(*counted, time, deep, mend);
    verify_report read;
    auto done = co_await check.run(read);
    if (!done) co_return done.error();
    out.spent = counts.total();
    co_return out;
}

}  // namespace headwater
