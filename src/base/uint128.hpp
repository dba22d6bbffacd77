// A 128-bit unsigned integer: both compilers have it, neither calls it standard.
#pragma once

namespace headwater {

__extension__ using uint128 = unsigned __int128;

}  // namespace headwater
