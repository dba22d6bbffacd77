// What libFuzzer calls. The build gives HEADWATER_FUZZ_TARGET, the name of one target.
#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    using namespace headwater::fuzz;
    static auto const chosen = std::ranges::find(targets(), HEADWATER_FUZZ_TARGET, &target::name);
    chosen->run({reinterpret_cast<char const*>(data), size});
    return 0;
}
