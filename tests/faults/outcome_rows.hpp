// The outcome table of STORE section 2 as data: what the fault server does, on what connection, and what that means to
// a create, an update and a read.
#pragma once

#include "tests/faults/rig.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::faults {

/// One answer and what it means. An empty word: the row says nothing of it.
struct row {
    /// How the store and the server stand before the request is sent, and do the deed to it.
    using scene = std::unique_ptr<rig> (*)(wire_kind const&, test::deed const&);

    std::string name;
    test::deed what;
    std::string create;
    std::string update;
    std::string read;
    scene before = nullptr;
};

/// Puts a line in the place of the field of that name, in an answer's bytes.
void put_field(std::string& wire, std::string_view name, std::string const& line);

/// The rows of one service.
std::vector<row> rows_of(test::dialect speaks);

}  // namespace headwater::faults
