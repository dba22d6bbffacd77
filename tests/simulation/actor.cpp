// What all actors share: they think, act, are killed and start again.
#include "tests/simulation/actor.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <array>

namespace headwater::simulation {

using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t rates[] = {0, 2, 10, 40};
constexpr std::uint64_t stop_rates[] = {0, 0, 2, 10};

std::uint64_t one_of(std::span<std::uint64_t const> values, headwater::random& draw)
{
    return values[draw.next() % values.size()];
}

milliseconds some_skew(headwater::random& draw) { return milliseconds(draw.next() % 240'000) - milliseconds(120'000); }

}  // namespace

actor::actor(world& all, object_store& store, std::string name, std::uint64_t seed)
    : all_(all),
      name_(std::move(name)),
      chance_(make_seeded_random(seed)),
      luck_(make_seeded_random(seed + 1)),
      faults_per_mille_(one_of(rates, *chance_)),
      steps_(10 + draw(20)),
      time_(all.time, some_skew(*chance_))
{
    roughness how;
    how.stops = one_of(stop_rates, *chance_);
    how.repeats = one_of(rates, *chance_);
    milliseconds const late_by(draw(2) == 0 ? draw(5'000) : draw(3 * 60 * 60 * 1'000));
    rough_ = make_rough_store(store, all, how, seed + 2);
    auto const plan = [this](store_call const& call) { return choose(call); };
    faulty_ = make_faulty_store(*rough_, all.time, plan, late_by);
    settling_ = make_settling_store(*faulty_, time_, *luck_);
    store_ = make_retrying_store(*settling_, time_, *luck_);
}

fault actor::choose(store_call const& call)
{
    static constexpr std::array kinds = {fault::unavailable,    fault::unavailable,  fault::unknown_applied,
                                         fault::unknown_lost,   fault::unknown_late, fault::cancelled,
                                         fault::cancelled_after};
    if (luck_->next() % 1'000 >= faults_per_mille_) return fault::none;
    auto const what = kinds[luck_->next() % kinds.size()];
    all_.tell(name_, "fault " + std::to_string(static_cast<int>(what)) + " to " + std::string(call.operation) + ' '
                         + std::string(call.key));
    return what;
}

boost::asio::awaitable<void> actor::live()
{
    for (std::uint64_t step = 0; step < steps_ && !all_.broken; ++step) {
        milliseconds const thought(draw(8) == 0 ? draw(40 * 60 * 1'000) : draw(3'000));
        co_await all_.time.sleep_for(thought);
        bool killed = false;
        try {
            co_await act();
        } catch (boost::system::system_error const& why) {
            if (why.code() != boost::asio::error::operation_aborted) throw;
            killed = true;
        }
        if (!killed) continue;
        tell("killed");
        start_again();
    }
}

void actor::refused(std::string_view what, error const& why, std::initializer_list<errc> allowed)
{
    tell(std::string(what) + " failed: " + why.message());
    bool const fine = std::ranges::any_of(allowed, [&](errc each) { return why == each; });
    if (!fine) all_.break_promise(name_ + ": " + std::string(what) + " failed: " + why.message());
}

}  // namespace headwater::simulation
