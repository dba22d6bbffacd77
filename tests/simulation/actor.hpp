// actor: one process of a simulation: its own line to the store, its own faults, its own clock, and what it does.
#pragma once

#include "tests/simulation/watched_store.hpp"
#include "tests/simulation/world.hpp"

#include <headwater/clock.hpp>
#include <headwater/error.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace headwater::simulation {

/// The world's clock, wrong by a constant.
class wrong_clock final : public clock {
public:
    wrong_clock(clock& truth, std::chrono::milliseconds wrong_by) : truth_(truth), wrong_by_(wrong_by) {}

    time_ms now() const override { return truth_.now() + wrong_by_; }
    std::chrono::nanoseconds since_boot() const override { return truth_.since_boot(); }
    boost::asio::awaitable<void> sleep_for(std::chrono::nanoseconds length) override
    {
        return truth_.sleep_for(length);
    }

private:
    clock& truth_;
    std::chrono::milliseconds wrong_by_;
};

class actor {
public:
    actor(world& all, object_store& store, std::string name, std::uint64_t seed);
    virtual ~actor() = default;

    /// Its whole life.
    boost::asio::awaitable<void> live();
    std::string const& name() const noexcept { return name_; }

protected:
    /// One thing that it does. `operation_aborted` is the process being killed: then `start_again` follows.
    virtual boost::asio::awaitable<void> act() = 0;
    virtual void start_again() {}

    object_store& store() noexcept { return *store_; }
    clock& time() noexcept { return time_; }
    random& chance() noexcept { return *chance_; }
    std::uint64_t draw(std::uint64_t below) { return chance_->next() % below; }
    world& all() noexcept { return all_; }
    world const& all() const noexcept { return all_; }
    /// Main as often as not, else a branch that may have ended.
    std::string some_branch() { return draw(2) == 0 ? std::string("main") : all_.branches[draw(all_.branches.size())]; }
    void tell(std::string_view what) { all_.tell(name_, what); }
    /// The error is told; one that is not among `allowed` is a broken promise.
    void refused(std::string_view what, error const& why, std::initializer_list<errc> allowed);

private:
    fault choose(store_call const& call);

    world& all_;
    std::string name_;
    std::unique_ptr<headwater::random> chance_;
    std::unique_ptr<headwater::random> luck_;
    std::uint64_t faults_per_mille_ = 0;
    std::uint64_t steps_ = 0;
    wrong_clock time_;
    std::unique_ptr<object_store> rough_;
    std::unique_ptr<object_store> faulty_;
    std::unique_ptr<object_store> settling_;
    std::unique_ptr<object_store> store_;
};

std::unique_ptr<actor> make_publisher(world& all, object_store& store, std::string name, std::uint64_t seed);
std::unique_ptr<actor> make_reader(world& all, object_store& store, std::string name, std::uint64_t seed);
std::unique_ptr<actor> make_cleaner(world& all, object_store& store, std::string name, std::uint64_t seed);
std::unique_ptr<actor> make_brancher(world& all, object_store& store, std::string name, std::uint64_t seed);
std::unique_ptr<actor> make_merger(world& all, object_store& store, std::string name, std::uint64_t seed);
std::unique_ptr<actor> make_follower(world& all, object_store& store, std::string name, std::uint64_t seed);
std::unique_ptr<actor> make_repairer(world& all, object_store& store, std::string name, std::uint64_t seed);

}  // namespace headwater::simulation
