// Makes branches of whatever state, ends them, and makes them again.
#include "tests/simulation/actor.hpp"

#include <headwater/branches.hpp>
#include <headwater/reader.hpp>

#include <algorithm>
#include <array>

namespace headwater::simulation {

namespace {

class brancher_actor final : public actor {
public:
    using actor::actor;

protected:
    boost::asio::awaitable<void> act() override
    {
        branches all_branches(store(), time(), chance());
        auto const which = draw(5);
        if (which < 2) {
            co_await make(all_branches);
        } else if (which < 4) {
            co_await end(all_branches);
        } else {
            auto const live = co_await all_branches.list();
            if (!live) refused("list branches", live.error(), {errc::unavailable});
        }
    }

private:
    branch_name some_name()
    {
        static constexpr std::array names = {"b", "review/2026", "\xC3\xBC"};
        return branch_name::parse(names[draw(names.size())]).value();
    }

    boost::asio::awaitable<void> make(branches& all_branches)
    {
        auto const name = some_name();
        auto const from = some_branch();
        reader parent(store(), from, time());
        auto base = co_await parent.current();
        if (base && draw(2) == 0 && base->seq().value() > 1) {
            sequence const earlier(1 + draw(base->seq().value()));
            base = co_await parent.at(earlier);
        }
        if (!base) {
            refused("read " + from, base.error(),
                    {errc::unavailable, errc::pruned, errc::branch_not_found, errc::branch_retired});
            co_return;
        }
        auto const text = "create " + name.text() + " of seq " + std::to_string(base->seq().value()) + " of " + from;
        tell(text);
        auto const made = co_await all_branches.create(name, std::move(*base));
        if (!made) {
            refused(text, made.error(),
                    {errc::branch_exists, errc::pruned, errc::branch_retired, errc::branch_not_found, errc::unavailable,
                     errc::outcome_unknown});
            co_return;
        }
        tell("created " + made->stream);
        auto& known = all().branches;
        if (std::ranges::find(known, name.text()) == known.end()) known.push_back(name.text());
    }

    boost::asio::awaitable<void> end(branches& all_branches)
    {
        auto const name = some_name();
        tell("delete " + name.text());
        auto const ended = co_await all_branches.remove(name);
        if (ended) tell("deleted " + ended->stream);
        if (!ended) {
            refused("delete " + name.text(), ended.error(),
                    {errc::branch_not_found, errc::branch_retired, errc::conflict, errc::unavailable,
                     errc::outcome_unknown, errc::precondition_failed});
        }
    }
};

}  // namespace

std::unique_ptr<actor> make_brancher(world& all, object_store& store, std::string name, std::uint64_t seed)
{
    return std::make_unique<brancher_actor>(all, store, std::move(name), seed);
}

}  // namespace headwater::simulation
