# headwater_library(): one library target with the settings that all of them share.
#
#   headwater_library(NAME s3 SOURCES s3_store.cpp … PUBLIC headwater::core PRIVATE OpenSSL::Crypto HEADERS …)
#
# makes headwater_s3 and the alias headwater::s3, and installs both as such. HEADERS are public ones below include/.
# INTERNAL: it is no part of the installation.
include(GNUInstallDirs)
include(headwater_pch)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

function(headwater_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                             POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<CXX_COMPILER_ID:Clang>:-Wnon-virtual-dtor> -Wconversion
                                           -Wno-sign-conversion $<$<BOOL:${HEADWATER_WERROR}>:-Werror>)
  if(NOT CMAKE_UNITY_BUILD)
    # Joined with others, a source would be blamed for their names.
    target_compile_options(${target} PRIVATE -Wshadow)
  endif()
  # Asserts stay on in release: a bug is an assertion, always.
  target_compile_options(${target} PRIVATE -UNDEBUG)
endfunction()

if(HEADWATER_PCH)
  add_library(headwater_pch OBJECT ${headwater_pch_source})
  headwater_settings(headwater_pch)
  target_link_libraries(headwater_pch PRIVATE Boost::headers Threads::Threads)
  headwater_pch_owner(headwater_pch ${headwater_pch_headers})
endif()

function(headwater_library)
  cmake_parse_arguments(arg "INTERNAL" "NAME" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(target headwater_${arg_NAME})
  add_library(${target} ${arg_SOURCES})
  add_library(headwater::${arg_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME})
  headwater_settings(${target})
  headwater_reuse_pch(${target} headwater_pch)
  list(TRANSFORM arg_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${arg_HEADERS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  if(NOT arg_INTERNAL)
    install(TARGETS ${target} EXPORT headwater FILE_SET HEADERS)
  endif()
endfunction()
