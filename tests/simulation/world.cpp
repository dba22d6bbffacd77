// The trace: its digest tells whether two runs were the same, its end what led to a broken promise.
#include "tests/simulation/world.hpp"

#include <utility>

namespace headwater::simulation {

void world::tell(std::string_view who, std::string_view what)
{
    auto line = std::to_string(std::chrono::floor<std::chrono::milliseconds>(time.since_boot()).count()) + " ms "
                + std::string(who) + ": " + std::string(what);
    for (unsigned char const byte : line) digest = (digest ^ byte) * 0x100000001b3ULL;
    ++lines;
    if (broken) return;  // What led there is kept, what came of it is not.
    kept_.push_back(std::move(line));
    if (kept_.size() > kept_lines) kept_.pop_front();
}

void world::break_promise(std::string what)
{
    if (broken) return;
    tell("oracle", what);
    broken = std::move(what);
}

std::string world::last_lines() const
{
    std::string out;
    for (auto const& line : kept_) out += line + '\n';
    return out;
}

}  // namespace headwater::simulation
