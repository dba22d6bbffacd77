// thrown: what the system or a library threw, as the error that the command line prints.
#pragma once

#include <headwater/error.hpp>

namespace headwater::cli {

/// The exception that is being handled, as an error. A system's refusal keeps its code. Precondition: inside a handler.
error error_of_thrown();

}  // namespace headwater::cli
