// Those that read, and those that look after what others wrote.
#include "tests/simulation/actor.hpp"

#include <headwater/cleanup.hpp>
#include <headwater/reader.hpp>
#include <headwater/repair.hpp>
#include <headwater/verify.hpp>

#include <optional>

namespace headwater::simulation {

namespace {

class reader_actor final : public actor {
public:
    reader_actor(world& all, object_store& line, std::string its_name, std::uint64_t seed)
        : actor(all, line, std::move(its_name), seed)
    {
        open();
    }

protected:
    void start_again() override { open(); }

    boost::asio::awaitable<void> act() override
    {
        auto const before = all().judge.all_newest();
        auto const now = co_await handle_->current();
        if (!now) {
            refused("read", now.error(), {errc::unavailable, errc::branch_not_found, errc::branch_retired});
            open();
            co_return;
        }
        tell("read seq " + std::to_string(now->seq().value()) + " of " + now->stream().text());
        all().judged([&](oracle& judge) { judge.read(*now, before); });
        if (draw(3) == 0 && now->seq().value() > 0) co_await look_back(sequence(1 + draw(now->seq().value())));
        if (draw(6) == 0) open();
    }

private:
    void open() { handle_.emplace(store(), some_branch(), time()); }

    boost::asio::awaitable<void> look_back(sequence when)
    {
        auto const then = co_await handle_->at(when);
        auto const what = "read at seq " + std::to_string(when.value());
        if (!then)
            refused(what, then.error(),
                    {errc::unavailable, errc::pruned, errc::branch_not_found, errc::branch_retired});
        if (!then) co_return;
        tell(what);
        all().judged([&](oracle& judge) { judge.read_at(*then, when); });
    }

    std::optional<reader> handle_;
};

class cleaner_actor final : public actor {
public:
    using actor::actor;

protected:
    boost::asio::awaitable<void> act() override
    {
        cleanup_options options;
        options.keep = 1 + draw(10);
        options.confirm = true;
        options.wait = draw(3) == 0;
        root_sink const none;
        auto const done = co_await cleanup(store(), time(), options, none);
        if (!done) {
            refused("cleanup", done.error(), {errc::unavailable, errc::precondition_failed, errc::outcome_unknown});
        }
        if (done) tell("cleaned up");
        // Nothing here tears what it writes.
        if (done && done->corrupt()) all().break_promise("cleanup could not read a stream");
    }
};

class repairer_actor final : public actor {
public:
    using actor::actor;

protected:
    boost::asio::awaitable<void> act() override
    {
        verify_options how;
        how.deep = draw(2) == 0;
        auto const seen = co_await verify(store(), time(), how);
        if (!seen) refused("verify", seen.error(), {errc::unavailable, errc::pruned});
        if (!seen) co_return;
        for (auto const& each : seen->findings) {
            tell("verify found " + std::string(to_string(each.kind)) + " in " + each.key);
            if (each.corrupt) all().break_promise("verify found corruption in " + each.key + ": " + each.detail);
        }
        repair_options confirmed;
        confirmed.confirm = true;
        auto const mended = co_await repair(store(), time(), confirmed);
        if (!mended) {
            refused("repair", mended.error(),
                    {errc::unavailable, errc::pruned, errc::outcome_unknown, errc::precondition_failed});
        }
    }
};

}  // namespace

std::unique_ptr<actor> make_reader(world& all, object_store& store, std::string name, std::uint64_t seed)
{
    return std::make_unique<reader_actor>(all, store, std::move(name), seed);
}

std::unique_ptr<actor> make_cleaner(world& all, object_store& store, std::string name, std::uint64_t seed)
{
    return std::make_unique<cleaner_actor>(all, store, std::move(name), seed);
}

std::unique_ptr<actor> make_repairer(world& all, object_store& store, std::string name, std::uint64_t seed)
{
    return std::make_unique<repairer_actor>(all, store, std::move(name), seed);
}

}  // namespace headwater::simulation
