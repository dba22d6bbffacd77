// next_step: what a person does after a verb that a signal ended, or whose last write had no answer. Pure.
#pragma once

#include "tools/headwater/arguments.hpp"

#include <headwater/error.hpp>

#include <string_view>

namespace headwater::cli {

/// What a verb's errors leave to be said; empty: nothing.
struct next_step {
    std::string_view after_stop;     ///< A signal ended it, and no commit of its own is in doubt.
    std::string_view after_unknown;  ///< A write of its may have been applied, and no token tells which.
};

next_step next_step_of(arguments const& wanted) noexcept;

/// The error as it is told. A cancelled one is `outcome_unknown` if it has a token to resume with, for then a commit is
/// in doubt; that and every doubt without a token get what to do.
error with_next_step(error const& what, next_step const& step);

}  // namespace headwater::cli
