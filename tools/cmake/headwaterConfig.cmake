# What find_package(headwater) loads. OpenSSL and Expat are asked for only by who links a store that is on the network.
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.81)
find_dependency(Threads)
find_package(OpenSSL 3 QUIET)
find_package(EXPAT QUIET)
find_package(CURL QUIET)
include(${CMAKE_CURRENT_LIST_DIR}/headwaterTargets.cmake)
