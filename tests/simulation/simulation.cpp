// Sets a world up, lets it run until nothing moves, and looks at what is left.
#include "tests/simulation/simulation.hpp"

#include "tests/simulation/actor.hpp"

#include <headwater/adapters/memory.hpp>
#include <headwater/cleanup.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>
#include <headwater/verify.hpp>

#include <boost/asio/co_spawn.hpp>

#include <vector>

namespace headwater::simulation {

namespace {

class run_of_one_seed {
public:
    explicit run_of_one_seed(simulation_options const& options)
        : chance_(make_seeded_random(options.seed)),
          memory_(make_memory_store(all_.time)),
          store_(make_watched_store(*memory_, all_)),
          lies_(options.lies)
    {
        all_.kept_lines = options.kept_lines;
    }

    outcome go()
    {
        if (guarded([this] { begin(); })) {
            all_.store_lies = lies_;  // Not before: no graph is made on a store that lies.
            for (auto& each : actors_) spawn(*each);
            test::drive(all_.io, all_.time);
        }
        if (!all_.broken) guarded([this] { finish(); });
        outcome out;
        out.broken = all_.broken;
        out.last_lines = all_.last_lines();
        out.digest = all_.digest;
        out.lines = all_.lines;
        out.commits = all_.judge.commits();
        out.merges = all_.judge.merges();
        out.commits_fed = all_.judge.commits_fed();
        out.floor = all_.judge.floor("main").value();
        return out;
    }

private:
    std::uint64_t draw(std::uint64_t below) { return chance_->next() % below; }

    template <class Work>
    bool guarded(Work work)
    {
        try {
            work();
        } catch (std::exception const& why) {
            all_.break_promise(why.what());
        }
        return !all_.broken;
    }

    template <class T>
    T must(task<T> work)
    {
        auto answer = test::run(all_.io, all_.time, std::move(work));
        if (!answer) throw failure(answer.error());
        return std::move(*answer);
    }

    void begin()
    {
        init_options how;
        how.checkpoint_interval = 2 + draw(6);
        how.carry_limit = draw(2) == 0 ? 1'024 : how.carry_limit;
        (void)must(init_graph(*store_, all_.time, *chance_, how));
        auto const publishers = 1 + draw(4);
        for (std::uint64_t i = 0; i < publishers; ++i) add(make_publisher, "publisher " + std::to_string(i + 1));
        for (int i = 0; i < 2; ++i) add(make_reader, "reader " + std::to_string(i + 1));
        add(make_brancher, "brancher");
        add(make_cleaner, "cleaner");
        add(make_repairer, "repairer");
        add(make_merger, "merger");
        add(make_follower, "follower");
    }

    template <class Make>
    void add(Make make, std::string name)
    {
        actors_.push_back(make(all_, *store_, std::move(name), chance_->next()));
    }

    void spawn(actor& who)
    {
        auto const ended = [this, &who](std::exception_ptr thrown) {
            if (!thrown) return;
            guarded([&] { std::rethrow_exception(thrown); });
            all_.tell(who.name(), "stopped");
        };
        boost::asio::co_spawn(all_.io, who.live(), ended);
    }

    // Whatever happened: the graph is whole, can be read, written and cleaned, and says the same afterwards.
    void finish()
    {
        check_verified();
        publisher writer(*store_, "main", all_.time, *chance_);
        (void)must(writer.publish([](snapshot const&) { return intent(); }));
        (void)must(writer.upkeep());
        check_read();
        cleanup_options least;
        least.keep = 1;
        least.confirm = true;
        least.quiesced = true;
        (void)must(cleanup(*store_, all_.time, least, {}));
        check_verified();
        check_read();
    }

    void check_read()
    {
        reader fresh(*store_, "main", all_.time);
        auto const now = must(fresh.current());
        all_.judged([&](oracle& judge) { judge.read(now, judge.all_newest()); });
    }

    void check_verified()
    {
        verify_options deep;
        deep.deep = true;
        for (auto const& each : must(verify(*store_, all_.time, deep)).findings) {
            if (each.corrupt) all_.break_promise("at the end, " + each.key + ": " + each.detail);
        }
    }

    world all_;
    std::unique_ptr<headwater::random> chance_;
    std::unique_ptr<object_store> memory_;
    std::unique_ptr<object_store> store_;
    bool lies_;
    std::vector<std::unique_ptr<actor>> actors_;
};

}  // namespace

outcome simulate(simulation_options const& options)
{
    run_of_one_seed run(options);
    return run.go();
}

}  // namespace headwater::simulation
