# Parsing Asio, the standard library and GoogleTest takes most of the time of a build. With HEADWATER_PCH all libraries
# share one precompiled header, and all tests another. No source may lean on them: the gates that verify the headers and
# run clang-tidy build without.

set(headwater_pch_headers
    <algorithm> <array> <charconv> <chrono> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
    <string_view> <utility> <variant> <vector> <boost/asio/any_io_executor.hpp> <boost/asio/awaitable.hpp>
    <boost/asio/co_spawn.hpp> <boost/asio/post.hpp> <boost/asio/this_coro.hpp> <boost/asio/use_awaitable.hpp>
    <boost/system/result.hpp>)
set(headwater_pch_test_headers
    <boost/asio/bind_cancellation_slot.hpp> <boost/asio/cancellation_signal.hpp> <boost/asio/io_context.hpp>
    <gmock/gmock.h> <gtest/gtest.h>)
set(headwater_pch_source ${CMAKE_CURRENT_LIST_DIR}/pch.cpp)

# headwater_pch_owner(target HEADERS…): `target`, which the caller has made and set up, compiles what others reuse.
function(headwater_pch_owner target)
  # clang would write the time into the header, which ccache takes for a change.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

function(headwater_reuse_pch target owner)
  if(HEADWATER_PCH)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
