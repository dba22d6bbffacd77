# Picks the compiler unless the caller did (CXX or CMAKE_CXX_COMPILER): clang >= 19, g++ >= 13, an older clang, g++ 12.
# Why: clang 16 keeps the address of a thread's own data across a co_await, so that Asio's coroutines break where several
# threads run one io_context (19 does not; 17 and 18 were not tried). g++ 12 miscompiles owning temporaries inside
# co_await expressions; the sources avoid them.
if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(headwater_compiler NAMES clang++-21 clang++-20 clang++-19 g++-15 g++-14 g++-13 NAMES_PER_DIR)
  find_program(headwater_old_compiler NAMES clang++-18 clang++-17 clang++-16 NAMES_PER_DIR)
  if(headwater_compiler)
    set(CMAKE_CXX_COMPILER ${headwater_compiler})
  elseif(headwater_old_compiler)
    message(NOTICE "headwater: no clang >= 19 and no g++ >= 13. Run every io_context on one thread only: "
                   "${headwater_old_compiler} miscompiles coroutines that move between threads")
    set(CMAKE_CXX_COMPILER ${headwater_old_compiler})
  else()
    message(NOTICE "headwater: no clang >= 19 and no g++ >= 13: building with the default compiler")
  endif()
endif()
find_program(headwater_ccache ccache)
if(headwater_ccache AND NOT DEFINED ENV{HEADWATER_NO_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${headwater_ccache})
endif()
