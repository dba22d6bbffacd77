// Merges whatever branch into whatever other, decides conflicts by lot, and deletes what it has merged, or tries again.
#include "tests/simulation/actor.hpp"

#include <headwater/branches.hpp>
#include <headwater/merge.hpp>

#include <algorithm>

namespace headwater::simulation {

namespace {

using merge_end = merge_receipt::outcome_type;

// A cleanup may have taken what a base depends on; anything else that is missing must not be.
bool is_honest_gap(error const& what)
{
    return what.why()
           && std::ranges::any_of(what.why()->facts, [](auto const& fact) { return fact.first == "missing_commit"; });
}

class merger_actor final : public actor {
public:
    using actor::actor;

protected:
    boost::asio::awaitable<void> act() override
    {
        auto const source = some_branch();
        auto const target = some_branch();
        if (source == target) co_return;
        auto const mark = name() + '-' + std::to_string(++count_);
        merge_options how;
        how.actor = mark;
        how.ended_is_merged = draw(2) == 0;
        merge_resolver const by_lot = [this](merge_question const&) {
            return draw(2) == 0 ? merge_answer::kind_type::take_source : merge_answer::kind_type::keep_target;
        };
        auto const text = "merge " + source + " into " + target + " as " + mark;
        tell(text);
        auto from = branch_name::parse(source).value();
        auto into = branch_name::parse(target).value();
        auto const done = co_await merge(store(), from, into, time(), chance(), how, by_lot);
        note(text, mark, done);
        if (done && !from.is_main() && draw(2) == 0) co_await end(std::move(from), *done);
    }

private:
    void note(std::string const& text, std::string const& mark, result<merge_receipt> const& done)
    {
        if (done) {
            tell(std::string(to_string(done->outcome)) + " at " + std::to_string(done->at.seq.value()));
            bool const made = done->outcome != merge_end::already_up_to_date;
            all().judged([&](oracle& judge) {
                judge.told_merged(*done);
                if (made) judge.told_success(mark, done->at);
            });
            return;
        }
        refused(text, done.error(),
                {errc::merge_conflict, errc::conflict, errc::unavailable, errc::outcome_unknown, errc::history_gap,
                 errc::branch_not_found, errc::branch_retired, errc::pruned, errc::precondition_failed});
        if (done.error() == errc::history_gap && !is_honest_gap(done.error())) {
            all().break_promise(name() + ": " + done.error().message());
        }
        if (done.error() == errc::outcome_unknown) return;
        all().judged([&](oracle& judge) { judge.told_failure(mark); });
    }

    boost::asio::awaitable<void> end(branch_name name, merge_receipt const& done)
    {
        branches all_branches(store(), time(), chance());
        position const merged = done.source;
        auto const text = "delete merged " + name.text();
        auto const ended = co_await all_branches.remove_at(std::move(name), merged);
        if (ended) tell(text);
        if (ended) co_return;
        refused(text, ended.error(),
                {errc::branch_not_found, errc::branch_retired, errc::conflict, errc::unavailable, errc::outcome_unknown,
                 errc::precondition_failed});
    }

    std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<actor> make_merger(world& all, object_store& store, std::string name, std::uint64_t seed)
{
    return std::make_unique<merger_actor>(all, store, std::move(name), seed);
}

}  // namespace headwater::simulation
