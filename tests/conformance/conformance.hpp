// What every object_store must do, as checks over the port alone: adapters, servers and stacks of decorators run them
// alike (conformance_test.cpp). A check reports through GoogleTest and assumes an empty store.
#pragma once

#include <headwater/object_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <ostream>
#include <span>

namespace headwater::conformance {

/// What a check works on.
struct subject {
    object_store& store;
    /// Another store over the same objects, with connections of its own where the place has connections.
    std::function<object_store&()> connect;
    int race_rounds;
};

struct check {
    char const* name;
    boost::asio::awaitable<void> (*run)(subject& on);
};

std::span<check const> all_checks();

inline void PrintTo(check const& one, std::ostream* out) { *out << one.name; }

}  // namespace headwater::conformance
