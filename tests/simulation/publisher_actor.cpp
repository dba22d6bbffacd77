// Commits to main and to branches, alone or beside others, with and without idempotency keys, and asks what became of
// what it was not told.
#include "tests/simulation/actor.hpp"
#include "tests/support/builders.hpp"

#include <headwater/publisher.hpp>
#include <headwater/resolve.hpp>

#include <optional>

namespace headwater::simulation {

namespace {

class publisher_actor final : public actor {
public:
    publisher_actor(world& all, object_store& line, std::string its_name, std::uint64_t seed)
        : actor(all, line, std::move(its_name), seed)
    {
        open();
    }

protected:
    void start_again() override { open(); }

    boost::asio::awaitable<void> act() override
    {
        if (doubt_ && draw(2) == 0) {
            co_await settle();
            co_return;
        }
        auto const mark = name() + '-' + std::to_string(++count_);
        publisher::plan const plan = [this, &mark](snapshot const& now) { return wish(now, mark); };
        tell("publish " + mark);
        auto attempt = draw(4) == 0 ? strict(plan) : handle_->publish(plan);
        auto const done = co_await std::move(attempt);
        note(mark, done);
        if (done && draw(8) != 0) {
            auto const spent = co_await handle_->upkeep();
            (void)spent;
        }
        if (draw(10) == 0) open();
    }

private:
    void open()
    {
        publisher_options options;
        options.outcome_budget = std::chrono::milliseconds(1'000 + draw(30'000));
        handle_.emplace(store(), some_branch(), time(), chance(), options);
    }

    task<commit_receipt> strict(publisher::plan plan)
    {
        auto now = co_await handle_->current();
        if (!now) co_return now.error();
        auto wanted = plan(*now);
        if (!wanted) co_return wanted.error();
        co_return co_await handle_->publish_at(std::move(*now), std::move(*wanted));
    }

    result<intent> wish(snapshot const& now, std::string const& mark)
    {
        intent out;
        out.actor = mark;
        if (draw(4) == 0) out.idempotency_key = mark;
        auto const heads = now.heads();
        auto const what = draw(8);
        if (heads.empty() || what == 0) {
            auto const id = 1 + draw(12);
            if (!now.find(id)) return introduce(std::move(out), test::table(id, 1 + draw(40)));
        }
        if (heads.empty()) return out;
        auto const& one = heads[draw(heads.size())];
        if (what == 1) out.tombstones.push_back(test::a_drop(one.table, one.table_key));
        if (what == 2) out.renames.push_back(test::a_rename(one.table, one.table_key, fresh_key()));
        if (what > 3) {
            auto const version = one.version ? one.version->target_version + 1 : 1;
            out.pins.push_back(test::a_pin(one.table, one.table_key, version));
        }
        return out;
    }

    intent introduce(intent out, table_identity who)
    {
        auto const key = fresh_key();
        out.registrations.push_back(test::a_registration(who, key));
        if (draw(3) != 0) out.pins.push_back(test::a_pin(who, key, 1));
        return out;
    }

    std::string fresh_key() { return "node:T" + std::to_string(draw(1ULL << 48)); }

    void note(std::string const& mark, result<commit_receipt> const& done)
    {
        if (done) {
            tell("published " + mark + " at " + std::to_string(done->at.seq.value()));
            all().judged([&](oracle& judge) { judge.told_success(mark, done->at); });
            return;
        }
        refused("publish " + mark, done.error(),
                {errc::conflict, errc::invalid_argument, errc::unavailable, errc::outcome_unknown,
                 errc::branch_not_found, errc::branch_retired});
        if (done.error() == errc::branch_not_found || done.error() == errc::branch_retired) open();
        if (!(done.error() == errc::outcome_unknown)) {
            all().judged([&](oracle& judge) { judge.told_failure(mark); });
            return;
        }
        for (auto const& [name, value] : done.error().why()->facts) {
            if (name == "resume") doubt_.emplace(mark, value);
        }
    }

    boost::asio::awaitable<void> settle()
    {
        auto const [mark, text] = *doubt_;
        auto const token = resume_token::parse(text).value();
        auto const answer = co_await resolve(store(), token);
        if (!answer) {
            refused("resolve " + mark, answer.error(), {errc::unavailable});
            co_return;
        }
        using verdict = resolution::verdict_type;
        tell("resolved " + mark + " to " + std::to_string(static_cast<int>(answer->verdict)));
        all().judged([&](oracle& judge) {
            if (answer->verdict == verdict::committed) judge.told_success(mark, token.at());
            if (answer->verdict == verdict::not_committed) judge.told_failure(mark);
        });
        if (answer->verdict != verdict::unknown) doubt_.reset();
    }

    std::optional<publisher> handle_;
    std::optional<std::pair<std::string, std::string>> doubt_;  ///< A mark and its resume token.
    std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<actor> make_publisher(world& all, object_store& store, std::string name, std::uint64_t seed)
{
    return std::make_unique<publisher_actor>(all, store, std::move(name), seed);
}

}  // namespace headwater::simulation
