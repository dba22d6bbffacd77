// The kernel's generator: the one home of chance that does not repeat itself. All else takes a random& (random.hpp).
#include <headwater/random.hpp>

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace headwater {

namespace {

class system_random final : public random {
public:
    void fill(std::span<std::byte> out) override
    {
        while (!out.empty()) {
            auto const got = ::getrandom(out.data(), out.size(), 0);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw std::system_error(errno, std::generic_category(), "getrandom");
            out = out.subspan(static_cast<std::size_t>(got));
        }
    }
};

}  // namespace

std::unique_ptr<random> make_system_random() { return std::make_unique<system_random>(); }

}  // namespace headwater
