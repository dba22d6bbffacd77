// Chance that repeats itself, for tests and simulations, and what all sources of chance share (random.hpp).
#include <headwater/random.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace headwater {

namespace {

// xoshiro256**, seeded by splitmix64 (https://prng.di.unimi.it): tiny, and the same on every machine.
class seeded_random final : public random {
public:
    explicit seeded_random(std::uint64_t seed)
    {
        for (auto& word : state_) word = split_mix(seed);
    }

    void fill(std::span<std::byte> out) override
    {
        while (!out.empty()) {
            auto word = step();
            auto const part = out.first(std::min(out.size(), sizeof word));
            for (auto& byte : part) {
                byte = static_cast<std::byte>(word & 0xff);
                word >>= 8;
            }
            out = out.subspan(part.size());
        }
    }

private:
    static std::uint64_t split_mix(std::uint64_t& seed) noexcept
    {
        auto mixed = (seed += 0x9e3779b97f4a7c15ULL);
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31);
    }

    std::uint64_t step() noexcept
    {
        auto const answer = std::rotl(state_[1] * 5, 7) * 9;
        auto const shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return answer;
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace

std::uint64_t random::next()
{
    std::array<std::byte, 8> raw{};
    fill(raw);
    std::uint64_t number = 0;
    for (auto at = raw.size(); at-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(raw[at]);
    return number;
}

std::unique_ptr<random> make_seeded_random(std::uint64_t seed) { return std::make_unique<seeded_random>(seed); }

}  // namespace headwater
